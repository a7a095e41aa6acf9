import type { UpstreamHeaders } from '../contracts/adapter.ts'
import { ProviderFailure } from '../contracts/provider.ts'

/** The headers in which vendors say how they call a request, the most telling first. Proxies in front of them add the last ones. */
const idHeaders = [
  'request-id',
  'x-request-id',
  'x-amzn-requestid',
  'apim-request-id',
  'x-ms-request-id',
  'mistral-correlation-id',
  'x-goog-request-id',
  'x-ds-trace-id',
  'x-typhoon-trace-id',
  'x-trace-id',
  'x-correlation-id',
  'cf-ray',
]

/** Letters, digits and a few signs, with a digit: an id, and not a sentence. */
const idShape = /^(?=.*\d)[\w.:=+/-]{6,128}$/

/** Adds to a failure what the headers of the vendor's reply say about it. Returns the same error. */
export function identified(error: unknown, headers: UpstreamHeaders): unknown {
  if (!ProviderFailure.is(error)) return error
  // Bedrock: a name, and sometimes an address after a colon.
  error.vendorCode ??= headers['x-amzn-errortype']?.split(':')[0]
  if (error.requestId === undefined) {
    const name = idHeaders.find(each => idShape.test(headers[each] ?? ''))
    if (name !== undefined) error.requestId = headers[name]
  }
  return error
}
