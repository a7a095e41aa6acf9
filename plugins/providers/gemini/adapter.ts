import type { Capabilities, ProviderCall } from '../../../core/index.ts'
import type { ProviderAdapter } from '../../../core/kit.ts'
import { geminiEmbeddings } from './embeddings.ts'
import { enforcesFormat } from './answer-format.ts'
import { decoder } from './decoder.ts'
import { failureFrom } from './failure.ts'
import { geminiFramer } from './framer.ts'
import { traitsOf } from './models.ts'
import { replyEvents } from './reply.ts'
import { dialect } from './own-dialect.ts'
import { requestBody, type RequestOptions } from './request.ts'

export interface GeminiAdapterOptions extends RequestOptions {
  /** The address of a call's model, without the method. */
  readonly modelUrl: (call: Pick<ProviderCall, 'endpoint'>) => string
  readonly authorize?: ProviderAdapter['authorize']
}

const capabilities: Capabilities = {
  customTools: false,
  namespaceTools: false,
  allowedTools: true,
  verbosity: false,
  contextManagement: false,
}

/** The generateContent dialect, for the vendor's API and for Vertex AI. */
export function geminiAdapter(options: GeminiAdapterOptions): ProviderAdapter {
  const { modelUrl, authorize } = options
  return {
    capabilities,
    // Models from version 3 on can combine it with functions only if the conversation returns every call of the search.
    capabilitiesOf: endpoint => (traitsOf(endpoint).search ? { webSearch: true, searchAlone: true } : { webSearch: false }),
    enforcesFormat,
    // The vendor can fetch URLs, but needs the media type, which few image URLs reveal.
    media: { images: 'inline', files: 'url' },
    dialect,
    framing: geminiFramer,
    prepare(call) {
      const { stream } = call.request
      return {
        method: 'POST',
        url: `${modelUrl(call)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
        headers: { 'content-type': 'application/json', accept: stream ? 'text/event-stream' : 'application/json' },
        body: JSON.stringify(requestBody(call, options)),
      }
    },
    ...(authorize && { authorize }),
    decoder,
    reply: replyEvents,
    failure: failureFrom,
    ...(options.ownApi && { embeddings: geminiEmbeddings(options.modelUrl) }),
  }
}
