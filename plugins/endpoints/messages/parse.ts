import { invalidRequest, isObject, type GenerationRequest, type Item, type JsonObject } from '../../../core/index.ts'
import { namedSession, turnedOff, unpriced, type AnswerDetail, type Warning, wording } from '../../../core/kit.ts'
import { addItems, textParts } from './blocks.ts'
import type { Circumstances } from './passing.ts'
import { checkCount, checkRequest, type Block, type RequestBody } from './request-body.ts'
import { reasoningSettings } from './thinking.ts'
import { refuseThread } from './thread.ts'
import { toolsOf } from './tools.ts'

export interface ParsedRequest {
  readonly request: GenerationRequest
  readonly warnings: readonly Warning[]
  /** The body, for the record. */
  readonly recorded: JsonObject
}

/** The name of the vendor's dialect. */
const dialect = 'anthropic-messages'

/** Checks the body of `POST /v1/messages`, and says it in core's words. Throws a 400 that names the field by its path. */
export function parseRequest(body: unknown, circumstances: Circumstances): ParsedRequest {
  if (!isObject(body)) throw invalidRequest(wording`The body must be a JSON object.`)
  checkRequest(body)
  refuseThread(body as RequestBody)
  return parsed(body as RequestBody, circumstances)
}

export function parseCount(body: unknown, circumstances: Circumstances): ParsedRequest {
  if (!isObject(body)) throw invalidRequest(wording`The body must be a JSON object.`)
  checkCount(body)
  refuseThread(body as RequestBody)
  return parsed(body as RequestBody, circumstances)
}

function parsed(body: RequestBody, circumstances: Circumstances): ParsedRequest {
  const input: Item[] = []
  const { header, system } = withoutHeader(body.system)
  if (Array.isArray(system) && system.length > 0) input.push({ type: 'message', role: 'system', content: textParts(system) })
  for (const message of body.messages) addItems(message, input)
  if (input.length === 0) throw invalidRequest(wording`messages must have content, but every message is empty.`, 'messages')
  const { max_tokens: maxTokens, stream, stop_sequences: stop, temperature, top_p, top_k, metadata, service_tier: tier } = body
  const { beta, betas } = circumstances
  const { cache_control: cache, routing, thinking, output_config: output } = body
  const warnings: Warning[] = []
  const tools = toolsOf(body, circumstances, warnings)
  const reasoning = reasoningSettings(body)
  const session = namedSession(body)
  const format = output?.format ?? body.output_format
  const request: GenerationRequest = {
    model: body.model,
    input,
    ...(typeof system === 'string' && system !== '' && { instructions: system }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...(stream && { stream }),
    ...(reasoning && { reasoning }),
    ...(isThere(temperature) && { temperature }),
    ...(isThere(top_p) && { top_p }),
    ...(isThere(top_k) && { top_k }),
    ...(stop?.length && { stop }),
    ...(format && { text: { format: { type: 'json_schema', name: 'output', schema: format.schema, strict: true } } }),
    ...tools,
    details: tools.tools?.some(({ type }) => type === 'web_search') ? searchDetails : details,
    ...(typeof metadata?.user_id === 'string' && { user: metadata.user_id }),
    ...(session !== undefined && { session_id: session }),
    ...(tier === 'standard_only' && { service_tier: 'default' }),
    ...(cache && { cache_control: cache }),
    ...(routing && { routing }),
    extra: {
      dialect,
      fields: otherMembers(body, circumstances, warnings),
      exact: {
        ...(header && { system: header }),
        ...(thinking && { thinking }),
        ...(output && { output_config: output }),
        ...(tier && { service_tier: tier }),
        ...(typeof metadata?.user_id === 'string' && { user_id: true }),
        ...(beta && { betas: betasIn(beta).filter(betas) }),
      },
    },
  }
  return { request, warnings, recorded: body }
}

const details: readonly AnswerDetail[] = ['reasoning-state']
const searchDetails: readonly AnswerDetail[] = ['reasoning-state', 'search-results', 'search-sources']

function isThere(value: number | null | undefined): value is number {
  return typeof value === 'number'
}

/**
 * Claude Code begins `system` with a line for the vendor that changes with every request. Only the vendor gets it: elsewhere it would make
 * every prompt new to the cache.
 */
function withoutHeader(system: RequestBody['system']): { readonly header?: Block; readonly system: RequestBody['system'] } {
  if (typeof system === 'string') {
    if (!system.startsWith(headerName)) return { system }
    const end = system.indexOf('\n')
    const line = end < 0 ? system : system.slice(0, end)
    return { header: { type: 'text', text: line }, system: end < 0 ? '' : system.slice(end + 1) }
  }
  const first = system?.[0]
  if (typeof first?.['text'] !== 'string' || !first['text'].startsWith(headerName)) return { system }
  return { header: first, system: system!.slice(1) }
}

const headerName = 'x-anthropic-billing-header:'

function betasIn(header: string): readonly string[] {
  return [...new Set(header.split(',').flatMap(name => name.trim() || []))]
}

const known = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'stream',
  'tools',
  'tool_choice',
  'thinking',
  'output_format',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'service_tier',
  'session_id',
  'cache_control',
  'routing',
])
const knownOutput = new Set(['effort', 'format'])
const knownMetadata = new Set(['user_id', 'session_id'])

/** Top-level members that the neutral request cannot say. */
function otherMembers(body: RequestBody, { vendorTools, isCapped }: Circumstances, warnings: Warning[]): JsonObject {
  let fields: Record<string, unknown> | undefined
  for (const name in body) {
    const value = body[name]
    if (known.has(name) || value === null || value === undefined) continue
    if (name === 'mcp_servers' && !vendorTools('mcp_toolset')) {
      warnings.push({ param: name, message: turnedOff })
      continue
    }
    // Fast answers have a price of their own.
    if (name === 'speed' && isCapped) {
      warnings.push({ param: name, message: unpriced })
      continue
    }
    const left = name === 'output_config' ? unknownIn(value, knownOutput) : name === 'metadata' ? unknownIn(value, knownMetadata) : value
    if (left !== undefined) (fields ??= {})[name] = left
  }
  return fields ?? noFields
}

const noFields: JsonObject = {}

function unknownIn(value: unknown, names: ReadonlySet<string>): JsonObject | undefined {
  const left = Object.entries(value as JsonObject).filter(([name, member]) => !names.has(name) && member !== null)
  return left.length > 0 ? Object.fromEntries(left) : undefined
}
