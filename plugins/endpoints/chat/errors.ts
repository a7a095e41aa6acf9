import type { GatewayError, Reply } from '../../../core/index.ts'
import { errorReply as defaultReply, withFailureStatus } from '../../../core/kit.ts'

/** `failed`: the status of a request that every endpoint failed. */
export function errorReply(error: GatewayError, failed: number): Reply {
  return defaultReply(withFailureStatus(error, failed))
}

/** The data of the frame that ends a stream which failed. */
export function errorData(error: GatewayError, failed: number): string {
  return errorReply(error, failed).body as string
}
