import type { RaisedAttempt } from '../lowering/draft.ts'

/** Pauses the provider's timeouts: the time for a check depends on the caller and the gateway, not on the provider. */
export async function aside<T>(attempt: RaisedAttempt, work: () => Promise<T>): Promise<T> {
  attempt.pause()
  try {
    return await work()
  } finally {
    attempt.resume()
  }
}
