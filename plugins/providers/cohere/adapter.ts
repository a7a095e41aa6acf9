import type { Capabilities, ProviderAdapter } from '../../../core/index.ts'
import { enforces } from './answer-format.ts'
import { decoder } from './decoder.ts'
import { failure } from './failure.ts'
import { reply } from './reply.ts'
import { chatBody } from './request.ts'

export interface CohereAdapterOptions {
  /** Where every call is sent. */
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

/** The Chat dialect of version 2. */
export function cohereAdapter({ url, authorize }: CohereAdapterOptions): ProviderAdapter {
  return {
    capabilities,
    enforces,
    framing: 'sse',
    media: { images: 'url', files: 'inline' },
    prepare(call) {
      const body = chatBody(call)
      return {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', accept: body.stream ? 'text/event-stream' : 'application/json' },
        body: JSON.stringify(body),
      }
    },
    ...(authorize && { authorize }),
    decoder,
    reply,
    failure,
  }
}
