import { invalidRequest, requestSchema, type GenerationRequest, type JsonObject } from '../../../core/index.ts'
import { normaliseFormat, normaliseInput, normaliseToolChoice, normaliseTools, withoutNulls } from './normalise.ts'
import { validateRequest } from './validate.ts'

const known = new Set(Object.keys(requestSchema.properties))

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
  request['text'] = normaliseFormat(request['text'])
  for (const name of ['reasoning', 'stream_options', 'routing', 'cache_control']) request[name] = withoutNulls(request[name])
  normaliseRouting(request['routing'])
  validateRequest(request)
  const parsed = request as unknown as GenerationRequest
  checkCombinations(parsed)
  return extra ? { ...parsed, extra: { dialect: 'openai-responses', fields: extra } } : parsed
}

function normaliseRouting(routing: unknown): void {
  if (typeof routing !== 'object' || routing === null) return
  for (const level of Object.values(routing)) withoutNulls(level)
}

/** What one field alone cannot say. */
function checkCombinations(request: GenerationRequest): void {
  if (request.conversation !== undefined && request.previous_response_id !== undefined) {
    throw invalidRequest('conversation and previous_response_id exclude each other. Use previous_response_id.', 'conversation')
  }
  checkToolChoice(request)
}

/** contract/responses.md §5: a choice must be possible. */
function checkToolChoice({ tool_choice: choice, tools = [] }: GenerationRequest): void {
  if (choice === undefined || choice === 'auto' || choice === 'none') return
  if (tools.length === 0) throw invalidRequest('tool_choice asks for a tool, and tools is empty.', 'tool_choice')
  if (choice === 'required') return
  const offered = new Set(tools.flatMap(toolNames))
  const missing = (type: string, name: string | undefined): boolean => !offered.has(name === undefined ? type : `${type} ${name}`)
  if (choice.type === 'allowed_tools') {
    for (const [index, { type, name }] of (choice.tools ?? []).entries()) {
      if (missing(type, name)) throw invalidRequest(`"${name ?? type}" is not among tools.`, `tool_choice.tools[${index}]`)
    }
    if (!choice.tools?.length) throw invalidRequest('Expected at least one tool.', 'tool_choice.tools', 'missing_required_parameter')
  } else if (missing(choice.type, choice.type === 'function' || choice.type === 'custom' ? (choice.name ?? '') : undefined)) {
    throw invalidRequest(`"${choice.name ?? choice.type}" is not among tools.`, 'tool_choice')
  }
}

function toolNames(tool: JsonObject): readonly string[] {
  const { type, name, tools } = tool as { type: string; name?: string; tools?: readonly JsonObject[] }
  const nested = type === 'namespace' ? (tools ?? []).flatMap(toolNames) : []
  return [type, ...(name === undefined ? [] : [`${type} ${name}`]), ...nested]
}
