import type { AnswerTimes } from '../../../../core/stores.ts'

/** Each bucket is a tenth longer than the one before, so that a quantile is within 10%. */
const growth = Math.log(1.1)

/** The bucket of a duration. The first is a millisecond. */
export function durationBucket(ms: number): number {
  return ms > 1 ? Math.ceil(Math.log(ms) / growth) : 0
}

/** `counts`: how many answers there were in each bucket. Within a bucket they count as evenly spread. */
export function answerTimesOf(counts: ReadonlyMap<number, number>): AnswerTimes {
  const sorted = [...counts].toSorted(([a], [b]) => a - b)
  const total = sorted.reduce((sum, [, count]) => sum + count, 0)
  const quantile = (share: number): number | null => {
    let rank = Math.max(1, Math.ceil(share * total))
    for (const [bucket, count] of sorted) {
      if (rank <= count) return msAt(bucket, (rank - 0.5) / count)
      rank -= count
    }
    return null
  }
  return { p50Ms: quantile(0.5), p95Ms: quantile(0.95) }
}

/** `share`: from 0, where the bucket begins, to 1, where it ends. */
function msAt(bucket: number, share: number): number {
  return bucket === 0 ? 1 : Math.exp((bucket - 1 + share) * growth)
}
