/** The owner whose memory is the largest together. */
export function largestOwner(all: readonly { readonly owner: string; readonly bytes: number }[]): string {
  const bytes = new Map<string, number>()
  for (const each of all) bytes.set(each.owner, (bytes.get(each.owner) ?? 0) + each.bytes)
  return [...bytes].reduce((largest, each) => (each[1] > largest[1] ? each : largest))[0]
}
