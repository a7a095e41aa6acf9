import { invalidRequest, isObject, requestSchema, type GenerationRequest, type JsonObject, type Warning } from '../../../core/index.ts'
import { chatFormRefusal, chatMemberWarnings, isChatMember } from './chat-form.ts'
import { misspelledMembers } from './misspelled.ts'
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
import { withoutEffect } from './without-effect.ts'

export interface ParsedRequest {
  readonly request: GenerationRequest
  /** Members that were accepted and have no effect. */
  readonly warnings: readonly Warning[]
}

const known = new Set(Object.keys(requestSchema.properties))

/** Members whose own members may be null. */
const shallow = ['reasoning', 'stream_options', 'cache_control', 'prompt_cache_options'] as const

/**
 * Checks the body of a request and brings it into its canonical form. Throws a 400 that names the field by its path. Entries of `tools` with
 * one of these `toolTypes` are checked later, by the schemas of the tools.
 */
export function parseRequest(body: unknown, toolTypes: ReadonlySet<string> = none): ParsedRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidRequest('The body must be a JSON object.')
  const request: Record<string, unknown> = {}
  let extra: Record<string, unknown> | undefined
  let chat: Record<string, unknown> | undefined
  // The body was parsed from JSON, so all of its members are its own.
  for (const name in body) {
    const value = (body as Record<string, unknown>)[name]
    if (value === null) continue
    if (known.has(name)) request[name] = value
    else if (isChatMember(name)) (chat ??= {})[name] = value
    else (extra ??= {})[name] = value
  }
  request['input'] = normaliseInput(request['input'])
  request['tools'] = normaliseTools(request['tools'])
  request['tool_choice'] = normaliseToolChoice(request['tool_choice'])
  request['text'] = normaliseText(request['text'])
  request['routing'] = normaliseRouting(request['routing'])
  request['prompt'] = normalisePrompt(request['prompt'])
  for (const name of shallow) request[name] = withoutNulls(request[name])
  const parsed = request as unknown as GenerationRequest
  const tools = request['tools']
  try {
    request['tools'] = withStandIns(tools, toolTypes)
    validateRequest(request)
    request['tools'] = tools
    checkCombinations(parsed)
  } catch (error) {
    throw chatFormRefusal(body as JsonObject) ?? error
  }
  const warnings = withoutEffect(parsed)
  if (!extra && !chat) return { request: parsed, warnings }
  return {
    request: extra ? { ...parsed, extra: { dialect: 'openai-responses', fields: extra } } : parsed,
    warnings: [...warnings, ...(extra ? misspelledMembers(extra, known) : []), ...(chat ? chatMemberWarnings(chat) : [])],
  }
}

const none: ReadonlySet<string> = new Set()
/** An entry that the schema of a request allows. */
const standIn = { type: 'mcp' } as const

function withStandIns(tools: unknown, toolTypes: ReadonlySet<string>): unknown {
  if (toolTypes.size === 0 || !Array.isArray(tools)) return tools
  const isAdded = (tool: unknown): boolean => isObject(tool) && tool['type'] !== 'web_search' && toolTypes.has(tool['type'] as string)
  return tools.some(isAdded) ? tools.map(tool => (isAdded(tool) ? standIn : tool)) : tools
}

/** Rules about more than one field. */
function checkCombinations(request: GenerationRequest): void {
  if (request.conversation !== undefined && request.previous_response_id !== undefined) {
    throw invalidRequest('conversation and previous_response_id cannot be combined. Use previous_response_id.', 'conversation')
  }
  checkTools(request)
}
