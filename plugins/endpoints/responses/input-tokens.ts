import type { Exchange, Reply } from '../../../core/index.ts'
import { gatewayHeaders, type Conversations, type GatewayServices } from '../../../core/kit.ts'
import { conversationUse, namedConversation } from './conversation.ts'
import { neutralRequest } from './neutral-request.ts'
import { parseRequest } from './parse.ts'
import { jsonReply } from './replies.ts'
import type { OnUnsupported } from './without-effect.ts'

const guess = { param: 'input_tokens', message: 'estimated: the exact count is unknown' }

/** `POST /v1/responses/input_tokens`: takes the body of a generation, and only counts its tokens. */
export async function countInputTokens(
  exchange: Exchange,
  gateway: GatewayServices,
  unsupported: OnUnsupported,
  conversations: Conversations | undefined,
): Promise<Reply> {
  const { body, warnings } = parseRequest(await exchange.json(), {
    toolTypes: gateway.toolTypes,
    unsupported,
    served: { conversations: conversationUse(exchange, conversations) },
  })
  const { request, envelope } = neutralRequest(body, namedConversation(body, exchange, conversations, false))
  const { tokens, estimated } = await gateway.countInput(exchange, request, envelope)
  const headers = gatewayHeaders({ warnings: estimated ? [guess, ...warnings] : warnings })
  return jsonReply({ object: 'response.input_tokens', input_tokens: tokens }, headers)
}
