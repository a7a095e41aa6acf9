import { GatewayError, invalidRequest, isObject, type JsonObject } from '../../../core/index.ts'
import type { Warning } from '../../../core/kit.ts'
import { chatFormRefusal, chatMemberWarnings, isChatMember } from './chat-form.ts'
import { missingInput } from './missing-input.ts'
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
import { otherGatewayWarnings } from './other-gateways.ts'
import { requestBodySchema, type RequestBody } from './request-body.ts'
import { unknownMembers } from './unknown-members.ts'
import { anyTool, withoutUnknownTypes } from './unknown-types.ts'
import { validateRequest } from './validate.ts'
import { withoutEffect, type OnUnsupported, type Served } from './without-effect.ts'

export interface ParseOptions {
  /** Entries of `tools` with one of these types are checked later, by the schemas of the tools. */
  readonly toolTypes?: ReadonlySet<string>
  /** Default: `warn`. */
  readonly unsupported?: OnUnsupported
  /** Default: nothing. */
  readonly served?: Served
  /** True if the request may come without input. Default: false. */
  readonly mayBeEmpty?: boolean
}

export interface ParsedRequest {
  readonly body: RequestBody
  /** Members that were accepted and have no effect. */
  readonly warnings: readonly Warning[]
}

const known = new Set(Object.keys(requestBodySchema.properties))

/** Members whose own members may be null. */
const shallow = ['reasoning', 'stream_options', 'cache_control', 'prompt_cache_options'] as const

/** Checks the body of a request and brings it into its canonical form. Throws a 400 that names the field by its path. */
export function parseRequest(body: unknown, options: ParseOptions = {}): ParsedRequest {
  const { toolTypes = none, unsupported = 'warn', served = {}, mayBeEmpty = false } = options
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidRequest('The body must be a JSON object.')
  const { request, extra, chat } = members(body as Record<string, unknown>)
  const isEmpty = mayBeEmpty && isEmptyList(request['input'])
  request['input'] = normaliseInput(isEmpty ? '-' : request['input'])
  normaliseTools(request['tools'])
  normaliseToolChoice(request['tool_choice'])
  normaliseText(request['text'])
  normaliseRouting(request['routing'])
  normalisePrompt(request['prompt'])
  for (const name of shallow) withoutNulls(request[name])
  const parsed = request as unknown as RequestBody
  try {
    validate(request, toolTypes)
    checkCombinations(parsed)
  } catch (error) {
    throw chatFormRefusal(body as JsonObject) ?? missingInput(body as JsonObject) ?? withAdvice(error)
  }
  if (isEmpty) request['input'] = []
  const warnings = [...withoutEffect(parsed, unsupported, served), ...unknownMembers(parsed)]
  if (!extra && !chat) return { body: parsed, warnings }
  return {
    body: extra ? { ...parsed, extra: { dialect: 'openai-responses', fields: extra } } : parsed,
    warnings: [
      ...warnings,
      ...(extra ? [...misspelledMembers(extra, known), ...otherGatewayWarnings(extra)] : []),
      ...(chat ? chatMemberWarnings(chat) : []),
    ],
  }
}

/** Completing a prompt would not help: the gateway has no templates. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof GatewayError) || !error.param?.startsWith('prompt.')) return error
  const { message, cause } = error
  return new GatewayError({ ...error, message: `${message} ${noTemplates}`, cause })
}

const noTemplates =
  'This gateway keeps no prompt templates, and ignores complete prompts, too. Leave out prompt, and send its text as instructions and input.'

interface Members {
  readonly request: Record<string, unknown>
  /** Members that a request does not have. */
  readonly extra?: Record<string, unknown> | undefined
  /** Members of the Chat Completions API. */
  readonly chat?: Record<string, unknown> | undefined
}

/** Most bodies have known members only, and are taken as they are: a body was just parsed, and nobody else has it. */
function members(body: Record<string, unknown>): Members {
  // All members of parsed JSON are its own.
  for (const name in body) if (body[name] === null || !known.has(name)) return sortedMembers(body)
  return { request: body }
}

function sortedMembers(body: Record<string, unknown>): Members {
  const request: Record<string, unknown> = {}
  let extra: Record<string, unknown> | undefined
  let chat: Record<string, unknown> | undefined
  for (const name in body) {
    const value = body[name]
    if (value === null) continue
    if (known.has(name)) request[name] = value
    else if (isChatMember(name)) (chat ??= {})[name] = value
    else (extra ??= {})[name] = value
  }
  return { request, extra, chat }
}

const none: ReadonlySet<string> = new Set()

/** Entries for tools of plugins are left out: their own schemas check them later. Types that are unknown here are for upstreams. */
function validate(request: Record<string, unknown>, toolTypes: ReadonlySet<string>): void {
  const { tools } = request
  const isAdded = (tool: unknown): boolean => isObject(tool) && tool['type'] !== 'web_search' && toolTypes.has(tool['type'] as string)
  const checked =
    toolTypes.size > 0 && Array.isArray(tools) && tools.some(isAdded)
      ? { ...request, tools: tools.map(tool => (isAdded(tool) ? anyTool : tool)) }
      : request
  try {
    validateRequest(checked)
  } catch (error) {
    const known = withoutUnknownTypes(checked)
    if (!known) throw error
    validateRequest(known)
  }
}

function isEmptyList(input: unknown): boolean {
  return input === undefined || (Array.isArray(input) && input.length === 0)
}

/** Rules about more than one field. */
function checkCombinations(request: RequestBody): void {
  if (request.conversation !== undefined && request.previous_response_id !== undefined) {
    throw invalidRequest('conversation and previous_response_id cannot be combined. Leave out one of the two.', 'conversation')
  }
  checkTools(request)
}
