import type { GatewayError } from '../../../core/index.ts'
import type { GatewayServices, RequestScope } from '../../../core/kit.ts'
import { aboutConversation } from './conversation.ts'
import type { CreateServices } from './create.ts'

/** The response to continue may be one that runs in the background, or one of a conversation. */
export async function explained(
  error: GatewayError,
  { caller }: Pick<RequestScope, 'caller'>,
  { responses }: GatewayServices,
  previousId: string | undefined,
  { background, conversations }: CreateServices,
): Promise<GatewayError> {
  if (previousId === undefined || error.code !== 'previous_response_not_found') return error
  const told = conversations && (await aboutConversation(responses, caller, previousId, error))
  if (told || !background) return told ?? error
  const { aboutUnfinished } = await import('./background/unfinished.ts')
  return (await aboutUnfinished(await background(), caller.owner, previousId)) ?? error
}
