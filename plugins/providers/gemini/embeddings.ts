import { isObject, ProviderFailure, type JsonObject } from '../../../core/index.ts'
import type { EmbeddingCall, EmbeddingDialect, EmbeddingPurpose, Vector } from '../../../core/kit.ts'
import { modelPath } from './model-path.ts'

/** https://ai.google.dev/api/embeddings: TaskType */
export const taskTypes: Readonly<Record<EmbeddingPurpose, string>> = {
  query: 'RETRIEVAL_QUERY',
  document: 'RETRIEVAL_DOCUMENT',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
  similarity: 'SEMANTIC_SIMILARITY',
  question: 'QUESTION_ANSWERING',
  fact: 'FACT_VERIFICATION',
  code: 'CODE_RETRIEVAL_QUERY',
}

/** The vendor's limit for one batch. */
const maxInputs = 100

/** `batchEmbedContents`. The vendor takes text only, and sends numbers only. */
export function geminiEmbeddings(modelUrl: (call: Pick<EmbeddingCall, 'endpoint'>) => string): EmbeddingDialect {
  return {
    limits: () => ({ inputs: maxInputs }),
    prepare: call => ({
      method: 'POST',
      url: `${modelUrl(call)}:batchEmbedContents`,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ requests: requestsOf(call) }),
    }),
    reply(body) {
      const list = isObject(body) ? body['embeddings'] : undefined
      if (!Array.isArray(list)) throw new ProviderFailure({ kind: 'protocol', message: 'The provider sent a reply without embeddings.' })
      const vectors = list.map(each => (isObject(each) ? each['values'] : undefined) as Vector)
      const { usageMetadata } = body as JsonObject
      const inputTokens = isObject(usageMetadata) ? usageMetadata['promptTokenCount'] : undefined
      return { vectors, usage: typeof inputTokens === 'number' ? { inputTokens } : undefined }
    },
  }
}

function requestsOf({ request, endpoint }: EmbeddingCall): readonly JsonObject[] {
  const { input, dimensions, purpose } = request
  const model = decodeURIComponent(modelPath(endpoint.upstreamModel))
  return input.map(text => ({
    model,
    content: { parts: [{ text }] },
    ...(purpose && { taskType: taskTypes[purpose] }),
    ...(dimensions !== undefined && { outputDimensionality: dimensions }),
  }))
}
