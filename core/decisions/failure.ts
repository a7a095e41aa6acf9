import { generationForms, type PublicForms } from '../attempts/public-error.ts'

const { auth: upstreamFailed } = generationForms
const vendorRefused = { status: 422, type: 'invalid_request_error', code: 'invalid_request' }

/** What a caller is told of a failure: docs/protocol/decisions.md#errors. */
export const decisionForms: PublicForms = {
  ...generationForms,
  'invalid-request': vendorRefused,
  'context-length': vendorRefused,
  refused: vendorRefused,
  // The name was found here, so that it is the gateway's own affair.
  'not-found': upstreamFailed,
}
