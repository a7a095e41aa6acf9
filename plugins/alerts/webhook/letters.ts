import type { Alert } from '../../../core/admin.ts'
import type { AlertMessage, AlertMessageLimit, AlertStore } from '../../../core/stores.ts'
import { bodyOf } from './body.ts'
import { alertNotice, digestNotice } from './notice.ts'
import type { Recipient } from './recipient.ts'

/** At most so many messages within an hour go to a target. */
const most = 20
/** So that no organization keeps the operator from hearing of the gateway. */
const mostOfOrganizations = 15

export function messageLimit({ org, orgs }: Recipient, alert: Alert): AlertMessageLimit {
  const hearsOfGateway = org === null && orgs === null
  return { most: hearsOfGateway && alert.org !== null ? mostOfOrganizations : most, windowMs: 3_600_000 }
}

/** The body of a message. Undefined if its alert is not stored any more. */
export async function letterOf(
  { digest, alert: id, fillsLimit, at }: AlertMessage,
  recipient: Recipient,
  alerts: AlertStore,
): Promise<string | undefined> {
  if (digest) return bodyOf(recipient.format, digestNotice(digest, at))
  const alert = id === null ? undefined : await alerts.find(id)
  return alert && bodyOf(recipient.format, alertNotice(alert, fillsLimit, messageLimit(recipient, alert).most))
}
