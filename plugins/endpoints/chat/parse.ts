import { invalidRequest, isObject, type GenerationRequest, type JsonObject } from '../../../core/index.ts'
import {
  namedSession,
  serviceTiers,
  type AnswerDetail,
  type ServiceTier,
  type TextFormat,
  type Warning,
  wording,
} from '../../../core/kit.ts'
import { itemsOf } from './messages.ts'
import type { Circumstances } from './passing.ts'
import { reasoningSettings } from './reasoning.ts'
import { checkRequest } from './request-body.ts'
import { isOlderForm, toolsOf } from './tools.ts'
import type { RequestBody, WireFormat } from './wire.ts'

export interface ParsedRequest {
  readonly request: GenerationRequest
  readonly form: AnswerForm
  /** For each item of the input, the index of its message. */
  readonly places: readonly number[]
  readonly warnings: readonly Warning[]
  /** The body, for the record. */
  readonly recorded: JsonObject
}

/** What the request says about the form of its answer alone. */
export interface AnswerForm {
  /** A stream ends with the usage. */
  readonly includeUsage: boolean
  /** Calls are in `function_call`. */
  readonly isOlder: boolean
  /** The words of the model's reasoning are left out. */
  readonly hidesReasoning: boolean
}

/** The name of the dialect. */
const dialect = 'openai-chat'

/** Checks the body of `POST /v1/chat/completions`, and says it in core's words. Throws a 400 that names the field by its path. */
export function parseRequest(sent: unknown, circumstances: Circumstances): ParsedRequest {
  if (!isObject(sent)) throw invalidRequest(wording`The body must be a JSON object.`)
  checkRequest(sent)
  const body = sent as RequestBody
  const warnings: Warning[] = []
  const { items: input, places } = itemsOf(body.messages)
  if (input.length === 0) throw invalidRequest(wording`messages must have content, but every message is empty.`, 'messages')
  const { stream, stop, user, service_tier: tier, modalities, n, logprobs, top_logprobs: top } = body
  const { cache_control: cache, prompt_cache_key: key, prompt_cache_options: options, prompt_cache_retention: retention } = body
  const { max_completion_tokens: most, max_tokens: older, verbosity, routing, thinking, reasoning: reasoningAsked } = body
  const maxTokens = most ?? older
  const session = namedSession(body)
  const reasoning = reasoningSettings(body)
  const text = textOf(body.response_format, verbosity)
  const tools = toolsOf(body, circumstances, warnings)
  if (body.store === true) warnings.push({ param: 'store', message: 'completions are not stored: use POST /v1/responses' })
  if (isTier(tier) && tier !== 'auto' && tier !== 'default')
    warnings.push({ param: 'service_tier', message: 'passed on to providers that support it, without effect at others' })
  if (top && logprobs !== true) throw invalidRequest(wording`top_logprobs needs logprobs to be true.`, 'top_logprobs')
  const request: GenerationRequest = {
    model: body.model,
    input,
    ...(typeof maxTokens === 'number' && { max_output_tokens: maxTokens }),
    ...(stream && { stream }),
    ...(typeof n === 'number' && n > 1 && { choices: n }),
    ...(reasoning && { reasoning }),
    ...numbers(body),
    ...(stop?.length && { stop: typeof stop === 'string' ? [stop] : stop }),
    ...(body.logit_bias && Object.keys(body.logit_bias).length > 0 && { logit_bias: body.logit_bias }),
    ...(logprobs && { logprobs: true, ...(top && { top_logprobs: top }) }),
    ...(text && { text }),
    ...tools,
    details,
    ...(typeof user === 'string' && { user }),
    ...(session !== undefined && { session_id: session }),
    ...(isTier(tier) && { service_tier: tier }),
    ...(typeof key === 'string' && { prompt_cache_key: key }),
    ...(options && { prompt_cache_options: options as NonNullable<GenerationRequest['prompt_cache_options']> }),
    ...(retention && { prompt_cache_retention: retention }),
    ...(cache && { cache_control: cache }),
    ...(routing && { routing }),
    extra: {
      dialect,
      fields: otherMembers(body),
      // Without it, the answer would have another form.
      ...(modalities?.some(each => each !== 'text') && { needed: ['modalities'] }),
      exact: {
        ...(thinking && { thinking }),
        ...(reasoningAsked && { reasoning: reasoningAsked }),
        // Faster ones cost more than the gateway knows.
        ...(typeof tier === 'string' && (usualTiers.has(tier) || !circumstances.isCapped) && { service_tier: tier }),
      },
    },
  }
  const form = {
    includeUsage: body.stream_options?.include_usage === true,
    isOlder: isOlderForm(body),
    hidesReasoning: reasoningAsked?.exclude === true,
  }
  return { request, form, places, warnings, recorded: body }
}

const details: readonly AnswerDetail[] = ['reasoning-state']

const numberMembers = ['temperature', 'top_p', 'top_k', 'seed', 'presence_penalty', 'frequency_penalty'] as const

function numbers(body: RequestBody): Partial<GenerationRequest> {
  let given: Partial<Record<(typeof numberMembers)[number], number>> | undefined
  for (const name of numberMembers) {
    const value = body[name]
    if (typeof value === 'number') (given ??= {})[name] = value
  }
  return given ?? nothing
}

const nothing = {}

function textOf(format: WireFormat | null | undefined, verbosity: RequestBody['verbosity']): GenerationRequest['text'] {
  const asked = format && format.type !== 'text' ? formatOf(format) : undefined
  if (!asked && !verbosity) return undefined
  return { ...(asked && { format: asked }), ...(verbosity && { verbosity }) }
}

function formatOf({ type, json_schema: said }: WireFormat): TextFormat {
  if (type !== 'json_schema') return { type } as TextFormat
  const { name, description, schema, strict } = said!
  return {
    type,
    name,
    schema: schema ?? {},
    ...(typeof description === 'string' && { description }),
    ...(typeof strict === 'boolean' && { strict }),
  }
}

const usualTiers: ReadonlySet<string> = new Set<ServiceTier>(['auto', 'default', 'flex'])

/** A tier that clients of this API know. */
export function isTier(tier: unknown): tier is ServiceTier {
  return serviceTiers.includes(tier as ServiceTier)
}

/** What the neutral request says, and what only the gateway reads: a vendor is never asked to store anything. */
const known = new Set([
  'model',
  'messages',
  'max_completion_tokens',
  'max_tokens',
  'stream',
  'stream_options',
  'n',
  ...numberMembers,
  'stop',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'response_format',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'reasoning_effort',
  'reasoning',
  'thinking',
  'verbosity',
  'web_search_options',
  'service_tier',
  'store',
  'metadata',
  'user',
  'safety_identifier',
  'session_id',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'cache_control',
  'routing',
])

/** Top-level members that the neutral request cannot say. */
function otherMembers(body: RequestBody): JsonObject {
  let fields: Record<string, unknown> | undefined
  for (const name in body) {
    const value = body[name]
    if (!known.has(name) && value !== null && value !== undefined) (fields ??= {})[name] = value
  }
  return fields ?? nothing
}
