import { GatewayError, type Exchange, type Reply } from '../../../../core/index.ts'
import { gatewayHeaders, type GatewayServices, type Warning } from '../../../../core/kit.ts'
import type { NamedConversation } from '../conversation.ts'
import type { EventSet } from '../create.ts'
import { neutralRequest } from '../neutral-request.ts'
import { jsonReply, streamReply } from '../replies.ts'
import type { RequestBody } from '../request-body.ts'
import type { Background } from './background.ts'
import { follow } from './follow.ts'

interface Asked {
  readonly body: RequestBody
  readonly warnings: readonly Warning[]
  readonly events: EventSet
  readonly conversation: NamedConversation | undefined
}

/** Answers as soon as the response is accepted, and runs it to its end, whether the client stays or leaves. */
export async function createInBackground(
  exchange: Exchange,
  gateway: GatewayServices,
  background: Background,
  { body, warnings, events, conversation }: Asked,
): Promise<Reply | GatewayError> {
  const leave = await background.enter(exchange.caller)
  const stream = body.stream ? exchange.stream() : undefined
  const run = background.open(exchange, body, events, conversation?.id)
  const { request, envelope } = neutralRequest(body, conversation)
  const { finished } = gateway.generate(exchange, request, run, envelope)
  void finished.then(leave)
  if (conversation) void finished.then(() => conversation.thread.over())
  const accepted = await Promise.race([run.isAccepted, finished.then(result => (result instanceof GatewayError ? result : undefined))])
  if (accepted instanceof GatewayError) return accepted
  background.watch(run, finished)
  const headers = gatewayHeaders({ warnings })
  if (!stream) return jsonReply(accepted!, headers)
  void follow(stream, background, { owner: run.owner, id: run.id, after: -1 }, run.left!)
  return streamReply(stream, headers)
}
