import { efforts, type Effort } from '../../core/kit.ts'

/** The levels that the source uses as a default for reasoning models that it knows nothing else about. */
const unspecific = 'minimal,low,medium,high,xhigh'

/** Reads levels that the source translates for the vendor. */
export function effortsFromThinking(
  levels: readonly string[],
  translation: Readonly<Record<string, string>> = {},
): readonly Effort[] | undefined {
  if (levels.length === 0 || levels.join(',') === unspecific) return undefined
  return inOrder(levels.map(level => translation[level] ?? level))
}

/** Maps the source's levels to the vendor's. Null means not supported. If a common level is absent, its support is unknown. */
export function effortsFromLevels(levels: Readonly<Record<string, string | null>>): readonly Effort[] | undefined {
  if (!['minimal', 'low', 'medium', 'high'].every(level => level in levels)) return undefined
  return inOrder(Object.values(levels))
}

/** Adds or removes `none`, if it is known whether the model's reasoning can be turned off. */
export function withRest(levels: readonly Effort[] | undefined, rests: boolean | undefined): readonly Effort[] | undefined {
  if (!levels || levels.length === 0 || rests === undefined) return levels
  const thinking = levels.filter(level => level !== 'none')
  return rests ? ['none', ...thinking] : thinking
}

function inOrder(names: readonly (string | null | undefined)[]): readonly Effort[] {
  return efforts.filter(level => names.includes(level))
}
