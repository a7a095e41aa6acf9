import { failurePolicyOf } from './attempts/failure-policy.ts'
import type { AttemptRecord, RequestRecord } from '../contracts/log-sink.ts'
import type { FailureKind } from '../contracts/provider.ts'
import type { ErrorCause } from '../contracts/record-store.ts'

/** True if the attempt failed. One that nobody waited for did not. */
export function isFailed({ outcome }: AttemptRecord): boolean {
  return outcome !== 'ok' && outcome !== 'left' && outcome !== 'outrun'
}

/** True if the attempt failed by the vendor's fault. */
export function isVendorFault(attempt: AttemptRecord): boolean {
  return isFailed(attempt) && (attempt.isFault ?? failurePolicyOf({ kind: attempt.outcome as FailureKind }).isFault ?? false)
}

/** The party that caused the error of a request. Undefined below a status of 400. */
export function errorCauseOf({
  status,
  errorCode,
  attempts,
}: Pick<RequestRecord, 'status' | 'errorCode' | 'attempts'>): ErrorCause | undefined {
  if (status < 400) return undefined
  if (status === clientLeft) return 'caller'
  // An operator chooses the status.
  const isSpent = errorCode === spentChain
  if ((!isSpent && (status === 402 || status === 403)) || errorCode === 'policy_refusal') return 'policy'
  const last = attempts.at(-1)
  if (last && isVendorFault(last)) return 'vendor'
  if (last?.isFault === false) return 'caller'
  if (status === 429) return 'policy'
  // The whole time went by while a vendor was asked.
  if (status === 504 && last) return 'vendor'
  return status >= 500 || status === failedDependency || isSpent ? 'gateway' : 'caller'
}

const clientLeft = 499
const failedDependency = 424
/** The code of a chain that is spent. Without a vendor's fault, the setup is wrong, such as a model that the operator names wrongly. */
const spentChain = 'provider_error'
