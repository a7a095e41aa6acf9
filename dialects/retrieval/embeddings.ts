import { isObject, ProviderFailure } from '../../core/index.ts'
import type { EmbeddingCall, EmbeddingDialect, EmbeddingReply, RetrievalUsage, UpstreamRequest, Vector } from '../../core/kit.ts'

/** How a host's embeddings differ from OpenAI's. */
export interface EmbeddingForm {
  /** Sends numbers only. */
  readonly floatOnly?: true
  /** The path behind `baseUrl`. Default: `/embeddings`. */
  readonly path?: string
  /** Accepts lists of tokens. */
  readonly tokens?: true
  /** The most inputs of one request. Default: 2048. */
  readonly maxInputs?: number
  /** The most tokens of one request. */
  readonly maxTokens?: number
  /** The member for the length of the vectors. Default: `dimensions`. */
  readonly dimensions?: string
  /** The member `input_type`, and its values for queries and documents. Without it, the caller's own value is passed on. */
  readonly inputTypes?: Readonly<{ query: string; document: string }>
  /** The member for that. Default: `input_type`. */
  readonly typeMember?: string
  /** The member for the format. Default: `encoding_format`. */
  readonly formatMember?: string
}

const defaultMaxInputs = 2_048

/** `POST /embeddings`: https://platform.openai.com/docs/api-reference/embeddings */
export function openaiEmbeddings(url: (call: EmbeddingCall) => string, form: EmbeddingForm = {}): EmbeddingDialect {
  return {
    ...(form.tokens && { takesTokens: true }),
    formats: form.floatOnly ? ['float'] : ['float', 'base64'],
    limits: () => ({ inputs: form.maxInputs ?? defaultMaxInputs, tokens: form.maxTokens }),
    prepare: (call): UpstreamRequest => ({
      method: 'POST',
      url: url(call),
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(bodyOf(call, form)),
    }),
    reply: embeddingsIn,
  }
}

function bodyOf({ request, endpoint }: EmbeddingCall, form: EmbeddingForm): object {
  const { input, dimensions, format, user, purpose, extra = {} } = request
  const { input_type: given, ...others } = extra
  const { inputTypes, typeMember = 'input_type' } = form
  const own = inputTypes && (purpose === 'query' || purpose === 'document') ? inputTypes[purpose] : given
  return {
    ...others,
    ...(own !== undefined && { [typeMember]: own }),
    model: endpoint.upstreamModel,
    input,
    ...(dimensions !== undefined && { [form.dimensions ?? 'dimensions']: dimensions }),
    ...(format === 'base64' && { [form.formatMember ?? 'encoding_format']: format }),
    ...(user !== undefined && { user }),
  }
}

/** Reads the reply of this dialect. Its vectors may be in any order. */
export function embeddingsIn(body: unknown): EmbeddingReply {
  const data: unknown = isObject(body) ? body['data'] : undefined
  if (!Array.isArray(data)) throw new ProviderFailure({ kind: 'protocol', message: 'The provider sent a reply without embeddings.' })
  const vectors: Vector[] = []
  data.forEach((each: unknown, position) => {
    if (!isObject(each)) return
    const { index = position, embedding } = each
    vectors[index as number] = embedding as Vector
  })
  return { vectors, usage: usageIn(body) }
}

export function usageIn(body: unknown): RetrievalUsage | undefined {
  const usage = isObject(body) ? body['usage'] : undefined
  const inputTokens = isObject(usage) ? (usage['prompt_tokens'] ?? usage['total_tokens']) : undefined
  return typeof inputTokens === 'number' ? { inputTokens } : undefined
}
