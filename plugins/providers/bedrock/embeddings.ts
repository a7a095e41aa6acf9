import { isObject, ProviderFailure, type JsonObject } from '../../../core/index.ts'
import type { EmbeddingCall, EmbeddingDialect, EmbeddingReply, UpstreamHeaders, Vector } from '../../../core/kit.ts'
import { embeddingsIn, inputTypeOf, maxInputs } from '../cohere/embeddings.ts'

/** InvokeModel with the bodies of "Amazon Titan Embeddings" and "Cohere Embed". */
export function bedrockEmbeddings(baseUrl: string): EmbeddingDialect {
  return {
    limits: ({ upstreamModel }) => ({ inputs: isCohere(upstreamModel) ? maxInputs : 1 }),
    prepare: call => ({
      method: 'POST',
      url: `${baseUrl}/model/${encodeURIComponent(call.endpoint.upstreamModel)}/invoke`,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(bodyOf(call)),
    }),
    reply(body, { endpoint }, headers) {
      const { vectors, usage } = isCohere(endpoint.upstreamModel) ? embeddingsIn(body, 'float') : titanReply(body)
      return { vectors, usage: usage ?? usageIn(headers) }
    },
  }
}

/** With or without the prefix of an inference profile, such as `eu.`. */
function isCohere(model: string): boolean {
  return /(^|[./])cohere\./.test(model)
}

function bodyOf({ request, endpoint: { upstreamModel } }: EmbeddingCall): JsonObject {
  const { input, dimensions } = request
  if (isCohere(upstreamModel))
    return {
      texts: input,
      input_type: inputTypeOf(request),
      embedding_types: ['float'],
      truncate: 'NONE',
      ...(dimensions !== undefined && { output_dimension: dimensions }),
    }
  if (/titan-embed/.test(upstreamModel)) return { inputText: input[0], ...(dimensions !== undefined && { dimensions }) }
  throw new ProviderFailure({
    kind: 'invalid-request',
    message: `The gateway makes embeddings on Bedrock with the models of Amazon Titan and Cohere, and "${upstreamModel}" is neither.`,
  })
}

function titanReply(body: unknown): EmbeddingReply {
  const { embedding, inputTextTokenCount: inputTokens } = isObject(body) ? body : ({} as JsonObject)
  return { vectors: [embedding as Vector], usage: typeof inputTokens === 'number' ? { inputTokens } : undefined }
}

function usageIn(headers: UpstreamHeaders): EmbeddingReply['usage'] {
  const inputTokens = Number(headers['x-amzn-bedrock-input-token-count'] ?? Number.NaN)
  return Number.isInteger(inputTokens) ? { inputTokens } : undefined
}
