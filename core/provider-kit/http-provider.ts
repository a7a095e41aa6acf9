import type { HttpClient } from '../contracts/http-client.ts'
import type { EmbeddingDialect, ProviderAdapter, RerankDialect } from '../contracts/adapter.ts'
import type { Embedder } from '../contracts/embedding.ts'
import type { Credential, Provider, SendingRules } from '../contracts/provider.ts'
import type { Reranker } from '../contracts/rerank.ts'
import { method, optional, shapeProblem, text, type Shape } from '../framework/shape.ts'
import { httpCall } from './http-call.ts'
import { HttpFeed, type HttpService } from './http-feed.ts'
import { checkClient } from './check-client.ts'
import { sendingRules } from './sending-options.ts'

/** How `httpProvider` sends requests. */
export interface HttpProviderOptions extends SendingRules {
  /** Such as `ApiKeys.credentials`. The adapter's `authorize` gets the id of one. */
  readonly credentials?: readonly Credential[] | undefined
  /** Sent with every request. They override the adapter's headers of the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

const framings: readonly unknown[] = ['sse', 'json-lines']
const adapterShape: Shape = {
  framing: {
    expected: '"sse", "json-lines" or a function',
    accepts: value => framings.includes(value) || typeof value === 'function',
  },
  prepare: method,
  decoder: method,
  reply: method,
  failure: method,
  authorize: optional(method),
  dialect: optional(text),
  dialectOf: optional(method),
  capabilitiesOf: optional(method),
  enforcesFormat: optional(method),
}

/** Turns an adapter into a provider: core does the I/O, the adapter translates. Throws a `TypeError` for anything but an adapter. */
export function httpProvider(id: string, adapter: ProviderAdapter, http: HttpClient, options: HttpProviderOptions = {}): Provider {
  const problem = shapeProblem(adapter, adapterShape)
  if (problem !== undefined) throw new TypeError(`httpProvider got an adapter${problem}`)
  checkClient('httpProvider', http)
  const { credentials, timeouts } = options
  const service: HttpService = { adapter, http, headers: lowerCased(options.headers), connectTimeoutMs: timeouts?.connectMs }
  return {
    id,
    ...sendingRules(options),
    ...(credentials && { credentials }),
    ...(adapter.dialect !== undefined && { dialect: adapter.dialect }),
    ...(adapter.dialectOf && { dialectOf: adapter.dialectOf.bind(adapter) }),
    ...(adapter.capabilities && { capabilities: adapter.capabilities }),
    ...(adapter.capabilitiesOf && { capabilitiesOf: adapter.capabilitiesOf.bind(adapter) }),
    ...(adapter.enforcesFormat && { enforcesFormat: adapter.enforcesFormat.bind(adapter) }),
    generate: call => new HttpFeed(service, call),
    ...(adapter.embeddings && { embeddings: embedderOf(adapter.embeddings, service) }),
    ...(adapter.reranking && { reranking: rerankerOf(adapter.reranking, service) }),
  }
}

function embedderOf(dialect: EmbeddingDialect, service: HttpService): Embedder {
  const { takesTokens, formats } = dialect
  return {
    ...(takesTokens && { takesTokens }),
    ...(formats && { formats }),
    ...(dialect.limits && { limits: dialect.limits.bind(dialect) }),
    embed: async call => await httpCall(service, call, dialect.prepare(call), (body, headers) => dialect.reply(body, call, headers)),
  }
}

function rerankerOf(dialect: RerankDialect, service: HttpService): Reranker {
  return {
    ...(dialect.maxDocuments && { maxDocuments: dialect.maxDocuments.bind(dialect) }),
    rerank: async call => await httpCall(service, call, dialect.prepare(call), (body, headers) => dialect.reply(body, call, headers)),
  }
}

function lowerCased(headers: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> | undefined {
  return headers && Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
