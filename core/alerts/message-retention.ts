import { hash } from 'node:crypto'
import type { AlertDigest, AlertMessage } from '../contracts/alert-outbox.ts'

/** How long stores keep messages to targets. */
export const keepMessagesMs = 7 * 24 * 60 * 60 * 1000
/** What a digest has counted: longer than an alert can come again. There may be very many. */
export const keepCountedMs = 25 * 60 * 60 * 1000
/** How long an outbox keeps messages that were given up. */
export const keepFailedMessagesMs = 30 * 24 * 60 * 60 * 1000
/** How many given-up messages an outbox keeps for each target. */
export const maxFailedMessages = 100
/** How many messages a process takes at a time. */
export const maxTakenMessages = 20

/** The failure of a message without an earlier one that an outbox gave up by `expire`. */
export const unclaimedMessage = 'no gateway knows its target: it is not in the config any more'

/** The id of a message that concerns this target only. */
export function messageId(target: string, subject: string): string {
  return `msg_${hash('sha256', JSON.stringify([target, subject])).slice(0, 32)}`
}

/** The digest of the messages that were left out: at least one. */
export function digestMessage(
  { target, org }: Pick<AlertMessage, 'target' | 'org'>,
  leftOut: readonly Pick<AlertMessage, 'kind' | 'about' | 'at'>[],
  now: number,
): AlertMessage {
  const counts: Record<string, number> = {}
  let [from, to] = [Infinity, 0]
  for (const { kind, at } of leftOut) {
    counts[kind] = (counts[kind] ?? 0) + 1
    from = Math.min(from, at)
    to = Math.max(to, at)
  }
  const digest: AlertDigest = { from, to, counts }
  const [about = null, ...others] = new Set(leftOut.map(each => each.about))
  return {
    id: messageId(target, `digest ${digest.from}-${now}`),
    target,
    org,
    kind: 'digest',
    about: others.length === 0 ? about : null,
    alert: null,
    digest,
    fills: null,
    state: 'waiting',
    at: now,
    tries: 0,
    failure: null,
    endedAt: null,
  }
}
