import { GatewayError, invalidRequest } from '../../../../core/index.ts'
import { wording, own } from '../../../../core/kit.ts'
import type { Background } from './background.ts'
import { isOver } from './shown.ts'

const param = 'previous_response_id'

/** The error for a request that continues a background response which has no answer, if it is one. */
export async function aboutUnfinished(background: Background, owner: string, id: string): Promise<GatewayError | undefined> {
  const state = await background.find(owner, id)
  if (!state) return undefined
  const { status } = state
  if (isOver(state) || status === 'cancelled') {
    const end = status === 'cancelled' ? 'it was cancelled' : 'it has failed, or was not stored'
    return invalidRequest(
      wording`Previous response with id '${id}' not found: ${own(end)}. Send the conversation as input.`,
      param,
      'previous_response_not_found',
    )
  }
  return new GatewayError({
    status: 409,
    type: 'invalid_request_error',
    code: 'response_in_progress',
    message: wording`Previous response with id '${id}' is still in progress. Wait until it has ended, then send the request again.`,
    param,
  })
}
