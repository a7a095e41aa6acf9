import leven from 'leven'

/** The known names closest in spelling to `name`, best first, at most three. Empty if nothing is close. `limit`: the most letters that may differ. */
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
    const distance = isPart ? 1 : leven(wanted, spelt, { maxDistance: limit + 1 })
    if (distance <= limit) near.push({ candidate, distance })
  }
  return near
    .sort((a, b) => a.distance - b.distance || a.candidate.length - b.candidate.length)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}
