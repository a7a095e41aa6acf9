import { isObject, ProviderFailure, type JsonObject } from '../../../core/index.ts'
import type { EmbeddingDialect, Vector } from '../../../core/kit.ts'

/** So that one request does not take minutes. */
const maxInputs = 256

export interface EmbeddingOptions {
  readonly url: string
  readonly keepAlive?: string | number | undefined
  readonly modelOptions?: JsonObject | undefined
}

/** "Generate Embeddings". A text that is too long is an error, as it is at other vendors, and never cut. */
export function ollamaEmbeddings({ url, keepAlive, modelOptions }: EmbeddingOptions): EmbeddingDialect {
  return {
    limits: () => ({ inputs: maxInputs }),
    prepare: ({ request, endpoint }) => ({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        model: endpoint.upstreamModel,
        input: request.input,
        truncate: false,
        ...(request.dimensions !== undefined && { dimensions: request.dimensions }),
        ...(keepAlive !== undefined && { keep_alive: keepAlive }),
        ...(modelOptions && { options: modelOptions }),
      }),
    }),
    reply(body) {
      const { embeddings, prompt_eval_count: inputTokens } = isObject(body) ? body : ({} as JsonObject)
      if (!Array.isArray(embeddings))
        throw new ProviderFailure({ kind: 'protocol', message: 'The provider sent a reply without embeddings.' })
      return { vectors: embeddings as Vector[], usage: typeof inputTokens === 'number' ? { inputTokens } : undefined }
    },
  }
}
