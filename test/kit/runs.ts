import { isLong } from './long.ts'

/**
 * How often a property is tried. Always with the same seed, save where `FAST_CHECK_SEED` gives another; `FAST_CHECK_RUNS` multiplies
 * the runs, by 20 in `npm run test:long`. Properties that are checked in turn differ by `salt`, so that they do not all try the same.
 */
export function runs(count: number, salt = 0): { readonly numRuns: number; readonly seed: number } {
  const { FAST_CHECK_SEED: seed = '20260424', FAST_CHECK_RUNS: times = isLong ? '20' : '1' } = process.env
  return { numRuns: Math.ceil(count * Number(times)), seed: Number(seed) + salt }
}
