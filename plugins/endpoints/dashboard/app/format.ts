// Numbers with their units, and times in the viewer's zone.

const locale = typeof navigator === 'undefined' ? 'en-US' : navigator.language

const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 })
const shortUsd = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD', notation: 'compact', maximumSignificantDigits: 3 })
const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
const digits = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 })
const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
const dateAndTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
const shortTime = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric' })
const minutes = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' })
const seconds = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' })

/** The zone of the browser, by its name. Undefined if the browser does not know. */
export const timeZone = known(Intl.DateTimeFormat().resolvedOptions().timeZone)

/** The placeholder for a missing value. */
export const none = '–'

type Given<T> = T | null | undefined

export function count(value: Given<number>): string {
  return value === null || value === undefined ? none : whole.format(value)
}

/** 1,234,567 as 1.23M. */
export function compact(value: Given<number>): string {
  if (value === null || value === undefined) return none
  return Math.abs(value) < 10_000 ? whole.format(value) : short.format(value)
}

/** As many digits as a price needs: $1,234.50, $0.0042. */
export function usd(value: Given<number>): string {
  if (value === null || value === undefined) return none
  const size = Math.abs(value)
  const digits = size === 0 || size >= 0.995 ? 2 : Math.min(9, 2 - Math.floor(Math.log10(size)))
  const format = { style: 'currency', currency: 'USD', minimumFractionDigits: Math.min(2, digits), maximumFractionDigits: digits } as const
  return new Intl.NumberFormat(locale, format).format(value)
}

/** For a card: shortens a million and more, such as $1,234,567.89 to $1.23M. */
export function compactUsd(value: Given<number>): string {
  return value === null || value === undefined || Math.abs(value) < 1_000_000 ? usd(value) : shortUsd.format(value)
}

export function percent(value: Given<number>): string {
  return value === null || value === undefined ? none : share.format(value)
}

export function duration(ms: Given<number>): string {
  if (ms === null || ms === undefined) return none
  if (ms < 1000) return `${whole.format(ms)} ms`
  if (ms < 60_000) return `${tenths.format(ms / 1000)} s`
  if (ms < 3_600_000) return `${tenths.format(ms / 60_000)} min`
  return ms < 86_400_000 ? `${tenths.format(ms / 3_600_000)} h` : `${tenths.format(ms / 86_400_000)} days`
}

/** The same with three digits, for times that are compared: 0.412 ms, 4.12 s. */
export function preciseDuration(ms: Given<number>): string {
  if (ms === null || ms === undefined) return none
  // As much as a clock of the gateway tells.
  if (ms < 1000) return `${digits.format(Math.round(ms * 1000) / 1000)} ms`
  if (ms < 60_000) return `${digits.format(ms / 1000)} s`
  return ms < 3_600_000 ? `${digits.format(ms / 60_000)} min` : `${digits.format(ms / 3_600_000)} h`
}

export function bytes(value: Given<number>): string {
  if (value === null || value === undefined) return none
  if (value < 1024) return `${value} B`
  return value < 1024 ** 2 ? `${tenths.format(value / 1024)} KiB` : `${tenths.format(value / 1024 ** 2)} MiB`
}

export function perSecond(value: Given<number>): string {
  return value === null || value === undefined ? none : `${tenths.format(value)}/s`
}

export function time(value: Given<string | number>): string {
  return value === null || value === undefined ? none : dateAndTime.format(new Date(value))
}

export function shortDate(value: Given<string | number>): string {
  return value === null || value === undefined ? none : shortTime.format(new Date(value))
}

/** Such as "Nov 23". */
export function monthDay(value: string | number): string {
  return day.format(new Date(value))
}

/** To the second. */
export function clockTime(value: string | number): string {
  return seconds.format(new Date(value))
}

/** Texts for the times of an axis, `stepMs` apart: days, or times of day with the day below the first of each. */
export function timeLabels(times: readonly number[], stepMs: number): readonly string[] {
  if (stepMs >= 86_400_000) return times.map(monthDay)
  return times.map((at, index) => {
    const isSameDay = index > 0 && monthDay(times[index - 1]!) === monthDay(at)
    return isSameDay ? minutes.format(at) : `${minutes.format(at)}\n${monthDay(at)}`
  })
}

const steps = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** Such as "3 minutes ago". */
export function ago(value: Given<string | number>, now: number = Date.now()): string {
  if (value === null || value === undefined) return none
  const distance = new Date(value).getTime() - now
  const [unit, ms] = steps.find(([, size]) => Math.abs(distance) >= size) ?? ['second', 1000]
  return relative.format(Math.trunc(distance / ms), unit)
}

/** For `<input type="datetime-local">`, in the viewer's zone. */
export function localInput(value: Given<string | number>): string {
  if (value === null || value === undefined) return ''
  const date = new Date(value)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function known(zone: string | undefined): string | undefined {
  return zone === 'Etc/Unknown' ? undefined : zone
}

/** The name of a field for people: `elapsedMs` as `Elapsed ms`. */
export function words(name: string): string {
  const spaced = name.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
  return `${spaced.charAt(0).toUpperCase()}${spaced.slice(1)}`
}
