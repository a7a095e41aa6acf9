import { GatewayError } from '../../../core/index.ts'
import { wording } from '../../../core/kit.ts'
import type { RequestBody } from './request-body.ts'

const code = 'thread_unsupported_request'

/** Throws if the vendor were to keep the conversation: this surface keeps no state. With this error, the SDKs send all turns instead. */
export function refuseThread({ thread }: RequestBody): void {
  if (thread === undefined || thread === null) return
  throw new GatewayError({
    status: 400,
    type: 'invalid_request_error',
    code,
    message: wording`thread is not supported: the gateway keeps no conversations here. Send all messages, without thread.`,
    param: 'thread',
  })
}

/** What `error.details` says, by which the SDKs know an error. */
export function detailsOf({ code: found }: GatewayError): object | undefined {
  return found === code ? { error_code: code } : undefined
}
