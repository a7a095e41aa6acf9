import { ProviderFailure } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { HistoryUse } from '../contracts/request-envelope.ts'
import { GatewayError } from '../foundation/errors.ts'
import { inputPath, placeOf } from '../upstream/input-place.ts'

/** Adds the path of the input part that a provider cannot accept to its public error. Returns other errors unchanged. */
export function located(error: unknown, asked: GenerationRequest, history: HistoryUse | undefined): unknown {
  if (!(error instanceof GatewayError) || error.param !== undefined) return error
  const subject = ProviderFailure.is(error.cause) ? error.cause.subject : undefined
  if (!subject) return error
  const place = placeOf(asked.input, subject)
  // A subject that is not in this request comes from history.
  const param = place ? inputPath(asked.input, place) : history?.continues === undefined ? 'input' : history.param
  return new GatewayError({ ...error, message: error.message, cause: error.cause, param })
}
