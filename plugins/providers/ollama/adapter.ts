import type { Capabilities } from '../../../core/index.ts'
import type { ProviderAdapter } from '../../../core/kit.ts'
import { decoder, replyEvents } from './decoder.ts'
import { ollamaEmbeddings } from './embeddings.ts'
import { failureFrom } from './failure.ts'
import { dialect, requestBody, type RequestOptions } from './request.ts'

export interface OllamaAdapterOptions extends RequestOptions {
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

/** Ollama's own chat dialect. */
export function ollamaAdapter(options: OllamaAdapterOptions): ProviderAdapter {
  const { url, authorize } = options
  return {
    capabilities,
    dialect,
    framing: 'json-lines',
    media: { images: 'inline', files: 'inline' },
    prepare(call) {
      const body = requestBody(call, options)
      return {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', accept: body.stream ? 'application/x-ndjson' : 'application/json' },
        body: JSON.stringify(body),
      }
    },
    ...(authorize && { authorize }),
    decoder,
    reply: replyEvents,
    failure: failureFrom,
    embeddings: ollamaEmbeddings({ ...options, url: url.replace(/chat$/, 'embed') }),
  }
}
