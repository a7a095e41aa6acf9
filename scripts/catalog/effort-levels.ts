import { efforts, type Effort } from '../../core/index.ts'

/** Levels under which the source stands for any model that reasons and of which it knows no more. */
const unspecific = 'minimal,low,medium,high,xhigh'

interface Thinking {
  readonly efforts?: readonly string[]
  readonly effortMap?: Readonly<Record<string, string>>
  readonly requiresEffort?: boolean
}

/** From levels that the source translates for the vendor, and how the vendor is told not to think. */
export function effortsFromThinking(
  { efforts: levels = [], effortMap = {}, requiresEffort }: Thinking,
  off: string | undefined,
): readonly Effort[] | undefined {
  if (levels.length === 0 || levels.join(',') === unspecific) return undefined
  const said = levels.map(level => effortMap[level] ?? level)
  const canBeOff = !requiresEffort && off !== undefined && off !== 'lowest-effort'
  return inOrder(canBeOff ? ['none', ...said] : said)
}

/** From the source's own levels to the vendor's: null is not supported. Where a usual one is absent the source has not looked. */
export function effortsFromLevels(levels: Readonly<Record<string, string | null>>): readonly Effort[] | undefined {
  if (!['minimal', 'low', 'medium', 'high'].every(level => level in levels)) return undefined
  return inOrder(Object.values(levels))
}

function inOrder(names: readonly (string | null | undefined)[]): readonly Effort[] {
  return efforts.filter(level => names.includes(level))
}
