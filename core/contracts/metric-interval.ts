/** Metrics are those of this period, unless a request names another. */
export const defaultIntervalMs = 15 * 60_000

/** A regular expression for the intervals of `routing.provider.interval`, such as `1h` or `15 minutes`. */
export const intervalPattern = String.raw`^\d+(?:m| minutes|h| hours?|d| days?|w| weeks?|y| years?)$`

const matcher = new RegExp(intervalPattern)

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const unitsMs: Readonly<Record<string, number>> = { m: minuteMs, h: hourMs, d: dayMs, w: 7 * dayMs, y: 365 * dayMs }

/** The length of an interval such as `1h` or `15 minutes`. Undefined for text that does not match `intervalPattern`. */
export function intervalMsOf(text: string): number | undefined {
  if (!matcher.test(text)) return undefined
  const unit = text.replace(/^\d+ ?/, '')[0]!
  return Number.parseInt(text, 10) * unitsMs[unit]!
}
