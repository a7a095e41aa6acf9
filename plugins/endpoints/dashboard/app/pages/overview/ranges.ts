/** A time to look back over, and the length of the buckets in which it is drawn. */
export interface Range {
  readonly label: string
  readonly lengthMs: number
  readonly bucket: 'minute' | 'hour' | 'day'
  readonly bucketMs: number
  /** How often the page asks again. */
  readonly everyMs: number
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const byMinute = { bucket: 'minute', bucketMs: minuteMs, everyMs: 5_000 } as const
const byHour = { bucket: 'hour', bucketMs: hourMs, everyMs: 30_000 } as const
const byDay = { bucket: 'day', bucketMs: dayMs, everyMs: 60_000 } as const

export const ranges = {
  '1h': { label: 'Last hour', lengthMs: hourMs, ...byMinute },
  '6h': { label: 'Last 6 hours', lengthMs: 6 * hourMs, ...byMinute, everyMs: 15_000 },
  '24h': { label: 'Last 24 hours', lengthMs: dayMs, ...byHour },
  '7d': { label: 'Last 7 days', lengthMs: 7 * dayMs, ...byHour },
  '30d': { label: 'Last 30 days', lengthMs: 30 * dayMs, ...byDay },
  '90d': { label: 'Last 90 days', lengthMs: 90 * dayMs, ...byDay },
} as const satisfies Readonly<Record<string, Range>>

export type RangeName = keyof typeof ranges

/** What is drawn at this moment: whole buckets, the last of which goes on. */
export function spanOf({ lengthMs, bucketMs }: Range, now: number): { readonly from: number; readonly to: number } {
  const end = now - (now % bucketMs) + bucketMs
  return { from: end - Math.max(lengthMs, bucketMs), to: end }
}
