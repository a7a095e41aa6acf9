import { ProviderFailure } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { GatewayError } from '../foundation/errors.ts'
import { inputPath, placeOf } from '../upstream/input-place.ts'

/** Adds the path of the input part that a provider cannot accept to its public error. Returns other errors unchanged. */
export function located(error: unknown, asked: GenerationRequest): unknown {
  if (!(error instanceof GatewayError) || error.param !== undefined) return error
  const subject = ProviderFailure.is(error.cause) ? error.cause.subject : undefined
  if (!subject) return error
  const place = placeOf(asked.input, subject)
  // A subject that is not in this request comes from history.
  const param = place ? inputPath(asked.input, place) : asked.previous_response_id === undefined ? 'input' : 'previous_response_id'
  return new GatewayError({ ...error, message: error.message, cause: error.cause, param })
}
