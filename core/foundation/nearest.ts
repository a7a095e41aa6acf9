/** Up to three known names with the most similar spelling, best first. Empty if none is similar. */
export function nearest(name: string, known: Iterable<string>): readonly string[] {
  const wanted = name.toLowerCase()
  const limit = Math.min(8, Math.max(2, Math.floor(wanted.length / 3)))
  const near: { readonly candidate: string; readonly distance: number }[] = []
  for (const candidate of known) {
    const spelt = candidate.toLowerCase()
    const distance = spelt.includes(wanted) && wanted.length > 2 ? 1 : editDistance(wanted, spelt, limit)
    if (distance <= limit) near.push({ candidate, distance })
  }
  return near
    .sort((a, b) => a.distance - b.distance || a.candidate.length - b.candidate.length)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

/** Levenshtein distance, or `limit + 1` if it is larger than the limit. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substituted, row[j]! + 1, next[j - 1]! + 1))
    }
    if (Math.min(...next) > limit) return limit + 1
    row = next
  }
  return row[b.length]!
}
