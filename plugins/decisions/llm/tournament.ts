import { normalised } from './temper.ts'

/** Asks how some options, by their numbers, share what is theirs together. */
type Ask = (options: readonly number[]) => Promise<readonly number[]>

/**
 * How all options share 1, where at most `size` can be compared at a time: groups are asked, then their winners.
 *
 * Two options keep the proportion that they had where they were compared. So a group weighs what its winner got among the winners, divided
 * by what it got within the group.
 */
export async function tournament(options: readonly number[], size: number, ask: Ask): Promise<readonly number[]> {
  if (options.length === 1) return [1]
  if (options.length <= size) return await ask(options)
  const groups = groupsOf(options, size)
  const within = await Promise.all(groups.map(group => tournament(group, size, ask)))
  const best = within.map(shares => Math.max(...shares))
  const winners = groups.map((group, index) => group[within[index]!.indexOf(best[index]!)]!)
  const among = await tournament(winners, size, ask)
  return normalised(within.flatMap((shares, index) => shares.map(share => (share * among[index]!) / best[index]!)))
}

/** How many comparisons that takes, if each takes as many calls as `callsFor` says for its number of options. */
export function callsOfTournament(count: number, size: number, callsFor: (count: number) => number): number {
  if (count === 1) return 0
  if (count <= size) return callsFor(count)
  const groups = groupsOf(Array.from({ length: count }), size)
  return [...groups.map(({ length }) => length), groups.length].reduce((sum, each) => sum + callsOfTournament(each, size, callsFor), 0)
}

/** As few as possible, of much the same size. */
function groupsOf<T>(options: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(options.length / size)
  return Array.from({ length: count }, (_, group) =>
    options.slice(Math.floor((group * options.length) / count), Math.floor(((group + 1) * options.length) / count)),
  )
}
