import { isObject, ProviderFailure, type JsonObject } from '../../core/index.ts'
import type { RerankCall, RerankDialect, RerankResult, RetrievalUsage } from '../../core/kit.ts'

/** How a host's reranking differs from Jina's. */
export interface RerankForm {
  /** The path behind `baseUrl`. Default: `/rerank`. */
  readonly path?: string
  /** The name of the limit on results. Default: `top_n`. */
  readonly top?: string
  /** The most documents of one request. Default: no limit that is known. */
  readonly maxDocuments?: number
  /** The member for the length to which documents are cut. Default: none. */
  readonly maxTokensPerDocument?: string
}

/** `POST /rerank`, in the form that Cohere, Jina and most servers share. */
export function commonReranking(url: (call: RerankCall) => string, form: RerankForm = {}): RerankDialect {
  const { maxDocuments, maxTokensPerDocument } = form
  return {
    ...(maxDocuments !== undefined && { maxDocuments: () => maxDocuments }),
    prepare: call => {
      const { query, documents, top, maxTokensPerDocument: maxTokens, extra } = call.request
      const body = {
        ...extra,
        model: call.endpoint.upstreamModel,
        query,
        documents,
        ...(top !== undefined && { [form.top ?? 'top_n']: top }),
        ...(maxTokens !== undefined && maxTokensPerDocument && { [maxTokensPerDocument]: maxTokens }),
        // The gateway has them.
        ...(maxTokensPerDocument === undefined && { return_documents: false }),
      }
      return {
        method: 'POST',
        url: url(call),
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(body),
      }
    },
    reply(body) {
      const members = isObject(body) ? body : {}
      const results = members['results'] ?? members['data']
      if (!Array.isArray(results)) throw new ProviderFailure({ kind: 'protocol', message: 'The provider sent a reply without results.' })
      return { results: results.map(resultOf), usage: usageOf(members) }
    },
  }
}

function resultOf(result: unknown): RerankResult {
  const { index, relevance_score: score } = isObject(result) ? result : {}
  return { index: index as number, score: score as number }
}

/** `usage` of Jina and Voyage, `meta` of Cohere and SiliconFlow. */
function usageOf({ usage, meta }: JsonObject): RetrievalUsage | undefined {
  const { billed_units: billed, tokens } = isObject(meta) ? meta : {}
  const units = number(billed, 'search_units')
  const inputTokens =
    number(usage, 'total_tokens') ?? number(usage, 'prompt_tokens') ?? number(billed, 'input_tokens') ?? number(tokens, 'input_tokens')
  if (units === undefined && inputTokens === undefined) return undefined
  return { ...(inputTokens !== undefined && { inputTokens }), ...(units !== undefined && { searchUnits: units }) }
}

function number(holder: unknown, name: string): number | undefined {
  const value = isObject(holder) ? holder[name] : undefined
  return typeof value === 'number' ? value : undefined
}
