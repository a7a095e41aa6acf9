import type { AlertMessageLimit, FilledLimit } from '../contracts/alert-outbox.ts'

/** A message to a target as its limit counts it. */
export interface CountedMessage {
  /** When it was added, in milliseconds since the epoch. */
  readonly at: number
  /** The organization that it is about. */
  readonly about: string | null
}

/** `roomAt`: there is no room for a message until then. `fills`: there is, and with it, no further ones. */
export type MessageRoom =
  | {
      /** Milliseconds since the epoch. */
      readonly roomAt: number
    }
  | {
      /** There is room now. */
      readonly roomAt: undefined
      /** A limit that the message reaches. */
      readonly fills: FilledLimit | null
    }

/** If there is room for a message. `recent`: those of the last `windowMs`, the newest first. */
export function roomFor(about: string | null, recent: readonly CountedMessage[], limit: AlertMessageLimit): MessageRoom {
  if (fits(about, recent, limit)) return { roomAt: undefined, fills: filledBy(about, recent, limit) }
  let left = recent
  do left = left.slice(0, -1)
  while (!fits(about, left, limit) && left.length > 0)
  // There is room when the newest of those that are in the way is a window old.
  return { roomAt: recent[left.length]!.at + limit.windowMs }
}

function fits(about: string | null, recent: readonly CountedMessage[], { most, ofOrganizations }: AlertMessageLimit): boolean {
  if (recent.length >= most) return false
  if (about === null || ofOrganizations === undefined) return true
  return countOf(about, recent) < ofOrganizations - recent.length
}

function filledBy(about: string | null, recent: readonly CountedMessage[], limit: AlertMessageLimit): FilledLimit | null {
  const { most, ofOrganizations = most } = limit
  const after = [{ at: 0, about }, ...recent]
  if (after.length >= most) return 'target'
  if (after.length === ofOrganizations) return 'organizations'
  return about === null || fits(about, after, limit) ? null : 'organization'
}

function countOf(about: string, recent: readonly CountedMessage[]): number {
  return recent.filter(each => each.about === about).length
}
