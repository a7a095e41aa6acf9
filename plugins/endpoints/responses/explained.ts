import type { Exchange, GatewayError } from '../../../core/index.ts'
import type { LazyBackground } from './background/setup.ts'

/** The response to continue may be one that runs in the background. */
export async function explained(
  error: GatewayError,
  { caller }: Exchange,
  previousId: string | undefined,
  background: LazyBackground | undefined,
): Promise<GatewayError> {
  if (!background || previousId === undefined || error.code !== 'previous_response_not_found') return error
  const { aboutUnfinished } = await import('./background/unfinished.ts')
  return (await aboutUnfinished(await background(), caller.owner, previousId)) ?? error
}
