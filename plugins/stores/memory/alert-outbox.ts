import type { Clock } from '../../../core/index.ts'
import {
  digestMessage,
  keepCountedMs,
  keepFailedMessagesMs,
  keepMessagesMs,
  maxFailedMessages,
  maxTakenMessages,
  roomFor,
  unclaimedMessage,
  type AlertMessage,
  type AlertMessageFilter,
  type AlertMessageLimit,
  type AlertOutbox,
  type AlertTargetStanding,
  type AlertTry,
  type NewAlertMessage,
  type PageQuery,
  type TakenMessage,
} from '../../../core/stores.ts'
import { compared, pageOf } from './page.ts'

interface Kept {
  message: AlertMessage
  /** When its time to be delivered began. */
  since: number
  /** Infinity: never. */
  dueAt: number
  fence: number
  /** A digest has counted it. */
  isCounted: boolean
}

interface Use {
  readonly org: string | null
  digestAt: number
  endedAt: number | null
}

export class MemoryAlertOutbox implements AlertOutbox {
  readonly #clock: Clock
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>()
  readonly #uses = new Map<string, Use>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(added: NewAlertMessage, limit: AlertMessageLimit): 'added' | 'left-out' | 'known' | 'ended' {
    const now = this.#clock.now()
    const { target, org } = added
    const use = this.#uses.get(target) ?? { org, digestAt: Infinity, endedAt: null }
    this.#uses.set(target, use)
    if (use.endedAt !== null) return 'ended'
    if (this.#kept.has(added.id)) return 'known'
    const messages = this.#to(target).map(({ message }) => message)
    const recent = messages.filter(({ state, at }) => state !== 'left-out' && at > now - limit.windowMs)
    const room = roomFor(added.about, recent.toReversed(), limit)
    const isLeftOut = room.roomAt !== undefined
    if (isLeftOut) use.digestAt = Math.min(use.digestAt, room.roomAt)
    const state = isLeftOut ? 'left-out' : 'waiting'
    const fills = isLeftOut ? null : room.fills
    this.#keep({ ...added, digest: null, fills, state, at: now, tries: 0, failure: null, endedAt: null }, isLeftOut ? Infinity : now)
    return isLeftOut ? 'left-out' : 'added'
  }

  take(targets: readonly string[], forMs: number): readonly TakenMessage[] {
    const now = this.#clock.now()
    const isKnown = (org: string | null, target: string): boolean => org !== null || targets.includes(target)
    for (const [target, use] of this.#uses) if (use.digestAt <= now && isKnown(use.org, target)) this.#addDigest(target, use, now)
    const due = [...this.#kept.values()].filter(({ dueAt, message }) => dueAt <= now && isKnown(message.org, message.target))
    return due
      .toSorted((a, b) => Number(a.message.org !== null) - Number(b.message.org !== null) || a.dueAt - b.dueAt)
      .slice(0, maxTakenMessages)
      .map(kept => {
        kept.dueAt = now + forMs
        kept.message = { ...kept.message, tries: kept.message.tries + 1 }
        return { message: kept.message, fence: ++kept.fence, ageMs: now - kept.since }
      })
  }

  settle(id: string, fence: number, result: AlertTry): boolean {
    const kept = this.#kept.get(id)
    if (!kept || kept.fence !== fence || kept.message.state !== 'waiting') return false
    const now = this.#clock.now()
    if (result.outcome === 'delivered') this.#end(kept, { state: 'delivered', failure: null, endedAt: now })
    else if (result.outcome === 'failed') this.#end(kept, { state: 'failed', failure: result.failure, endedAt: now })
    else {
      const { dueInMs, counts, failure = kept.message.failure } = result
      kept.message = { ...kept.message, failure, tries: kept.message.tries - (counts ? 0 : 1) }
      kept.dueAt = now + dueInMs
      // Whoever had it has it no longer.
      kept.fence++
    }
    return true
  }

  postpone(target: string, forMs: number): void {
    const now = this.#clock.now()
    for (const kept of this.#to(target)) if (kept.dueAt < Infinity) kept.dueAt = Math.max(kept.dueAt, now + forMs)
  }

  end(target: string, failure: string): void {
    const now = this.#clock.now()
    const use = this.#uses.get(target)
    if (!use) return
    use.endedAt ??= now
    use.digestAt = Infinity
    for (const kept of this.#to(target)) if (kept.message.state === 'waiting') this.#end(kept, { state: 'failed', failure, endedAt: now })
  }

  resume(target: string): void {
    const use = this.#uses.get(target)
    if (use) use.endedAt = null
  }

  find(id: string): AlertMessage | undefined {
    return this.#kept.get(id)?.message
  }

  page({ org, target, state }: AlertMessageFilter, query: PageQuery): readonly AlertMessage[] {
    const wanted = Array.from(this.#kept.values(), ({ message }) => message).filter(
      message =>
        (org === undefined || message.org === org) &&
        (target === undefined || message.target === target) &&
        (state === undefined || message.state === state),
    )
    return pageOf(wanted.toSorted(compared), message => message, query, true)
  }

  resend(id: string): boolean {
    const kept = this.#kept.get(id)
    if (!kept || kept.message.state !== 'failed') return false
    kept.message = { ...kept.message, state: 'waiting', tries: 0, failure: null, endedAt: null }
    kept.since = kept.dueAt = this.#clock.now()
    return true
  }

  standings(targets: readonly string[]): ReadonlyMap<string, AlertTargetStanding> {
    return new Map(
      targets.map(target => {
        const messages = this.#to(target).map(({ message }) => message)
        const count = (state: AlertMessage['state']): number => messages.filter(message => message.state === state).length
        const delivered = messages.filter(({ state }) => state === 'delivered').map(({ endedAt }) => endedAt!)
        return [
          target,
          {
            waiting: count('waiting'),
            failed: count('failed'),
            deliveredAt: delivered.length > 0 ? Math.max(...delivered) : null,
            endedAt: this.#uses.get(target)?.endedAt ?? null,
          },
        ]
      }),
    )
  }

  forget(target: string): void {
    this.#uses.delete(target)
    for (const { message } of this.#to(target)) this.#kept.delete(message.id)
  }

  expire(giveUpMs: number): void {
    const now = this.#clock.now()
    for (const kept of this.#kept.values()) {
      const { id, state, at, endedAt } = kept.message
      const isOld =
        state === 'failed' ? endedAt! <= now - keepFailedMessagesMs : at <= now - (kept.isCounted ? keepCountedMs : keepMessagesMs)
      if (state === 'waiting' && kept.since <= now - giveUpMs)
        this.#end(kept, { state: 'failed', failure: kept.message.failure ?? unclaimedMessage, endedAt: now })
      else if (state !== 'waiting' && isOld) this.#kept.delete(id)
    }
  }

  #addDigest(target: string, use: Use, now: number): void {
    use.digestAt = Infinity
    const leftOut = this.#to(target).filter(({ message, isCounted }) => message.state === 'left-out' && !isCounted)
    for (const kept of leftOut) kept.isCounted = true
    const messages = leftOut.map(({ message }) => message)
    if (messages.length > 0) this.#keep(digestMessage({ target, org: use.org }, messages, now), now)
  }

  #keep(message: AlertMessage, dueAt: number): void {
    this.#kept.set(message.id, { message, since: message.at, dueAt, fence: 0, isCounted: false })
  }

  #end(kept: Kept, change: Pick<AlertMessage, 'state' | 'failure' | 'endedAt'>): void {
    kept.message = { ...kept.message, ...change }
    kept.dueAt = Infinity
    if (change.state !== 'failed') return
    const failed = this.#to(kept.message.target).filter(({ message }) => message.state === 'failed')
    for (const { message } of failed.toSorted((a, b) => b.message.endedAt! - a.message.endedAt!).slice(maxFailedMessages))
      this.#kept.delete(message.id)
  }

  #to(target: string): readonly Kept[] {
    return [...this.#kept.values()].filter(({ message }) => message.target === target)
  }
}
