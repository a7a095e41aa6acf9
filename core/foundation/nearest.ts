/** The known names that are spelled most like `name`, best first, at most three. `limit`: the most letters that may differ. */
export function nearest(
  name: string,
  known: Iterable<string>,
  limit = Math.min(8, Math.max(2, Math.floor(name.length / 3))),
): readonly string[] {
  const wanted = name.toLowerCase()
  const near: { readonly candidate: string; readonly distance: number }[] = []
  for (const candidate of known) {
    const spelt = candidate.toLowerCase()
    const isPart = spelt !== wanted && spelt.includes(wanted) && wanted.length > 2
    const distance = isPart ? 1 : editDistance(wanted, spelt, limit)
    if (distance <= limit) near.push({ candidate, distance })
  }
  return near
    .sort((a, b) => a.distance - b.distance || a.candidate.length - b.candidate.length)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

/** Levenshtein distance, given up as `limit + 1` once it must be larger. */
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
