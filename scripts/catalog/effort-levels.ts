import { efforts, type Effort } from '../../core/index.ts'

/** Levels under which the source stands for any model that reasons and of which it knows no more. */
const unspecific = 'minimal,low,medium,high,xhigh'

/** From levels that the source translates for the vendor. */
export function effortsFromThinking(
  levels: readonly string[],
  translation: Readonly<Record<string, string>> = {},
): readonly Effort[] | undefined {
  if (levels.length === 0 || levels.join(',') === unspecific) return undefined
  return inOrder(levels.map(level => translation[level] ?? level))
}

/** From the source's own levels to the vendor's: null is not supported. Where a usual one is absent the source has not looked. */
export function effortsFromLevels(levels: Readonly<Record<string, string | null>>): readonly Effort[] | undefined {
  if (!['minimal', 'low', 'medium', 'high'].every(level => level in levels)) return undefined
  return inOrder(Object.values(levels))
}

/** With or without `none`, as far as it is known whether the model can be told not to think. */
export function withRest(levels: readonly Effort[] | undefined, rests: boolean | undefined): readonly Effort[] | undefined {
  if (!levels || levels.length === 0 || rests === undefined) return levels
  const thinking = levels.filter(level => level !== 'none')
  return rests ? ['none', ...thinking] : thinking
}

function inOrder(names: readonly (string | null | undefined)[]): readonly Effort[] {
  return efforts.filter(level => names.includes(level))
}
