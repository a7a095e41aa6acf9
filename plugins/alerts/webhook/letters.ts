import type { AlertMessage, AlertStore } from '../../../core/stores.ts'
import { bodyOf } from './body.ts'
import { alertNotice, digestNotice } from './notice.ts'
import type { Recipient } from './recipient.ts'

/** At most so many messages within an hour go to a target. */
export const messageLimit = { most: 20, windowMs: 3_600_000 } as const

/** The body of a message. Undefined if its alert is not stored any more. */
export async function letterOf(
  { digest, alert: id, fillsLimit, at }: AlertMessage,
  recipient: Recipient,
  alerts: AlertStore,
): Promise<string | undefined> {
  if (digest) return bodyOf(recipient.format, digestNotice(digest, at))
  const alert = id === null ? undefined : await alerts.find(id)
  return alert && bodyOf(recipient.format, alertNotice(alert, fillsLimit, messageLimit.most))
}
