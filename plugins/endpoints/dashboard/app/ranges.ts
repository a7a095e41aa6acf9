/** A time to look back over, and the length of the buckets in which it is drawn. */
export interface Range {
  readonly label: string
  readonly bucket: 'minute' | 'hour' | 'day'
  /** Of the range. Undefined for whole days, which may be longer or shorter. */
  readonly lengthMs?: number
  readonly days?: number
  /** How often the page asks again. */
  readonly everyMs: number
}

/** From the start of a bucket to the end of one. */
export interface Span {
  readonly from: number
  readonly to: number
}

const hourMs = 3_600_000
const bucketMs = { minute: 60_000, hour: hourMs } as const
const byMinute = { bucket: 'minute', everyMs: 5_000 } as const
const byHour = { bucket: 'hour', everyMs: 30_000 } as const
const byDay = { bucket: 'day', everyMs: 60_000 } as const

export const ranges = {
  '1h': { label: 'Last hour', lengthMs: hourMs, ...byMinute },
  '6h': { label: 'Last 6 hours', lengthMs: 6 * hourMs, ...byMinute, everyMs: 15_000 },
  '24h': { label: 'Last 24 hours', lengthMs: 24 * hourMs, ...byHour },
  '7d': { label: 'Last 7 days', days: 7, ...byHour },
  '30d': { label: 'Last 30 days', days: 30, ...byDay },
  '90d': { label: 'Last 90 days', days: 90, ...byDay },
} as const satisfies Readonly<Record<string, Range>>

export type RangeName = keyof typeof ranges

export function isRange(name: string | undefined): name is RangeName {
  return name !== undefined && Object.hasOwn(ranges, name)
}

/** The same range by the hour, with the hour before it if it is cut into minutes. Sessions are not summed up by the minute. */
export function withoutMinutes(range: Range): Range {
  return range.bucket === 'minute' ? { ...range, bucket: 'hour', lengthMs: range.lengthMs! + hourMs } : range
}

/** The range at this moment: whole buckets, the last of which goes on. Days are those of the viewer's zone. */
export function spanOf({ bucket, lengthMs = 0, days = 0 }: Range, now: number): Span {
  if (bucket === 'day') {
    const to = nextDay(now)
    return { from: daysBefore(to, days), to }
  }
  const to = now - (now % bucketMs[bucket]) + bucketMs[bucket]
  return { from: days > 0 ? daysBefore(to, days) : to - lengthMs, to }
}

/** When each bucket begins. */
export function startsOf({ bucket }: Range, { from, to }: Span): readonly number[] {
  const starts: number[] = []
  for (let start = from; start < to; start = bucket === 'day' ? nextDay(start) : start + bucketMs[bucket]) starts.push(start)
  return starts
}

function nextDay(at: number): number {
  const date = new Date(at)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime()
}

/** The same time of day. */
function daysBefore(at: number, days: number): number {
  const date = new Date(at)
  return date.setDate(date.getDate() - days)
}
