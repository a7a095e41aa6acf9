import type { TokenUsage } from './events.ts'
import type { ShownName, ShownObject, Snaked, WithNulls } from './field-types.ts'
import { fieldsOf, shownName, type Fields, type Json } from './fields.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { AttemptRecord, RoutingRecord } from './log-sink.ts'
import type { Level, Policy, PolicyField } from './policy.ts'

/** Everything that the record of a request says, without content. Log sinks get it by these names. */
export const recordFields = {
  id: { type: 'text', about: 'The id of the request.' },
  answerId: { type: 'text', optional: true, about: 'The id of the response or decision that answered it.' },
  at: { type: 'time', shownAs: 'created_at', about: 'The time of arrival.' },
  method: { type: 'text', about: 'The HTTP method.' },
  path: { type: 'text', about: 'The HTTP path.' },
  status: { type: 'integer', about: 'The HTTP status as delivered; 499 if the client disconnected first.' },
  elapsedMs: { type: 'number', about: 'How long the request took, in milliseconds.' },
  keyId: { type: 'text', optional: true, shownAs: 'key', filter: true, about: 'The id of the API key.' },
  org: { type: 'text', optional: true, filter: true, about: 'The organization of the key.' },
  team: { type: 'text', optional: true, filter: true, about: 'The team of the key.' },
  user: { type: 'text', optional: true, filter: true, about: 'The user of the key.' },
  owner: { type: 'text', optional: true, shownAs: null, about: 'The path of the accounts that own its stored data.' },
  stream: { type: 'flag', about: 'True if the request asked for a stream.' },
  requestedModel: {
    type: 'text',
    optional: true,
    about: 'The model as the caller wrote it. Missing if a decision names no known model and `logging` is off.',
  },
  model: {
    type: 'text',
    optional: true,
    filter: true,
    about: 'The model that answered or, if none did, the last one asked. Missing without an attempt.',
  },
  provider: { type: 'text', optional: true, filter: true, about: 'The provider of that model.' },
  attempts: {
    type: 'json' as Json<readonly AttemptRecord[], Snaked<readonly AttemptRecord[]>>,
    about: 'Every attempt at an endpoint: when it began, how long it waited and took, and how it ended.',
  },
  routing: {
    type: 'json' as Json<RoutingRecord, Snaked<RoutingRecord>>,
    optional: true,
    about:
      'How the endpoints were chosen. Missing if there was nothing to choose: one endpoint could answer, or the request was refused before.',
  },
  usage: { type: 'json' as Json<TokenUsage, ShownUsage>, optional: true, about: 'The tokens of the request.' },
  costUsd: {
    type: 'number',
    optional: true,
    about:
      'The charge in US dollars, failed attempts included. Missing if the price is unknown, or if there was no answer and no billed attempt.',
  },
  heldUsd: {
    type: 'number',
    optional: true,
    revision: 36,
    about:
      'US dollars that were held for the request under spend caps and credit when it ended, before the cost replaced them. Of all calls of a decision together. Missing if nothing had to be held.',
  },
  errorCode: { type: 'text', optional: true, filter: true, about: 'The code of the error that the caller got.' },
  errorMessage: {
    type: 'text',
    optional: true,
    revision: 40,
    about:
      'The message of that error. `…` stands for what it quotes of the request or of a vendor, since that is content; missing if nobody knows what it quotes.',
  },
  errorParam: {
    type: 'text',
    optional: true,
    revision: 40,
    about: 'The parameter at fault. `…` stands for names that the caller may have made up.',
  },
  reason: {
    type: 'text',
    optional: true,
    filter: true,
    revision: 40,
    choices: [
      'request',
      'authentication',
      'permission',
      'policy',
      'guardrail',
      'limit',
      'concurrency',
      'cap',
      'credit',
      'overload',
      'vendor',
      'timeout',
      'left',
      'gateway',
    ],
    about: 'The class of the failure.',
  },
  reasonLevel: {
    type: 'text',
    optional: true,
    revision: 40,
    choices: ['org', 'team', 'user', 'key'],
    about: 'The level whose policy, limit, cap or credit refused the request.',
  },
  firstEventMs: {
    type: 'number',
    optional: true,
    revision: 40,
    about: 'Milliseconds from the arrival of the request to the first event of the answer. Missing if none came.',
  },
  creditWaitMs: {
    type: 'number',
    optional: true,
    revision: 40,
    about: 'Milliseconds that the request waited for others to give credit back. Missing if it did not.',
  },
  inputTokens: {
    type: 'integer',
    optional: true,
    revision: 40,
    shownAs: null,
    about: 'The input tokens of the request, cached ones included.',
  },
  outputTokens: { type: 'integer', optional: true, revision: 40, shownAs: null, about: 'The output tokens of the request.' },
  vendorStatus: { type: 'integer', optional: true, computed: true, about: 'The HTTP status of the vendor that failed last.' },
  vendorCode: { type: 'text', optional: true, computed: true, about: 'The error code of the vendor that failed last.' },
  vendorRequestId: {
    type: 'text',
    optional: true,
    computed: true,
    about: 'The id that the vendor that failed last gave the request. Its support asks for it.',
  },
  policy: {
    type: 'json' as Json<Policy, Readonly<Record<PolicyField, boolean>>>,
    optional: true,
    about: 'The policy that applied. Missing if no key was known.',
  },
  policySource: {
    type: 'json' as Json<Readonly<Record<PolicyField, Level>>>,
    optional: true,
    computed: true,
    about: 'The level that set each field of the policy.',
  },
  kind: {
    type: 'text',
    optional: true,
    filter: true,
    revision: 28,
    examples: ['generation', 'decision', 'count', 'embedding', 'rerank'],
    about:
      'The kind of call: `generation`, `decision`, `count`, `embedding` or `rerank`. Missing if no model was to be asked, or if the request was refused before.',
  },
  surface: {
    type: 'text',
    optional: true,
    filter: true,
    revision: 29,
    examples: ['responses', 'chat', 'messages', 'gemini', 'decisions', 'embeddings', 'rerank'],
    about:
      'The public API that the request was sent to: `responses`, `chat`, `messages`, `gemini`, `decisions`, `embeddings`, `rerank`, or one that a plugin adds. Missing if it was sent to none of them, as for a list of models.',
  },
  session: {
    type: 'text',
    optional: true,
    filter: true,
    revision: 33,
    about:
      'The session of an agent or application that the request belongs to: an HMAC of the name that the client sent. Missing if it sent none.',
  },
  notes: { type: 'json' as Json<readonly RecordNote[]>, about: 'Notes from plugins, without content.' },
} as const satisfies Fields

/** A record without content. */
export interface RecordFacts extends WithNulls<typeof recordFields> {}

/** A record as the admin API shows it. */
export interface ShownRecord extends ShownObject<typeof recordFields> {}

export interface RecordNote {
  readonly kind: string
  readonly summary: JsonObject
}

/** The tokens of a request as the admin API shows them. */
export interface ShownUsage {
  /** The whole input: the sum of the next four. */
  readonly input_tokens: number
  /** Input that no cache had, without cache writes. */
  readonly uncached_input_tokens: number
  /** Input that the vendor read from its cache. */
  readonly cached_tokens: number
  /** Input written to a cache for five minutes, or for a time that the vendor does not tell. */
  readonly cache_write_5m_tokens: number
  /** Input written to a cache for an hour. */
  readonly cache_write_1h_tokens: number
  /** All output, with reasoning. */
  readonly output_tokens: number
  /** A part of the output. */
  readonly reasoning_tokens: number
  /** The provider reported no usage, or not all of it. */
  readonly estimated: boolean
}

type List = typeof recordFields
/** The fields that lists of records can be narrowed by, under their names in the admin API. */
export type RecordFilterName = {
  [N in keyof List]: List[N] extends { readonly filter: true } ? ShownName<N, List[N]> : never
}[keyof List]

/** The member of a record by each name that lists of records can be narrowed by. */
export const recordFilters = Object.fromEntries(
  Object.entries(fieldsOf(recordFields, ({ filter }) => filter === true)).map(([name, field]) => [shownName(name, field), name]),
) as Readonly<Record<RecordFilterName, keyof RecordFacts>>
