import type { Exchange, GatewayError } from '../../../core/index.ts'
import type { GatewayServices } from '../../../core/kit.ts'
import type { LazyBackground } from './background/setup.ts'
import { aboutConversation } from './conversation.ts'

/** The response to continue may be one that runs in the background, or one of a conversation. */
export async function explained(
  error: GatewayError,
  { caller }: Exchange,
  { responses }: GatewayServices,
  previousId: string | undefined,
  background: LazyBackground | undefined,
): Promise<GatewayError> {
  if (previousId === undefined || error.code !== 'previous_response_not_found') return error
  const told = await aboutConversation(responses, caller, previousId, error)
  if (told || !background) return told ?? error
  const { aboutUnfinished } = await import('./background/unfinished.ts')
  return (await aboutUnfinished(await background(), caller.owner, previousId)) ?? error
}
