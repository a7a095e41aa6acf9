import type { AlertClaim } from '../contracts/alert.ts'
import type { ApiKey, KeyStore } from '../contracts/key-store.ts'
import type { RecordStore } from '../contracts/record-store.ts'
import { recentValues } from '../runtime/recent-values.ts'
import type { AlertDraft, Announcer } from './announcer.ts'
import { allKeys } from './used-keys.ts'
import { durationText } from './words.ts'

export interface KeyCheckParts {
  readonly announcer: Announcer
  readonly keys: KeyStore
  readonly records: RecordStore
  /** Undefined: nothing is told of keys that are not used. */
  readonly unusedDays: number | undefined
}

const dayMs = 24 * 60 * 60 * 1000
/** The days before the end of a key on which to tell of it. */
const warnDays = [1, 7] as const
/** The most keys of one organization to tell of at a time. The others follow next time. */
const maxUnused = 20
/** Remembered, so that the store is not asked about each again and again. */
const maxTold = 100_000

/** Tells of keys that expire soon, or that nobody uses. */
export class KeyCheck {
  readonly #parts: KeyCheckParts
  /** Keys of which this process or another told that they are unused, and since when. */
  readonly #toldUnused = recentValues<string, number>(maxTold)

  constructor(parts: KeyCheckParts) {
    this.#parts = parts
  }

  /** Call every few hours, in one of the processes. */
  async check(): Promise<void> {
    const { announcer, keys, unusedDays } = this.#parts
    const now = await announcer.store.now()
    const unused = new Map<string, number>()
    const isWorking = ({ disabled, expiresAt = Infinity }: ApiKey): boolean => !disabled && expiresAt > now
    const expires = { after: now, by: now + Math.max(...warnDays) * dayMs }
    for await (const page of allKeys(keys, { expires })) for (const key of page.filter(isWorking)) await this.#expiring(key, now)
    if (unusedDays === undefined) return
    for await (const page of allKeys(keys)) await this.#unused(page.filter(isWorking), now, unusedDays, unused)
  }

  /** A key that was made for less than the warning's time needs none. */
  async #expiring(key: ApiKey, now: number): Promise<void> {
    const { id, expiresAt, createdAt } = key
    if (expiresAt === undefined) return
    const reached = warnDays.findIndex(days => expiresAt - now <= days * dayMs && expiresAt - createdAt > days * dayMs)
    if (reached < 0) return
    const forMs = expiresAt - now + dayMs
    const claims = warnDays.slice(reached).map((days): AlertClaim => ({ name: `key-expiring/${id}/${expiresAt}/${days}`, forMs }))
    await this.#parts.announcer.tell(expiringAlert(key, expiresAt, now), claims)
  }

  async #unused(keys: readonly ApiKey[], now: number, unusedDays: number, counts: Map<string, number>): Promise<void> {
    const { announcer, records } = this.#parts
    const old = keys.filter(({ createdAt }) => createdAt <= now - unusedDays * dayMs)
    if (old.length === 0) return
    const uses = await records.keyUse(old.map(({ id }) => id))
    for (const key of old) {
      const { id, org } = key
      const lastUsedAt = uses.get(id)?.lastUsedAt
      const since = lastUsedAt ?? key.createdAt
      const count = counts.get(org) ?? 0
      if (since > now - unusedDays * dayMs || count >= maxUnused) continue
      if (this.#toldUnused.get(id) === since) continue
      const claim = { name: `key-unused/${id}/${since}`, forMs: 10 * 365 * dayMs }
      if (await announcer.tell(unusedAlert(key, lastUsedAt, unusedDays), [claim])) counts.set(org, count + 1)
      this.#toldUnused.set(id, since)
    }
  }
}

function expiringAlert({ id, name, org }: ApiKey, expiresAt: number, now: number): AlertDraft {
  const at = new Date(expiresAt).toISOString()
  return {
    kind: 'key-expiring',
    subject: `key:${id}`,
    org,
    severity: 'warning',
    title: `API key "${name}" (${id}) expires in ${durationText(expiresAt - now)}`,
    message: `It stops working at ${at}. Set another time, or give its clients another key.`,
    facts: { id, name, expires_at: at },
  }
}

function unusedAlert({ id, name, org, createdAt }: ApiKey, lastUsedAt: number | undefined, days: number): AlertDraft {
  const since = lastUsedAt === undefined ? 'since it was made' : `since ${new Date(lastUsedAt).toISOString()}`
  return {
    kind: 'key-unused',
    subject: `key:${id}`,
    org,
    severity: 'info',
    title: `API key "${name}" (${id}) has not been used for ${days} ${days === 1 ? 'day' : 'days'}`,
    message: `It has had no request ${since}. Disable it if nobody needs it.`,
    facts: {
      id,
      name,
      last_used_at: lastUsedAt === undefined ? null : new Date(lastUsedAt).toISOString(),
      created_at: new Date(createdAt).toISOString(),
    },
  }
}
