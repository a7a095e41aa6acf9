import type { UpstreamRequest } from '../contracts/adapter.ts'
import type { HttpClient } from '../contracts/http-client.ts'
import { ProviderFailure, type FailureKind } from '../contracts/provider.ts'
import type { FoundPage, SearchEngine, SearchQuery } from '../contracts/search-engine.ts'
import type { Sight } from '../contracts/sight.ts'
import { isObject, parseJson, type JsonObject } from '../foundation/json.ts'
import { method, milliseconds, optional, shapeProblem, text, type Shape } from '../framework/shape.ts'
import { wholeReply } from '../upstream/whole-reply.ts'
import { checkClient } from './check-client.ts'
import { failureKindOfStatus } from './failure-kind.ts'
import { checkKeyText } from './key-text.ts'
import { retryAfterMs } from './retry-after.ts'
import { own, wording } from '../foundation/wording.ts'

/** A search service's dialect, without I/O. `httpEngine(adapter, gateway.http, options)` turns it into an engine. */
export interface EngineAdapter {
  /** As in records and messages. */
  readonly name: string
  /** Builds the vendor's request, without credentials. Pure. */
  prepare(query: SearchQuery): UpstreamRequest
  /** The pages in a reply. Undefined if the reply does not have the vendor's form. */
  pages(reply: JsonObject): readonly FoundPage[] | undefined
  /** The pages in an error, from vendors that answer with one if they find nothing. */
  pagesInError?(status: number, reply: JsonObject): readonly FoundPage[] | undefined
  /** The meaning of an error whose status does not tell. */
  failureKind?(status: number, reply: JsonObject): FailureKind | undefined
  /** Advice for the operator, by status. */
  readonly advice?: Readonly<Record<number, string>>
}

export interface HttpEngineOptions {
  readonly apiKey?: string | undefined
  /** The header of the key, which is a bearer token in `authorization`. Default: `authorization`. */
  readonly keyHeader?: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly timeoutMs: number
  readonly zdr?: Exclude<Sight, 'local'>['zdr'] | undefined
  readonly hipaa?: Exclude<Sight, 'local'>['hipaa'] | undefined
}

const maxReplyBytes = 8 * 1024 * 1024

const adapterShape: Shape = {
  name: text,
  prepare: method,
  pages: method,
  pagesInError: optional(method),
  failureKind: optional(method),
}
const optionsShape: Shape = { timeoutMs: milliseconds }

/** Turns an adapter into a search engine: core does the I/O, the adapter translates. Throws a `TypeError` for anything but an adapter. */
export function httpEngine(adapter: EngineAdapter, http: HttpClient, options: HttpEngineOptions): SearchEngine {
  const problem = shapeProblem(adapter, adapterShape)
  if (problem !== undefined) throw new TypeError(`httpEngine got an adapter${problem}`)
  checkClient('httpEngine', http)
  const mistake = shapeProblem(options, optionsShape)
  if (mistake !== undefined) throw new TypeError(`httpEngine got options${mistake}`)
  if (options.apiKey !== undefined) checkKeyText(options.apiKey)
  const { name } = adapter
  const { timeoutMs, zdr, hipaa } = options
  const headers = headersOf(options)
  return {
    name,
    seesContent: { zdr: zdr ?? false, hipaa: hipaa ?? false },
    async search(query, { signal: caller }) {
      const late = AbortSignal.timeout(timeoutMs)
      const signal = AbortSignal.any([caller, late])
      try {
        const prepared = adapter.prepare(query)
        const request = { ...prepared, headers: { ...prepared.headers, ...headers } }
        const reply = await wholeReply(http, request, { signal, maxBytes: maxReplyBytes })
        const found = parseJson(reply.text)
        const body = isObject(found) ? found : {}
        const pages = reply.status < 300 ? adapter.pages(body) : adapter.pagesInError?.(reply.status, body)
        if (pages) return { results: pages }
        throw refusal(adapter, reply.status, body, retryAfterMs(reply.headers))
      } catch (error) {
        if (caller.aborted || !late.aborted) throw error
        throw new ProviderFailure({
          kind: 'timeout',
          message: wording`The search engine "${own(name)}" did not answer within ${own(timeoutMs)} ms.`,
        })
      }
    },
  }
}

/** Lower-case names, so that those of the options replace the adapter's. */
function headersOf({ apiKey, keyHeader = 'authorization', headers = {} }: HttpEngineOptions): Readonly<Record<string, string>> {
  const key = apiKey === undefined ? {} : { [keyHeader]: keyHeader === 'authorization' ? `Bearer ${apiKey}` : apiKey }
  return { ...key, ...Object.fromEntries(Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value])) }
}

/** Leaves out the engine's own words, which may repeat the query or the key. */
function refusal(adapter: EngineAdapter, status: number, body: JsonObject, waitMs: number | undefined): ProviderFailure {
  const kind = status < 400 ? 'protocol' : (adapter.failureKind?.(status, body) ?? failureKindOfStatus(status))
  const message = wording`The search engine "${own(adapter.name)}" ${own(complaint(kind, status))}${own(adapter.advice?.[status] ?? '')}`
  return new ProviderFailure({ kind, message, status, retryAfterMs: waitMs })
}

function complaint(kind: FailureKind, status: number): string {
  if (status < 300) return 'sent a reply that is not a list of results. The operator should check the option baseUrl.'
  if (status < 400)
    return `answered with a redirect (status ${status}), which is not followed. The operator should check the option baseUrl.`
  switch (kind) {
    case 'auth':
      return `refused its API key (status ${status}). The operator should check the option apiKey.`
    case 'quota':
      return `has no credit left for its API key (status ${status}).`
    case 'rate-limit':
      return `has reached its rate limit (status ${status}).`
    case 'not-found':
      return `is not at this address (status ${status}). The operator should check the option baseUrl.`
    default:
      return `answered with status ${status}.`
  }
}
