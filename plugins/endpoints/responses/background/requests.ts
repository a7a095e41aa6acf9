import { GatewayError, type Exchange, type JsonObject, type Reply } from '../../../../core/index.ts'
import { wording } from '../../../../core/kit.ts'
import type { BackgroundState } from '../../../../core/stores.ts'
import { streamReply } from '../replies.ts'
import type { Background } from './background.ts'
import { follow } from './follow.ts'
import { isOver, isStoredElsewhere, shown } from './shown.ts'

export { isStoredElsewhere, shown }

/** The stream of a background response, after an event. Undefined if there is no such response. */
export async function resume(exchange: Exchange, background: Background, id: string, after: number): Promise<Reply | undefined> {
  const { owner } = exchange.caller
  if (!(await background.find(owner, id))) return undefined
  const stream = exchange.stream()
  exchange.record.stream = true
  if (exchange.request.method === 'HEAD') return streamReply(stream)
  const following = follow(stream, background, { owner, id, after }, exchange.signal)
  // The record follows when the client has everything, or has left.
  exchange.work = following.then(() => (exchange.cancellation.aborted ? exchange.cancellation.reason : undefined))
  return streamReply(stream)
}

/** Cancels a background response. Undefined if there is no such response, or a stored one by now. */
export async function cancel({ caller: { owner } }: Exchange, background: Background, id: string): Promise<JsonObject | undefined> {
  const state = await background.find(owner, id)
  const now = state && !isOver(state) ? await background.cancel(owner, id) : state
  return now && !isStoredElsewhere(now) ? shown(now) : undefined
}

/** Deletes a background response. `removeStored` removes the stored one, and throws a 404 if there is none. */
export async function remove(background: Background, owner: string, id: string, removeStored: () => Promise<void>): Promise<void> {
  const state = await background.find(owner, id)
  if (!state) return await removeStored()
  if (!isOver(state)) throw state.status === 'cancelled' ? ending(state) : inProgress(state)
  try {
    await removeStored()
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status !== 404) throw error
  }
  await background.store.delete(owner, id)
}

function inProgress({ id }: BackgroundState): GatewayError {
  return new GatewayError({
    status: 409,
    type: 'invalid_request_error',
    code: 'response_in_progress',
    message: wording`Response with id '${id}' is in progress. Cancel it, or wait until it has ended, before you delete it.`,
    param: 'id',
  })
}

/** The gateway that runs it has not heard of the cancelling yet. SDKs of the public protocol try again. */
function ending({ id }: BackgroundState): GatewayError {
  return new GatewayError({
    status: 409,
    type: 'invalid_request_error',
    code: 'response_in_progress',
    message: wording`Response with id '${id}' was cancelled, and its work ends within seconds. Wait a moment, then delete it.`,
    param: 'id',
    transient: true,
    retryAfterMs: 1_000,
  })
}
