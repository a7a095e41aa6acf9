const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** After so long, a message is given up. */
export const giveUpMs = 24 * hour

/** The waits after failed tries: 22 hours together. */
const waits = [5 * second, 30 * second, 2 * minute, 5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 6 * hour, 8 * hour]
/** So that those who failed together do not come again together. */
const jitter = 0.2

/**
 * How long to wait after the last of so many tries. `askedMs`: the target asked for it. Undefined: give up. `random`: from 0 to 1.
 */
export function waitAfter(tries: number, ageMs: number, askedMs: number | undefined, random: () => number): number | undefined {
  const usual = waits[tries - 1]
  if (usual === undefined) return undefined
  const waitMs = Math.max(Math.round(usual * (1 - jitter + 2 * jitter * random())), askedMs ?? 0)
  return ageMs + waitMs > giveUpMs ? undefined : waitMs
}
