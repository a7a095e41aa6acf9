import type { Exchange, Reply } from '../../../core/index.ts'
import { gatewayHeaders, type GatewayServices } from '../../../core/kit.ts'
import { parseCount } from './parse.ts'
import { circumstancesOf, type Passing } from './passing.ts'

const guess = { param: 'input_tokens', message: 'estimated: the exact count is unknown' }

/** `POST /v1/messages/count_tokens`: takes the body of a message, and only counts its tokens. */
export async function countTokens(exchange: Exchange, gateway: GatewayServices, passing: Passing): Promise<Reply> {
  const body = await exchange.json()
  const { request, warnings, recorded } = parseCount(body, circumstancesOf(exchange, gateway, passing))
  const { tokens, estimated } = await gateway.countInput(exchange, request, { recorded })
  const headers = gatewayHeaders({ warnings: estimated ? [guess, ...warnings] : warnings })
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'request-id': exchange.id, ...headers },
    body: JSON.stringify({ input_tokens: tokens }),
  }
}
