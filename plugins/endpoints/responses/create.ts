import { GatewayError, type Exchange, type Reply } from '../../../core/index.ts'
import { gatewayHeaders, type Conversations, type GatewayServices } from '../../../core/kit.ts'
import { conversationUse, namedConversation, withConversation } from './conversation.ts'
import { neutralRequest, publicWarning } from './neutral-request.ts'
import { parseRequest } from './parse.ts'
import { jsonReply } from './replies.ts'
import { ResponseBuilder } from './response-builder.ts'
import type { OnUnsupported } from './without-effect.ts'

/** True if a stream may have events beyond the documented ones. */
export type EventSet = 'all' | 'documented'

export interface CreateOptions {
  readonly events: EventSet
  readonly unsupported: OnUnsupported
}

export async function createResponse(
  exchange: Exchange,
  gateway: GatewayServices,
  { events, unsupported }: CreateOptions,
  conversations: Conversations | undefined,
): Promise<Reply> {
  const { body, warnings } = parseRequest(await exchange.json(), {
    toolTypes: gateway.toolTypes,
    unsupported,
    conversations: conversationUse(exchange, conversations),
  })
  const stream = body.stream ? exchange.stream() : undefined
  const builder = new ResponseBuilder(body, gateway.ids, gateway.clock, events, stream)
  const conversation = namedConversation(body, exchange, conversations)
  if (conversation) builder.response.conversation = { id: conversation.id }
  const { request, envelope } = neutralRequest(body, conversation)
  const run = gateway.generate(exchange, request, builder, envelope)
  if (conversation) void run.finished.then(() => conversation.thread.over())
  const result = stream ? await run.committed : await run.finished
  if (result instanceof GatewayError) throw await withConversation(result, body, exchange, gateway)
  const { endpoint, attempts } = result
  const headers = gatewayHeaders({
    // Without an attempt, a plugin has answered.
    provider: attempts > 0 ? endpoint?.provider : undefined,
    attempts: endpoint && attempts,
    warnings: [...result.warnings.map(publicWarning), ...warnings],
  })
  if (stream)
    return { status: 200, headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers }, body: stream }
  return jsonReply(builder.response, headers)
}
