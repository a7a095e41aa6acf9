import { isObject, ProviderFailure, type JsonObject } from '../../../core/index.ts'
import type { EmbeddingDialect, EmbeddingPurpose, EmbeddingReply, EmbeddingRequest, RetrievalUsage, Vector } from '../../../core/kit.ts'

/** "Embed API (v2)": texts in one request. */
export const maxInputs = 96

/** The models need one. Without a word from the caller, texts are documents. */
export function inputTypeOf({ purpose }: Pick<EmbeddingRequest, 'purpose'>): string {
  return (purpose && inputTypes[purpose]) || 'search_document'
}

const inputTypes: Readonly<Partial<Record<EmbeddingPurpose, string>>> = {
  query: 'search_query',
  question: 'search_query',
  code: 'search_query',
  classification: 'classification',
  clustering: 'clustering',
}

/** "Embed API (v2)". A text that is too long is an error, as it is at other vendors, and never cut. */
export function cohereEmbeddings(url: string): EmbeddingDialect {
  return {
    formats: ['float', 'base64'],
    limits: () => ({ inputs: maxInputs }),
    prepare: ({ request, endpoint }) => ({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        model: endpoint.upstreamModel,
        texts: request.input,
        input_type: inputTypeOf(request),
        embedding_types: [request.format],
        truncate: 'NONE',
        ...(request.dimensions !== undefined && { output_dimension: request.dimensions }),
      }),
    }),
    reply: (body, { request }) => embeddingsIn(body, request.format),
  }
}

/** `embeddings` are lists by type or, without types in the request, one list. */
export function embeddingsIn(body: unknown, format: 'float' | 'base64'): EmbeddingReply {
  const { embeddings, meta } = isObject(body) ? body : ({} as JsonObject)
  const vectors = isObject(embeddings) ? embeddings[format] : embeddings
  if (!Array.isArray(vectors)) throw new ProviderFailure({ kind: 'protocol', message: 'The provider sent a reply without embeddings.' })
  return { vectors: vectors as Vector[], usage: usageIn(meta) }
}

function usageIn(meta: unknown): RetrievalUsage | undefined {
  const billed = isObject(meta) ? meta['billed_units'] : undefined
  const inputTokens = isObject(billed) ? billed['input_tokens'] : undefined
  return typeof inputTokens === 'number' ? { inputTokens } : undefined
}
