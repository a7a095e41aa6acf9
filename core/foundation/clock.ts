import { token } from './token.ts'

/** The time. Replaced in tests. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds from an arbitrary start that never runs backwards: for durations. */
  elapsed(): number
}
export const Clock = token<Clock>('clock')

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() }
