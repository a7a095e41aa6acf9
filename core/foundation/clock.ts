import { token } from './token.ts'

/** Tells the time. Tests replace it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds since an arbitrary start. Never runs backwards: use it for durations. */
  elapsed(): number
}
export const Clock = token<Clock>('clock')

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() }
