import type { Exchange, Reply } from '../../../core/index.ts'
import { gatewayHeaders, type GatewayServices } from '../../../core/kit.ts'
import { parseRerank } from './parse.ts'

/** The reply has the members of Cohere's and of Jina's. */
export async function createRanking(exchange: Exchange, gateway: GatewayServices): Promise<Reply> {
  const { request, returnsDocuments } = parseRerank(await exchange.json())
  const { results, model, provider, inputTokens, searchUnits, costUsd, attempts } = await gateway.rerank(
    exchange,
    request,
    exchange.bodyBytes,
  )
  const body = {
    id: exchange.id,
    object: 'list',
    model,
    results: results.map(({ index, score }) => ({
      index,
      relevance_score: score,
      // The caller's own, whatever a guardrail made of it.
      ...(returnsDocuments && { document: { text: request.documents[index] } }),
    })),
    usage: { prompt_tokens: inputTokens, total_tokens: inputTokens, cost_usd: costUsd },
    meta: {
      api_version: { version: '2' },
      billed_units: searchUnits === undefined ? { input_tokens: inputTokens } : { search_units: searchUnits },
    },
  }
  return {
    status: 200,
    // Without an attempt, a plugin has answered.
    headers: { 'content-type': 'application/json', ...gatewayHeaders({ provider: attempts > 0 ? provider : undefined, attempts }) },
    body: JSON.stringify(body),
  }
}
