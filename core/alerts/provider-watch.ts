import type { AlertNote } from '../contracts/alert.ts'
import type { EndpointCircuits } from '../call/attempts/endpoint-circuits.ts'
import type { Clock } from '../foundation/clock.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { AlertDraft, Announcer } from './announcer.ts'
import { neverOn, noteOf, stateIn, steadied, type SteadyState } from './steady-state.ts'
import { durationText, listText } from './words.ts'

export interface ProviderWatchParts {
  readonly announcer: Announcer
  readonly circuits: Pick<EndpointCircuits, 'failing' | 'servedAt'>
  /** Names this process among those that share the store. */
  readonly process: string
  readonly clock: Pick<Clock, 'elapsed'>
}

/** The beginning of the names of its notes; the provider follows. */
export const providerNotes = 'provider/'
/** How often a process repeats what it sees, and looks at what others see. */
const repeatMs = 10_000
/** Processes change the notes at the same time. */
const maxTries = 8
const maxModels = 20
/** Who has asked nothing of it since knows nothing about it any more. */
const staleMs = 15 * 60_000
/** Models that fail say so much about their provider once it has answered nothing for so long: a single model, and several. */
const silentMs = { one: 60_000, several: 10_000 }
/** Shorter than the time for which a dead process's sight counts, so that the answer came after it. */
const servedLatelyMs = 30_000

/**
 * Tells when a provider is down, and when it is back: once for all processes. A process sees it down while its circuit is open, and while
 * those of models are and it answers nothing else. It is back when no process sees that any more, and one of them has had an
 * answer.
 */
export class ProviderWatch {
  readonly #parts: ProviderWatchParts
  /** Those that this process last said are down. */
  #down: ReadonlyMap<string, readonly string[]> = new Map()
  #repeatAt = 0

  constructor(parts: ProviderWatchParts) {
    this.#parts = parts
  }

  /** Call about once a second. */
  async check(): Promise<void> {
    const { down, unknown } = this.#look()
    const before = this.#down
    const isDue = this.#parts.clock.elapsed() >= this.#repeatAt
    const began = [...down.keys()].filter(provider => isDue || !before.has(provider))
    const ended = [...before.keys()].filter(provider => !down.has(provider) && !unknown.has(provider))
    if (!isDue && began.length === 0 && ended.length === 0) return
    const { store } = this.#parts.announcer
    const notes = await store.notes(providerNotes)
    const names = new Set([...began, ...ended, ...(isDue ? notes.map(({ name }) => name.slice(providerNotes.length)) : [])])
    for (const provider of names) await this.#say(provider, down.get(provider), ended.includes(provider), notes)
    this.#down = down
    if (isDue) this.#repeatAt = this.#parts.clock.elapsed() + repeatMs
  }

  /** The providers that are down, with those of their models that fail; and those of which this process knows nothing new. */
  #look(): { readonly down: ReadonlyMap<string, readonly string[]>; readonly unknown: ReadonlySet<string> } {
    const { circuits, clock } = this.#parts
    const failing = Map.groupBy(circuits.failing(), ({ provider }) => provider)
    const now = clock.elapsed()
    const down = new Map<string, readonly string[]>()
    const unknown = new Set<string>()
    for (const [provider, all] of failing) {
      const models = all.filter(({ model }) => model !== '*').toSorted((a, b) => a.since - b.since)
      const isSilent = (since: number | undefined, ms: number): boolean =>
        since !== undefined && now - since >= ms && circuits.servedAt(provider) <= since
      const isDown = models.length < all.length || isSilent(models[0]?.since, silentMs.one) || isSilent(models[1]?.since, silentMs.several)
      if (!isDown) continue
      if (all.every(({ failedAt }) => now - failedAt > staleMs)) unknown.add(provider)
      else down.set(provider, models.map(({ model }) => model).toSorted())
    }
    return { down, unknown }
  }

  /** `models`: those that fail, if it is down. `hasEnded`: this process has seen that it answers again. */
  async #say(provider: string, models: readonly string[] | undefined, hasEnded: boolean, known: readonly AlertNote[]): Promise<void> {
    const { announcer, circuits, clock, process } = this.#parts
    const answersAgain = hasEnded || clock.elapsed() - circuits.servedAt(provider) < servedLatelyMs
    const name = `${providerNotes}${provider}`
    let notes = known
    for (let tries = 0; tries < maxTries; tries++) {
      const note = notes.find(each => each.name === name)
      const before = note ? stateIn(note.value) : neverOn
      const isOn = models ? true : before.on && answersAgain ? false : undefined
      const now = await announcer.store.now()
      const { state, isNews } = steadied(before, { process, isOn }, now)
      const value = state && noteOf(state)
      if (note && value && !isNews && isSame(note.value, value)) return
      if (!note && !value) return
      const raised = isNews ? await announcer.drawUp(this.#draft(provider, state!, before, models, now)) : undefined
      const alert = raised && state!.told ? raised.alert.id : state?.told === false ? null : before.alert
      if (await announcer.store.change(name, note?.version, value && { ...value, alert }, raised)) {
        if (raised) announcer.told()
        return
      }
      notes = await announcer.store.notes(name)
    }
  }

  #draft(provider: string, { told, isSure }: SteadyState, before: SteadyState, models: readonly string[] = [], now: number): AlertDraft {
    const about = { kind: 'provider', subject: `provider:${provider}`, org: null } as const
    if (!told) {
      const downMs = now - before.toldAt
      return {
        ...about,
        severity: 'info',
        title: isSure ? `Provider ${provider} is back` : `Provider ${provider} was not asked again`,
        message: isSure
          ? `It answers again, after ${durationText(downMs)}.`
          : 'Nobody has asked it for a day, so nobody knows if it answers again.',
        facts: { provider, state: isSure ? 'up' : 'unknown', down_ms: downMs },
        resolves: before.alert,
      }
    }
    const which = models.length > 0 ? ` Models that fail: ${listText(models)}.` : ''
    return {
      ...about,
      severity: 'critical',
      title: `Provider ${provider} is down`,
      message: `Its requests fail. Where a model has other providers, those answer.${which}`,
      facts: { provider, state: 'down', models: models.slice(0, maxModels) },
    }
  }
}

function isSame(a: JsonObject, b: JsonObject): boolean {
  return JSON.stringify(stateIn(a)) === JSON.stringify(stateIn(b))
}
