import { GatewayError, isObject, type Exchange, type Reply } from '../../../core/index.ts'
import { gatewayHeaders, type Conversations, type GatewayServices } from '../../../core/kit.ts'
import type { LazyBackground } from './background/setup.ts'
import { conversationUse, namedConversation } from './conversation.ts'
import { explained } from './explained.ts'
import { neutralRequest, publicWarning } from './neutral-request.ts'
import { parseRequest } from './parse.ts'
import { jsonReply, streamReply } from './replies.ts'
import { ResponseBuilder } from './response-builder.ts'
import type { OnUnsupported } from './without-effect.ts'

/** True if a stream may have events beyond the documented ones. */
export type EventSet = 'all' | 'documented'

export interface CreateOptions {
  readonly events: EventSet
  readonly unsupported: OnUnsupported
}

/** The services of other plugins, where there are any. */
export interface CreateServices {
  readonly background?: LazyBackground | undefined
  readonly conversations?: Conversations | undefined
}

export async function createResponse(
  exchange: Exchange,
  gateway: GatewayServices,
  { events, unsupported }: CreateOptions,
  others: CreateServices,
): Promise<Reply> {
  const { background, conversations } = others
  const raw = await exchange.json()
  const isBackground = background !== undefined && asksForBackground(raw) && exchange.caller.policy.logging.value
  const { body, warnings } = parseRequest(raw, {
    toolTypes: gateway.toolTypes,
    unsupported,
    served: { isBackground, conversations: conversationUse(exchange, conversations) },
  })
  const publicly = (error: GatewayError): Promise<GatewayError> => explained(error, exchange, gateway, body.previous_response_id, others)
  const conversation = namedConversation(body, exchange, conversations)
  if (isBackground) {
    const { createInBackground } = await import('./background/create.ts')
    const reply = await createInBackground(exchange, gateway, await background(), { body, warnings, events, conversation })
    if (reply instanceof GatewayError) throw await publicly(reply)
    return reply
  }
  const stream = body.stream ? exchange.stream() : undefined
  const builder = new ResponseBuilder(body, gateway.ids, gateway.clock, events, stream)
  if (conversation) builder.response.conversation = { id: conversation.id }
  const { request, envelope } = neutralRequest(body, conversation)
  const run = gateway.generate(exchange, request, builder, envelope)
  if (conversation) void run.finished.then(() => conversation.thread.over())
  const result = stream ? await run.committed : await run.finished
  if (result instanceof GatewayError) throw await publicly(result)
  const { endpoint, attempts } = result
  const headers = gatewayHeaders({
    // Without an attempt, a plugin has answered.
    provider: attempts > 0 ? endpoint?.provider : undefined,
    attempts: endpoint && attempts,
    warnings: [...result.warnings.map(publicWarning), ...warnings],
  })
  if (stream) return streamReply(stream, headers)
  return jsonReply(builder.response, headers)
}

/** Background responses are kept in a store, which `store` may forbid. */
function asksForBackground(raw: unknown): boolean {
  return isObject(raw) && raw['background'] === true && raw['store'] !== false
}
