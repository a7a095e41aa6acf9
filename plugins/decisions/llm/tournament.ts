import { normalised } from './temper.ts'

/** Returns the shares of some options, given by index, relative to each other. */
type Ask = (options: readonly number[]) => Promise<readonly number[]>

/**
 * The shares of all options when only `size` of them can be compared at a time: compares groups, then the winners of the groups.
 *
 * Options that were compared keep their proportion. So the weight of a group is its winner's share among the winners, divided by that
 * winner's share in the group.
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

/** The number of calls that a tournament takes. `callsFor` gives the calls for one comparison of that many options. */
export function callsOfTournament(count: number, size: number, callsFor: (count: number) => number): number {
  if (count === 1) return 0
  if (count <= size) return callsFor(count)
  const groups = groupsOf(Array.from({ length: count }), size)
  return [...groups.map(({ length }) => length), groups.length].reduce((sum, each) => sum + callsOfTournament(each, size, callsFor), 0)
}

/** As few groups as possible, of nearly equal size. */
function groupsOf<T>(options: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(options.length / size)
  return Array.from({ length: count }, (_, group) =>
    options.slice(Math.floor((group * options.length) / count), Math.floor(((group + 1) * options.length) / count)),
  )
}
