import { isObject, type Exchange, type JsonObject, type Reply } from '../../../core/index.ts'
import { gatewayHeaders, type GatewayServices } from '../../../core/kit.ts'
import { parseContent } from './parse.ts'
import { circumstancesOf, type Passing } from './passing.ts'

const guess = { param: 'totalTokens', message: 'estimated: the exact count is unknown' }

/** Takes the body of a request, or one in `generateContentRequest`, and only counts its tokens. */
export async function countTokens(
  exchange: Exchange,
  gateway: GatewayServices,
  passing: Passing,
  body: JsonObject,
  model: string,
): Promise<Reply> {
  const inner = body['generateContentRequest'] ?? body['generate_content_request']
  const { request, warnings, recorded } = parseContent(
    isObject(inner) ? inner : body,
    circumstancesOf(exchange, gateway, passing, model, false),
  )
  const { tokens, estimated } = await gateway.countInput(exchange, request, { recorded })
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...gatewayHeaders({ warnings: estimated ? [guess, ...warnings] : warnings }) },
    body: JSON.stringify({ totalTokens: tokens }),
  }
}
