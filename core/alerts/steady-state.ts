import type { JsonObject } from '../foundation/json.ts'

/** A change within so long of the last one is told only once it has lasted as long. */
export const steadyMs = 120_000
/** What a process sees counts for so long, unless it says it again. */
export const sightMs = 35_000
/** Nobody has seen anything of it for so long: it is forgotten. */
const forgetAfterMs = 24 * 60 * 60 * 1000
const tidyAfterMs = 60 * 60 * 1000

/** How all processes together see something that is either on or off. Times are those of the store. */
export interface SteadyState {
  readonly on: boolean
  /** When that last changed. */
  readonly since: number
  /** The change came soon after the one before it, so it has to last. */
  readonly waits: boolean
  /** The state that operators know. */
  readonly told: boolean
  /** The alert that told of it, while it is told. */
  readonly alert: string | null
  readonly toldAt: number
  /** It is off because a process has seen so, not because nobody has seen anything of it. */
  readonly isSure: boolean
  /** Until when each process that sees it on counts. Those of processes that died stay until another sees that it is off. */
  readonly seen: Readonly<Record<string, number>>
}

export const neverOn: SteadyState = { on: false, since: 0, waits: false, told: false, alert: null, toldAt: 0, isSure: true, seen: {} }

/** One process's sight. `isOn` is undefined if it has nothing to say, and only looks at what others have said. */
export interface Sight {
  readonly process: string
  readonly isOn: boolean | undefined
}

/** The state after a sight. `isNews`: operators should hear that it is `on` now. Undefined as a state: nothing has to be remembered. */
export function steadied(
  before: SteadyState,
  { process, isOn }: Sight,
  now: number,
): { readonly state: SteadyState | undefined; readonly isNews: boolean } {
  const seen: Record<string, number> = {}
  for (const [name, until] of Object.entries(before.seen)) {
    const isOver = isOn === false && (name === process || until <= now)
    if (!isOver && until > now - forgetAfterMs) seen[name] = until
  }
  if (isOn) seen[process] = now + sightMs
  const on = Object.keys(seen).length > 0
  const changed = on !== before.on
  const waits = changed ? now - before.since < steadyMs : before.waits
  const since = changed ? now : before.since
  const isSure = changed ? on || isOn === false : before.isSure
  const isNews = on !== before.told && (!waits || now - since >= steadyMs)
  const state = { ...before, on, since, waits, isSure, seen, ...(isNews && { told: on, toldAt: now }) }
  const isTidy = !on && !state.told && now - since > tidyAfterMs
  return { state: isTidy ? undefined : state, isNews }
}

/** A note of another version may have other members. */
export function stateIn(value: JsonObject): SteadyState {
  return { ...neverOn, ...(value as Partial<SteadyState>) }
}

export function noteOf(state: SteadyState): JsonObject {
  return { ...state }
}
