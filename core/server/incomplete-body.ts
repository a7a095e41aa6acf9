import { GatewayError } from '../foundation/errors.ts'
import { wording } from '../foundation/wording.ts'

/** For a body that ends before it is complete. Only the record shows it if the client has gone. */
export function incompleteBody(cause: unknown): GatewayError {
  return new GatewayError({
    status: 400,
    type: 'invalid_request_error',
    code: 'incomplete_body',
    message: wording`The body ended before it was complete.`,
    cause,
  })
}
