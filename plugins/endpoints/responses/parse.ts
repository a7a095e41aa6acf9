import { invalidRequest, requestSchema, type GenerationRequest } from '../../../core/index.ts'
import {
  normaliseInput,
  normalisePrompt,
  normaliseRouting,
  normaliseText,
  normaliseToolChoice,
  normaliseTools,
  withoutNulls,
} from './normalise.ts'
import { checkTools } from './tool-rules.ts'
import { validateRequest } from './validate.ts'

const known = new Set(Object.keys(requestSchema.properties))

/** Members whose own members may be null. */
const shallow = ['reasoning', 'stream_options', 'cache_control', 'prompt_cache_options'] as const

/** The body of a request, checked and brought into its canonical form; 400 that names the field by its path. */
export function parseRequest(body: unknown): GenerationRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidRequest('The body must be a JSON object.')
  const request: Record<string, unknown> = {}
  let extra: Record<string, unknown> | undefined
  for (const [name, value] of Object.entries(body)) {
    if (value === null) continue
    if (known.has(name)) request[name] = value
    else (extra ??= {})[name] = value
  }
  request['input'] = normaliseInput(request['input'])
  request['tools'] = normaliseTools(request['tools'])
  request['tool_choice'] = normaliseToolChoice(request['tool_choice'])
  request['text'] = normaliseText(request['text'])
  request['routing'] = normaliseRouting(request['routing'])
  request['prompt'] = normalisePrompt(request['prompt'])
  for (const name of shallow) request[name] = withoutNulls(request[name])
  validateRequest(request)
  const parsed = request as unknown as GenerationRequest
  checkCombinations(parsed)
  return extra ? { ...parsed, extra: { dialect: 'openai-responses', fields: extra } } : parsed
}

/** What one field alone cannot say. */
function checkCombinations(request: GenerationRequest): void {
  if (request.conversation !== undefined && request.previous_response_id !== undefined) {
    throw invalidRequest('conversation and previous_response_id exclude each other. Use previous_response_id.', 'conversation')
  }
  checkTools(request)
}
