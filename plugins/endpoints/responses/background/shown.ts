import type { JsonObject } from '../../../../core/index.ts'
import type { BackgroundState } from '../../../../core/stores.ts'
import { frame, membersOf, serverSentEvents } from '../frames.ts'

export function isOver({ leaseLeftMs }: BackgroundState): boolean {
  return leaseLeftMs === undefined
}

/** True if the store has the finished object elsewhere: among the stored responses. */
export function isStoredElsewhere({ status, body }: BackgroundState): boolean {
  return (status === 'completed' || status === 'incomplete') && body['status'] !== status
}

/** The response object as it stands. */
export function shown(state: BackgroundState): JsonObject {
  const status = state.status === 'completing' ? 'in_progress' : state.status
  if (!isLapsed(state)) return { ...state.body, status }
  return { ...state.body, status, error: status === 'failed' ? { code: 'server_error', message: lapsed } : null }
}

/** The last events of a response whose gateway has died. It could not write them. */
export function lastFrames(state: BackgroundState, after: number): string {
  if (!isLapsed(state)) return ''
  const next = Math.max(after, state.lastSequence) + 1
  const end = (sequence: number): string => frame(serverSentEvents, 'response.failed', sequence, membersOf({ response: shown(state) }))
  if (state.status === 'cancelled') return end(next)
  const fields = { code: 'server_error', message: lapsed, param: null }
  const error = { ...fields, error: { type: 'server_error', ...fields } }
  return frame(serverSentEvents, 'error', next, membersOf(error)) + end(next + 1)
}

/** True if it ended without its gateway. */
function isLapsed(state: BackgroundState): boolean {
  return isOver(state) && (state.status === 'failed' || state.status === 'cancelled') && state.body['status'] !== state.status
}

const lapsed = 'The gateway that worked on this response has stopped. Create the response again.'
