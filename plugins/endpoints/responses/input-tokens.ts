import { gatewayHeaders, type Exchange, type GatewayServices, type Reply } from '../../../core/index.ts'
import { parseRequest } from './parse.ts'
import { jsonReply } from './replies.ts'

const guess = { param: 'input_tokens', message: 'estimated, the exact count is not known' }

/** `POST /v1/responses/input_tokens`: takes the body of a generation, and only counts its tokens. */
export async function countInputTokens(exchange: Exchange, gateway: GatewayServices): Promise<Reply> {
  const { request, warnings } = parseRequest(await exchange.json(), gateway.toolTypes)
  const { tokens, estimated } = await gateway.countInput(exchange, request)
  const headers = gatewayHeaders({ warnings: estimated ? [guess, ...warnings] : warnings })
  return jsonReply({ object: 'response.input_tokens', input_tokens: tokens }, headers)
}
