import type { Clock, JsonObject } from '../../../core/index.ts'
import {
  keepAlertsMs,
  maxAlertsOfOrganization,
  maxTakenDeliveries,
  toldTo,
  type AlertDelivery,
  type AlertFilter,
  type AlertNote,
  type AlertStore,
  type PageQuery,
  type RaisedAlert,
  type Silence,
  type StoredAlert,
  type ToldTo,
} from '../../../core/stores.ts'
import { pageOf } from './page.ts'

interface Kept {
  readonly alert: StoredAlert
  readonly told: ToldTo
}

interface Waiting extends Pick<AlertDelivery, 'alert' | 'channel' | 'audience'> {
  readonly raisedAt: number
  dueAt: number
  tries: number
}

export class MemoryAlerts implements AlertStore {
  readonly #clock: Clock
  /** The oldest first. */
  #alerts = new Map<string, Kept>()
  /** When each ends. */
  readonly #claims = new Map<string, number>()
  readonly #notes = new Map<string, AlertNote>()
  readonly #deliveries = new Map<string, Waiting>()
  readonly #silences = new Map<string, Silence>()
  #added = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  now(): number {
    return this.#clock.now()
  }

  raise({ alert, channels, claims = [] }: RaisedAlert): boolean {
    const now = this.now()
    const [first] = claims
    if (first && (this.#claims.get(first.name) ?? 0) > now) return false
    for (const { name, forMs } of claims) this.#claims.set(name, Math.max(this.#claims.get(name) ?? 0, now + forMs))
    this.#keep(alert, channels)
    return true
  }

  notes(prefix: string): readonly AlertNote[] {
    return [...this.#notes.values()].filter(({ name }) => name.startsWith(prefix))
  }

  change(name: string, known: number | undefined, value: JsonObject | undefined, raised?: Omit<RaisedAlert, 'claims'>): boolean {
    if (this.#notes.get(name)?.version !== known) return false
    if (value === undefined) this.#notes.delete(name)
    else this.#notes.set(name, { name, version: (known ?? 0) + 1, value })
    if (raised) this.#keep(raised.alert, raised.channels)
    return true
  }

  take(channels: readonly string[], forMs: number): readonly AlertDelivery[] {
    const now = this.now()
    const due = [...this.#deliveries.values()].filter(({ channel, dueAt }) => dueAt <= now && channels.includes(channel))
    return due.slice(0, maxTakenDeliveries).map(waiting => {
      waiting.dueAt = now + forMs
      const { alert, channel, audience, raisedAt } = waiting
      return { alert, channel, audience, tries: ++waiting.tries, ageMs: now - raisedAt }
    })
  }

  putOff(alertId: string, channel: string, dueInMs: number | undefined): void {
    const name = nameOf(alertId, channel)
    const waiting = this.#deliveries.get(name)
    if (dueInMs === undefined) this.#deliveries.delete(name)
    else if (waiting) waiting.dueAt = this.now() + dueInMs
  }

  page({ kind, org, state, from = -Infinity, to = Infinity }: AlertFilter, query: PageQuery): readonly StoredAlert[] {
    const wanted = this.#kept.filter(
      alert =>
        (kind === undefined || alert.kind === kind) &&
        (org === undefined || alert.org === org) &&
        (state === undefined || alert.state === state) &&
        alert.at >= from &&
        alert.at < to,
    )
    const position = ({ at, id }: StoredAlert): { readonly at: number; readonly id: string } => ({ at, id })
    return pageOf(
      wanted.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)),
      position,
      query,
      true,
    )
  }

  find(id: string): StoredAlert | undefined {
    return this.#alerts.get(id)?.alert
  }

  acknowledge(id: string, by: string): boolean {
    const alert = this.find(id)
    if (!alert) return false
    if (alert.acknowledgedAt === null) this.#update(id, { acknowledgedAt: this.now(), acknowledgedBy: by })
    return true
  }

  silences(): readonly Silence[] {
    const now = this.now()
    for (const { id, until } of this.#silences.values()) if (until <= now) this.#silences.delete(id)
    return [...this.#silences.values()].reverse()
  }

  addSilence(silence: Omit<Silence, 'at'>): Silence {
    const added = { ...silence, at: this.now() }
    this.#silences.set(added.id, added)
    return added
  }

  removeSilence(id: string): boolean {
    return this.#silences.delete(id)
  }

  expire(): void {
    const now = this.now()
    for (const [name, endsAt] of this.#claims) if (endsAt <= now) this.#claims.delete(name)
    const counts = new Map<string | null, number>()
    for (const { id, org, at } of this.#kept.reverse()) {
      const count = (counts.get(org) ?? 0) + 1
      counts.set(org, count)
      if (count > maxAlertsOfOrganization || at <= now - keepAlertsMs) this.#alerts.delete(id)
    }
    for (const [name, { alert }] of this.#deliveries) if (!this.#alerts.has(alert.id)) this.#deliveries.delete(name)
  }

  get #kept(): StoredAlert[] {
    return Array.from(this.#alerts.values(), ({ alert }) => alert)
  }

  #keep(alert: RaisedAlert['alert'], channels: readonly string[]): void {
    const now = this.now()
    const earlier = alert.resolves === null ? undefined : this.#alerts.get(alert.resolves)
    if (earlier && earlier.alert.resolvedAt === null) this.#update(earlier.alert.id, { resolvedAt: now })
    const told = toldTo(alert, this.silences(), earlier?.told)
    const resolvedAt = alert.resolves === null ? null : now
    const stored = { ...alert, acknowledgedAt: null, acknowledgedBy: null, resolvedAt, silencedBy: told.silencedBy }
    this.#alerts.set(alert.id, { alert: withState(stored), told })
    const { audience } = told
    if (audience !== 'nobody')
      for (const channel of channels)
        this.#deliveries.set(nameOf(alert.id, channel), { alert, channel, audience, raisedAt: now, dueAt: now, tries: 0 })
    if (++this.#added % maxAlertsOfOrganization === 0) this.expire()
  }

  #update(id: string, change: Partial<StoredAlert>): void {
    const { alert, told } = this.#alerts.get(id)!
    this.#alerts.set(id, { alert: withState({ ...alert, ...change }), told })
  }
}

function withState(alert: Omit<StoredAlert, 'state'>): StoredAlert {
  return { ...alert, state: alert.resolvedAt !== null ? 'resolved' : alert.acknowledgedAt !== null ? 'acknowledged' : 'open' }
}

function nameOf(alertId: string, channel: string): string {
  return JSON.stringify([alertId, channel])
}
