import type { RerankReply, RerankRequest, RerankResult } from '../contracts/rerank.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import { invalidRequest } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { isObject } from '../foundation/json.ts'
import type { KindOfRetrieval } from './kind.ts'
import { joinedUsage } from './usage.ts'

/** Vendors count a search for each hundred documents. */
const documentsPerSearch = 100

export const rerankings: KindOfRetrieval<RerankRequest, RerankReply> = {
  kind: 'rerank',
  verb: 'reranks',
  texts: ({ query, documents }) => [query, ...documents],
  withTexts: (request, [query, ...documents]) => ({ ...request, query: query!, documents }),
  need({ query, documents }) {
    // The model reads the query with each document.
    const queries = Math.ceil(Buffer.byteLength(query) / 4) * (documents.length - 1)
    const units = Math.ceil(documents.length / documentsPerSearch)
    return {
      texts: [query, ...documents],
      otherInputTokens: queries,
      outputTokens: 0,
      leastOutputTokens: 0,
      searches: 0,
      searchUnits: units,
    }
  },
  isServedBy: ({ reranking }) => reranking !== undefined,
  takesTokens: () => false,
  excess({ documents: { length } }, { reranking }, endpoint) {
    const most = reranking!.maxDocuments?.(endpoint) ?? Infinity
    if (length <= most) return undefined
    return invalidRequest(
      wording`The model takes at most ${own(most)} documents, and this request has ${own(length)}. Send fewer.`,
      'documents',
    )
  },
  // Scores of two requests need not compare, so none is split.
  parts: request => [request],
  ask: ({ reranking }, call) => reranking!.rerank(call),
  checked(reply, { documents, top = documents.length }, provider) {
    const broken = (what: string): ProviderFailure =>
      new ProviderFailure({ kind: 'protocol', message: wording`The provider "${own(provider)}" ${own(what)}.` })
    if (!isObject(reply) || !Array.isArray(reply['results'])) throw broken('sent a reply without results')
    const { results, usage } = reply as unknown as RerankReply
    const seen = new Set<number>()
    for (const result of results) {
      if (!isResult(result, documents.length) || seen.has(result.index)) throw broken('sent a result that names no document, or one twice')
      seen.add(result.index)
    }
    const wanted = Math.min(top, documents.length)
    if (results.length < wanted) throw broken(`ranked ${results.length} documents of ${wanted}`)
    const sorted = results.map(({ index, score }) => ({ index, score })).sort((a, b) => b.score - a.score)
    return { results: sorted.slice(0, wanted), usage }
  },
  joined: replies => ({ results: replies.flatMap(({ results }) => results), usage: joinedUsage(replies) }),
  recorded({ model, query, documents, top }, { results }) {
    return { request: { model, query, documents, ...(top !== undefined && { top_n: top }) }, response: { results } }
  },
}

function isResult(result: RerankResult, documents: number): boolean {
  if (!isObject(result)) return false
  const { index, score } = result
  return Number.isInteger(index) && index >= 0 && index < documents && Number.isFinite(score)
}
