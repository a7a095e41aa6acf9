import { ConversationStore } from '../contracts/conversation-store.ts'
import { RateLimiter } from '../contracts/rate-limiter.ts'
import { ResponseStore } from '../contracts/response-store.ts'
import { TokenCounter } from '../contracts/token-counter.ts'
import { GatewayError, type PluginError } from '../foundation/errors.ts'
import { wording } from '../foundation/wording.ts'
import { isObject, type JsonObject } from '../foundation/json.ts'
import { kindOf } from '../foundation/kind-of.ts'
import { describePluginError, type Logger } from '../foundation/logger.ts'
import { RepeatedError } from '../foundation/repeated-error.ts'
import type { Token } from '../foundation/token.ts'

/** Returns "expected …, got …" for an answer that core cannot work with. Quotes nothing, because answers hold content. */
export type AnswerCheck = (value: unknown) => string | undefined

/** Core's reactions to mistakes of a service that a plugin implements. */
export interface ServiceAnswers {
  /** A check for each function. Undefined for one whose answer has no meaning: its caller names a promise that rejects. */
  readonly of: Readonly<Record<string, AnswerCheck | undefined>>
  /** Called once. The function that it returns gets the error, and returns or throws what the caller of the service gets. */
  readonly failed?: (log: Logger) => (error: PluginError) => unknown
}

export const serviceAnswers = new Map<Token<any>, ServiceAnswers>()

/** The compiler demands every function of the service. */
function service<T>(token: Token<T>, of: { readonly [N in keyof T]-?: AnswerCheck | undefined }, failed?: ServiceAnswers['failed']): void {
  serviceAnswers.set(token, { of, ...(failed && { failed }) })
}

service(ResponseStore, {
  put: undefined,
  get: value => (value === undefined ? undefined : storedProblem(value)),
  chain: value => (value === undefined ? undefined : chainProblem(value)),
  items: itemsProblem,
  delete: flagProblem,
})
service(ConversationStore, {
  create: undefined,
  get: value => (value === undefined ? undefined : conversationProblem(value)),
  setMetadata: flagProblem,
  delete: value => oneOf(value, changes),
  items: value => (value === undefined ? undefined : keptProblem(value, 'an array of items or undefined')),
  page: value => (value === undefined ? undefined : pageProblem(value)),
  item: value => (value === undefined || isKept(value) ? undefined : expected('an item with an `id` or undefined', value)),
  append: appendProblem,
  deleteItem: value => oneOf(value, changes),
  acquire: leaseProblem,
  renew: flagProblem,
  release: flagProblem,
})
service(
  RateLimiter,
  { reserve: reservedProblem, enter: enteredProblem, states: statesProblem, admit: admittedProblem },
  () => limitsUnavailable,
)
service(
  TokenCounter,
  {
    count: value => (value === undefined ? undefined : countProblem(value)),
    decode: value => (value === undefined || Array.isArray(value) ? undefined : expected('an array of texts or undefined', value)),
  },
  uncounted,
)

function flagProblem(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : expected('true or false', value)
}

function storedProblem(value: unknown): string | undefined {
  if (!isObject(value)) return expected('a stored response or undefined', value)
  if (typeof value['id'] !== 'string') return expected('a string as `id`', value['id'])
  const { body } = value
  if (!isObject(body)) return expected('an object as `body`', body)
  if (value['previousId'] !== undefined && typeof value['previousId'] !== 'string')
    return expected('a string or undefined as `previousId`', value['previousId'])
  return (body['output'] === undefined ? undefined : itemsIn(body, 'output', 'body.output')) ?? turnProblem(value)
}

function chainProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) return expected('an array of turns or undefined', value)
  for (const turn of value as readonly unknown[]) {
    const problem = isObject(turn) ? turnProblem(turn) : expected('an array of turns', turn, 'one that holds ')
    if (problem !== undefined) return problem
  }
  return undefined
}

function turnProblem(turn: JsonObject): string | undefined {
  return itemsIn(turn, 'input') ?? itemsIn(turn, 'output')
}

function itemsIn(holder: JsonObject, name: string, place = name): string | undefined {
  const items = holder[name]
  if (!Array.isArray(items)) return expected(`an array of items as \`${place}\``, items)
  const wrong = (items as readonly unknown[]).findIndex(item => !isItem(item))
  return wrong < 0 ? undefined : expected(`an array of items as \`${place}\``, items[wrong], 'one that holds ')
}

function itemsProblem(value: unknown): string | undefined {
  if (!(value instanceof Map)) return expected('a Map of items', value)
  for (const item of value.values()) if (!isItem(item)) return expected('a Map of items', item, 'one that holds ')
  return undefined
}

function isItem(value: unknown): boolean {
  return isObject(value) && typeof value['type'] === 'string'
}

const changes = ['done', 'unknown', 'busy'] as const

function oneOf(value: unknown, words: readonly string[], otherwise = ''): string | undefined {
  return words.includes(value as string) ? undefined : expected(`${words.map(word => `'${word}'`).join(', ')}${otherwise}`, value)
}

function conversationProblem(value: unknown): string | undefined {
  if (!isObject(value)) return expected('a conversation or undefined', value)
  const { id, metadata, createdAt } = value
  if (typeof id !== 'string') return expected('a string as `id`', id)
  if (!isObject(metadata)) return expected('an object as `metadata`', metadata)
  return Number.isFinite(createdAt) ? undefined : expected('a number as `createdAt`', createdAt)
}

function isKept(value: unknown): boolean {
  return isItem(value) && typeof (value as JsonObject)['id'] === 'string'
}

function keptProblem(value: unknown, what: string): string | undefined {
  if (!Array.isArray(value)) return expected(what, value)
  const wrong = (value as readonly unknown[]).findIndex(item => !isKept(item))
  return wrong < 0 ? undefined : expected('items with an `id`', value[wrong], 'one that is ')
}

function pageProblem(value: unknown): string | undefined {
  if (!isObject(value)) return expected('a page or undefined', value)
  const { items, hasMore } = value
  return (
    keptProblem(items, 'an array of items as `items`') ??
    (typeof hasMore === 'boolean' ? undefined : expected('true or false as `hasMore`', hasMore))
  )
}

function appendProblem(value: unknown): string | undefined {
  if (Array.isArray(value))
    return value.every(id => typeof id === 'string')
      ? undefined
      : expected(
          'ids',
          value.find(id => typeof id !== 'string'),
          'a list with ',
        )
  return oneOf(value, [...changes, 'lost', 'full'], ' or an array of ids')
}

function leaseProblem(value: unknown): string | undefined {
  if (!isObject(value)) return oneOf(value, ['unknown', 'busy'], ' or a lease')
  const { fence, held } = value
  if (typeof fence !== 'number') return expected('a number as `fence`', fence)
  const { items, bytes } = (held ?? {}) as JsonObject
  return typeof items === 'number' && typeof bytes === 'number' ? undefined : expected('{ items, bytes } as `held`', held)
}

const holdFunctions = ['extend', 'settle', 'release'] as const

function reservedProblem(value: unknown): string | undefined {
  if (!isObject(value)) return expected('a hold or { full, retryAfterMs }', value)
  const problem = value['states'] === undefined ? undefined : statesProblem(value['states'])
  if (problem !== undefined) return problem
  if ('retryAfterMs' in value) {
    const { full, retryAfterMs } = value
    if (retryAfterMs !== undefined && (typeof retryAfterMs !== 'number' || Number.isNaN(retryAfterMs)))
      return expected('a number or undefined as `retryAfterMs`', retryAfterMs)
    return isObject(full) && typeof full['bucket'] === 'string' ? undefined : expected('one of the windows as `full`', full)
  }
  const missing = holdFunctions.find(name => typeof value[name] !== 'function')
  return missing && expected(`a hold whose \`${missing}\` is a function, or { full, retryAfterMs }`, value[missing])
}

function admittedProblem(value: unknown): string | undefined {
  if (value === 'no-place') return undefined
  if (!isObject(value)) return expected("what was admitted, { full, retryAfterMs } or 'no-place'", value)
  if ('retryAfterMs' in value) return reservedProblem(value)
  const { leave, states, tokens } = value
  if (typeof leave !== 'function') return expected('a function as `leave`', leave)
  const problem = states === undefined ? undefined : statesProblem(states)
  if (problem !== undefined || tokens === undefined) return problem
  const isHold = isObject(tokens) && typeof tokens['fit'] === 'function' && typeof tokens['release'] === 'function'
  return isHold ? undefined : expected('{ fit, release } or undefined as `tokens`', tokens)
}

function statesProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) return expected('an array of { left, refillsAt } as `states`', value)
  for (const state of value as readonly unknown[]) {
    if (!isObject(state)) return expected('an array of { left, refillsAt } as `states`', state, 'one that holds ')
    const { left, refillsAt } = state
    if (typeof left !== 'number' || !(left >= 0)) return expected('a number from 0 as `left`', left)
    if (refillsAt !== undefined && !Number.isFinite(refillsAt)) return expected('a number or undefined as `refillsAt`', refillsAt)
  }
  return undefined
}

function enteredProblem(value: unknown): string | undefined {
  return value === undefined || typeof value === 'function' ? undefined : expected('a function or undefined', value)
}

function countProblem(value: unknown): string | undefined {
  if (!isObject(value)) return expected('{ tokens, complete } or undefined', value)
  const { tokens, complete } = value
  if (typeof tokens !== 'number' || !(tokens >= 0 && tokens < Infinity)) return expected('a number from 0 as `tokens`', tokens)
  return typeof complete === 'boolean' ? undefined : expected('true or false as `complete`', complete)
}

function expected(what: string, value: unknown, prefix = ''): string {
  return `expected ${what}, got ${prefix}${kindOf(value)}`
}

/** Fails closed: without the limiter, nobody knows whether there is room under the limit. */
function limitsUnavailable(cause: PluginError): never {
  if (cause.cause instanceof GatewayError) throw cause.cause
  const message = wording`The limits of this request cannot be looked up right now. Try again.`
  throw new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause, retryAfterMs: 1_000, transient: true })
}

/** No caller depends on the count: it estimates, or lets the provider decide. */
function uncounted(log: Logger): (error: PluginError) => undefined {
  const failed = new RepeatedError(log, 'could not count tokens, so they are estimated')
  return error => {
    failed.report({ plugin: error.plugin, ...describePluginError(error, true) })
    return undefined
  }
}
