const second = 1000
const minute = 60 * second
const hour = 60 * minute
/** Distances that people expect beyond a second. */
const longSteps = [
  ...[1, 2, 5, 10, 15, 30].map(each => each * second),
  ...[1, 2, 5, 10, 15, 30].map(each => each * minute),
  ...[1, 2, 4, 6, 12, 24].map(each => each * hour),
]

/** Where to label an axis from 0, in milliseconds: at most so many labels after the 0, at round numbers. */
export function ticksOf(totalMs: number, most = 5): readonly number[] {
  const step = stepFor(totalMs / most)
  return Array.from({ length: Math.floor(totalMs / step + 1e-9) + 1 }, (_, index) => index * step)
}

function stepFor(leastMs: number): number {
  const long = longSteps.find(each => each >= leastMs)
  if (leastMs > second / 2) return long ?? Math.ceil(leastMs / (24 * hour)) * 24 * hour
  const power = 10 ** Math.floor(Math.log10(leastMs))
  return [1, 2, 5, 10].map(each => each * power).find(each => each >= leastMs * (1 - 1e-9))!
}
