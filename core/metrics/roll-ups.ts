export const minuteMs = 60_000
const hour = 60
const day = 24 * hour
const week = 7 * day

/** Periods of one length, and for how long they are kept. */
export interface RollUp {
  /** How many minutes one of its parts covers. */
  readonly minutes: number
  /** How many minutes it goes back. */
  readonly keptMinutes: number
}

/** From the finest. Every attempt counts in all of them. Each length divides the next. */
export const rollUps: readonly RollUp[] = [
  { minutes: 1, keptMinutes: day },
  { minutes: hour, keptMinutes: 8 * day },
  { minutes: day, keptMinutes: 15 * week },
  { minutes: week, keptMinutes: 10 * 52 * week },
]

/** The minute in which a period begins: the start of the minute, hour, day or week that is kept for as long as that. */
export function firstMinuteOf(lengthMinutes: number, currentMinute: number): number {
  const coarsest = rollUps.at(-1)!
  const { minutes } = rollUps.find(({ keptMinutes }) => lengthMinutes <= keptMinutes) ?? coarsest
  const first = currentMinute - Math.min(lengthMinutes, coarsest.keptMinutes)
  return Math.floor(first / minutes) * minutes
}
