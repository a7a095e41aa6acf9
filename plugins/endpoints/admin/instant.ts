const pattern = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/

export const expectedInstant = 'expected a time such as 2026-01-31T12:00:00Z'

/** Milliseconds since the epoch. Undefined for text that is not a time, such as February 31, and for times of day without a zone. */
export function instantIn(text: string): number | undefined {
  const [, year, month, day] = pattern.exec(text) ?? []
  if (year === undefined || Number(day) < 1 || Number(day) > daysIn(Number(year), Number(month))) return undefined
  return Date.parse(text.toUpperCase().replace(' ', 'T'))
}

/** 0 for a month that does not exist. */
function daysIn(year: number, month: number): number {
  if (month < 1 || month > 12) return 0
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
}
