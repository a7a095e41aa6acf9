import { ProviderFailure } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { GatewayError } from '../foundation/errors.ts'
import { inputPath, placeOf } from '../upstream/input-place.ts'

/** The public error of a provider that cannot be sent some of the input, with the path at which the caller sent that. */
export function located(error: unknown, asked: GenerationRequest): unknown {
  if (!(error instanceof GatewayError) || error.param !== undefined) return error
  const subject = ProviderFailure.is(error.cause) ? error.cause.subject : undefined
  if (!subject) return error
  const place = placeOf(asked.input, subject)
  // What this request did not bring is history.
  const param = place ? inputPath(asked.input, place) : asked.previous_response_id === undefined ? 'input' : 'previous_response_id'
  return new GatewayError({ ...error, message: error.message, cause: error.cause, param })
}
