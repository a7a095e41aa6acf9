import { ProviderFailure, type PluginUse, type Provider } from '../../core/index.ts'
import type { EmbeddingCall, EmbeddingReply, Embedder, RerankCall, Reranker, RerankReply } from '../../core/kit.ts'
import embeddings from '../../plugins/endpoints/embeddings/index.ts'
import rerank from '../../plugins/endpoints/rerank/index.ts'
import { vectorOf } from './embedding-vendors.ts'
import { gateway, scripted, type GatewayUnderTest } from './gateway.ts'

type Options = NonNullable<Parameters<typeof gateway>[0]>

/** Both surfaces, and these plugins. */
export async function retrieving(plugins: readonly PluginUse[], options: Options = {}): Promise<GatewayUnderTest> {
  return await gateway({ settings: { logLevel: 'silent' }, ...options, plugins: [embeddings({}), rerank({}), ...plugins] })
}

export interface EmbeddingWitness {
  readonly plugin: PluginUse
  /** Every call that reached the provider. */
  readonly calls: EmbeddingCall[]
}

/** A token for each character. */
export function embedded({ request }: EmbeddingCall): EmbeddingReply {
  const lengths = request.input.map(({ length }) => length)
  return {
    vectors: request.input.map(each => vectorOf(typeof each === 'string' ? each : each.join(' '), request.dimensions)),
    usage: { inputTokens: lengths.reduce((sum, length) => sum + length, 0) },
  }
}

/** A provider that makes embeddings and generates nothing. */
export function embeddingWitness(
  id: string,
  embed: (call: EmbeddingCall, count: number) => EmbeddingReply | Promise<EmbeddingReply> = embedded,
  { embeddings: more, ...rest }: Partial<Omit<Provider, 'embeddings'>> & { readonly embeddings?: Partial<Embedder> } = {},
): EmbeddingWitness {
  const calls: EmbeddingCall[] = []
  const plugin = scripted(id, generatesNot, {
    ...rest,
    embeddings: {
      ...more,
      async embed(call) {
        calls.push(call)
        return await embed(call, calls.length)
      },
    },
  })
  return { plugin, calls }
}

export interface RerankWitness {
  readonly plugin: PluginUse
  readonly calls: RerankCall[]
}

/** The longer, the more relevant. */
export function reranked({ request }: RerankCall): RerankReply {
  const results = request.documents.map(({ length }, index) => ({ index, score: length / 100 }))
  return { results, usage: { inputTokens: 7 } }
}

export function rerankWitness(
  id: string,
  rank: (call: RerankCall, count: number) => RerankReply | Promise<RerankReply> = reranked,
  more: Partial<Reranker> = {},
): RerankWitness {
  const calls: RerankCall[] = []
  const plugin = scripted(id, generatesNot, {
    reranking: {
      ...more,
      async rerank(call) {
        calls.push(call)
        return await rank(call, calls.length)
      },
    },
  })
  return { plugin, calls }
}

async function* generatesNot(): AsyncGenerator<never> {
  throw new ProviderFailure({ kind: 'invalid-request', message: 'This provider does not generate.' })
}

export interface RetrievalReplyText {
  readonly status: number
  readonly id: string
  readonly headers: Headers
  readonly body: any
}

/** `POST /v1/embeddings`. */
export async function embed(under: GatewayUnderTest, body: object): Promise<RetrievalReplyText> {
  return await post(under, '/v1/embeddings', { model: 'm', input: 'hi', ...body })
}

/** `POST /v1/rerank`. */
export async function rank(under: GatewayUnderTest, body: object): Promise<RetrievalReplyText> {
  return await post(under, '/v1/rerank', { model: 'm', query: 'q', documents: ['a', 'bb'], ...body })
}

async function post(under: GatewayUnderTest, path: string, body: object): Promise<RetrievalReplyText> {
  const reply = await under.request(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
  const text = await reply.text()
  return { status: reply.status, id: reply.headers.get('x-request-id')!, headers: reply.headers, body: JSON.parse(text) }
}
