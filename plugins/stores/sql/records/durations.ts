import type { AnswerTimes } from '../../../../core/index.ts'

/** Each bucket is a fifth longer than the one before, so that a quantile is within 10%. */
const growth = Math.log(1.2)

/** The bucket of a duration. The first is a millisecond. */
export function durationBucket(ms: number): number {
  return ms > 1 ? Math.ceil(Math.log(ms) / growth) : 0
}

/** `counts`: how many answers there were in each bucket. */
export function answerTimesOf(counts: ReadonlyMap<number, number>): AnswerTimes {
  const sorted = [...counts].toSorted(([a], [b]) => a - b)
  const total = sorted.reduce((sum, [, count]) => sum + count, 0)
  const quantile = (share: number): number | null => {
    let rank = Math.max(1, Math.ceil(share * total))
    for (const [bucket, count] of sorted) if ((rank -= count) <= 0) return middleMs(bucket)
    return null
  }
  return { p50Ms: quantile(0.5), p95Ms: quantile(0.95) }
}

function middleMs(bucket: number): number {
  return bucket === 0 ? 1 : Math.exp((bucket - 0.5) * growth)
}
