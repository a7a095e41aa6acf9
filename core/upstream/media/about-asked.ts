import { ProviderFailure, type ProviderCall } from '../../contracts/provider.ts'
import { placeOf, subjectAt } from '../input-place.ts'

/** Translates a call whose media were inlined. A failure about an inlined part becomes one about the caller's part. */
export function aboutAsked<T>(asked: ProviderCall, complete: ProviderCall, translate: (call: ProviderCall) => T): T {
  try {
    return translate(complete)
  } catch (error) {
    const place = ProviderFailure.is(error) && error.subject && placeOf(complete.request.input, error.subject)
    if (complete === asked || !place) throw error
    throw new ProviderFailure({ ...error, message: error.message, cause: error.cause, subject: subjectAt(asked.request.input, place) })
  }
}
