/**
 * When each day of a time zone begins that overlaps `from` to `to`, in milliseconds since the epoch. Days last 23 or 25 hours where clocks
 * change. `timeZone`: a name of the IANA, such as Europe/Berlin; throws a `RangeError` for others.
 */
export function dayStarts(from: number, to: number, timeZone: string): readonly number[] {
  const clock = new WallClock(timeZone)
  const starts: number[] = []
  for (let start = clock.dayStart(from); start < to; start = clock.nextDay(start)) starts.push(start)
  return starts
}

const secondMs = 1_000
const dayMs = 86_400_000
/** The most that `Date` can hold. */
const farthestMs = 8.64e15
/** No day is longer. */
const maxDayMs = 26 * 3_600_000

class WallClock {
  readonly #format: Intl.DateTimeFormat

  constructor(timeZone: string) {
    const digits = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
    this.#format = new Intl.DateTimeFormat('en-US', { ...digits, era: 'short', hourCycle: 'h23', timeZone })
  }

  /** When the day of `at` began. */
  dayStart(at: number): number {
    const date = this.#date(at)
    return firstSecond(at - maxDayMs, at, time => this.#date(time) === date)
  }

  /** When the day after the one that began at `start` begins. Clocks may change at midnight, and a date may be left out. */
  nextDay(start: number): number {
    const usual = start + dayMs
    if (usual > farthestMs || this.#format.format(usual).endsWith(' 00:00:00')) return usual
    const date = this.#date(start)
    return firstSecond(start, start + maxDayMs, time => this.#date(time) !== date)
  }

  #date(at: number): string {
    return this.#format.format(at).split(', ')[0]!
  }
}

/** The first second after `before` at which the condition holds. It holds at `after`. */
function firstSecond(before: number, after: number, holds: (at: number) => boolean): number {
  let [low, high] = [Math.floor(before / secondMs), Math.ceil(after / secondMs)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle * secondMs)) high = middle
    else low = middle
  }
  return high * secondMs
}
