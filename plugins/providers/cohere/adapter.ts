import type { Capabilities } from '../../../core/index.ts'
import type { ProviderAdapter } from '../../../core/kit.ts'
import { commonReranking } from '../../../dialects/index.ts'
import { cohereEmbeddings } from './embeddings.ts'
import { enforcesFormat } from './answer-format.ts'
import { decoder } from './decoder.ts'
import { failureFrom } from './failure.ts'
import { replyEvents } from './reply.ts'
import { dialect, requestBody } from './request.ts'

export interface CohereAdapterOptions {
  /** The URL for every call. */
  readonly url: string
  readonly authorize?: ProviderAdapter['authorize']
}

const capabilities: Capabilities = {
  customTools: false,
  namespaceTools: false,
  allowedTools: false,
  webSearch: false,
  verbosity: false,
  contextManagement: false,
}

/** The dialect of Chat, version 2. */
export function cohereAdapter({ url, authorize }: CohereAdapterOptions): ProviderAdapter {
  return {
    capabilities,
    enforcesFormat,
    dialect,
    framing: 'sse',
    media: { images: 'url', files: 'inline' },
    prepare(call) {
      const body = requestBody(call)
      return {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', accept: body.stream ? 'text/event-stream' : 'application/json' },
        body: JSON.stringify(body),
      }
    },
    ...(authorize && { authorize }),
    decoder,
    reply: replyEvents,
    failure: failureFrom,
    embeddings: cohereEmbeddings(url.replace(/chat$/, 'embed')),
    reranking: commonReranking(() => url.replace(/chat$/, 'rerank'), { maxTokensPerDocument: 'max_tokens_per_doc' }),
  }
}
