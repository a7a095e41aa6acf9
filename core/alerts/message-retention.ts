import { hash } from 'node:crypto'
import type { AlertDigest, AlertMessage } from '../contracts/alert-outbox.ts'

/** How long stores keep messages to targets, and how many of each target that failed. */
export const keepMessagesMs = 7 * 24 * 60 * 60 * 1000
export const keepFailedMessagesMs = 30 * 24 * 60 * 60 * 1000
export const maxFailedMessages = 100
/** How many messages a process takes at a time. */
export const maxTakenMessages = 20

export const unclaimedMessage = 'no gateway knows its target: it is not in the config any more'

/** The id of a message that concerns this target only. */
export function messageId(target: string, subject: string): string {
  return `msg_${hash('sha256', JSON.stringify([target, subject])).slice(0, 32)}`
}

/** The message that says what was left out. */
export function digestMessage(target: string, org: string | null, digest: AlertDigest, now: number): AlertMessage {
  return {
    id: messageId(target, `digest ${digest.from}-${now}`),
    target,
    org,
    kind: 'digest',
    alert: null,
    digest,
    fillsLimit: false,
    state: 'waiting',
    at: now,
    tries: 0,
    failure: null,
    endedAt: null,
  }
}
