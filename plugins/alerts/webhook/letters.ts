import type { AlertMessage, AlertMessageLimit, AlertStore } from '../../../core/stores.ts'
import { bodyOf } from './body.ts'
import { alertNotice, digestNotice } from './notice.ts'
import type { Recipient } from './recipient.ts'

/** At most so many messages within an hour go to a target. */
const most = 20
/** So that organizations never keep the operator from hearing of the gateway. */
const mostOfOrganizations = 15

/** Organizations share the room of a target, so that a flood from one does not hide what concerns another. */
export function messageLimit({ orgs }: Pick<Recipient, 'orgs'>): AlertMessageLimit {
  const ofOrganizations = orgs === null ? mostOfOrganizations : orgs.length > 1 ? most : undefined
  return { most, ofOrganizations, windowMs: 3_600_000 }
}

/** The body of a message. Undefined if its alert is not stored any more. */
export async function letterOf(
  { digest, alert: id, fills, at }: AlertMessage,
  recipient: Recipient,
  alerts: AlertStore,
): Promise<string | undefined> {
  if (digest) return bodyOf(recipient.format, digestNotice(digest, at))
  const alert = id === null ? undefined : await alerts.find(id)
  return alert && bodyOf(recipient.format, alertNotice(alert, fills))
}
