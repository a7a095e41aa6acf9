import type { PluginUse } from '../../core/index.ts'
import chat from '../../plugins/endpoints/chat/index.ts'
import decisions from '../../plugins/endpoints/decisions/index.ts'
import embeddings from '../../plugins/endpoints/embeddings/index.ts'
import gemini from '../../plugins/endpoints/gemini/index.ts'
import messages from '../../plugins/endpoints/messages/index.ts'
import rerank from '../../plugins/endpoints/rerank/index.ts'
import responses from '../../plugins/endpoints/responses/index.ts'

/** A public API of the gateway that asks models. */
export interface Surface {
  /** As records name it. Also the folder of its plugin. */
  readonly name: string
  /** As the OpenAPI document has it. */
  readonly path: string
  /** Where the path has the model. */
  readonly pathOf?: (model: string) => string
  /** A body without content that matters. */
  readonly body: (model: string) => object
  /** The kind of models that it asks. */
  readonly kind: 'generation' | 'decision' | 'embedding' | 'rerank'
  /** The status of a request that every endpoint failed. */
  readonly failed: number
  /** The same, where the vendor was overloaded. */
  readonly overloaded?: number
  /** The message in the body of an error. */
  readonly messageOf: (body: any) => unknown
  /** What is loaded at its first request, in the folder of its plugin. */
  readonly loads: string
  readonly use: (options: { readonly upstreamFailureStatus?: number }) => PluginUse
}

const messageOf = (body: any): unknown => body.error.message
const question = { type: 'predicate', name: 'q', instructions: 'Is it?' }
const user = { role: 'user', content: 'Hi' }

/** Every surface: a new one gets a row here. The tests of what all surfaces have in common read this list. */
export const surfaces: readonly Surface[] = [
  {
    name: 'responses',
    path: '/v1/responses',
    body: model => ({ model, input: 'Hi' }),
    kind: 'generation',
    failed: 424,
    messageOf,
    loads: 'surface.ts',
    use: responses,
  },
  {
    name: 'chat',
    path: '/v1/chat/completions',
    body: model => ({ model, messages: [user] }),
    kind: 'generation',
    failed: 503,
    messageOf,
    loads: 'surface.ts',
    use: chat,
  },
  {
    name: 'messages',
    path: '/v1/messages',
    body: model => ({ model, max_tokens: 50, messages: [user] }),
    kind: 'generation',
    failed: 503,
    overloaded: 529,
    messageOf,
    loads: 'surface.ts',
    use: messages,
  },
  {
    name: 'gemini',
    path: '/v1beta/models/{id}',
    pathOf: model => `/v1beta/models/${model}:generateContent`,
    body: () => ({ contents: [{ parts: [{ text: 'Hi' }] }] }),
    kind: 'generation',
    failed: 503,
    messageOf,
    loads: 'surface.ts',
    use: gemini,
  },
  {
    name: 'decisions',
    path: '/v1/decisions',
    body: model => ({ model, input: 'Hi', questions: [question] }),
    kind: 'decision',
    failed: 424,
    messageOf,
    loads: 'surface.ts',
    use: decisions,
  },
  {
    name: 'decisions',
    path: '/v1/systemone',
    body: model => ({ model, state: 'Hi', questions: { q: { type: 'noul', instructions: 'Is it?' } } }),
    kind: 'decision',
    failed: 424,
    messageOf: body => body.detail.message,
    loads: 'surface.ts',
    use: decisions,
  },
  {
    name: 'embeddings',
    path: '/v1/embeddings',
    body: model => ({ model, input: ['Hi'] }),
    kind: 'embedding',
    failed: 503,
    messageOf,
    loads: 'create.ts',
    use: embeddings,
  },
  {
    name: 'rerank',
    path: '/v1/rerank',
    body: model => ({ model, query: 'Hi', documents: ['a'] }),
    kind: 'rerank',
    failed: 503,
    messageOf,
    loads: 'create.ts',
    use: rerank,
  },
  {
    name: 'rerank',
    path: '/v2/rerank',
    body: model => ({ model, query: 'Hi', documents: ['a'] }),
    kind: 'rerank',
    failed: 503,
    messageOf,
    loads: 'create.ts',
    use: rerank,
  },
]

/** Where a request for the model goes. */
export function urlOf({ path, pathOf }: Surface, model: string): string {
  return pathOf?.(model) ?? path
}

/** A model of the sandbox that answers on the surface. */
export function sandboxModel({ kind }: Surface): string {
  return { generation: 'sandbox/echo', decision: 'sandbox/dm', embedding: 'sandbox/embed', rerank: 'sandbox/rerank' }[kind]
}
