const maxCharacters = 262_144
const maxDepth = 64
const maxValues = 20_000
const maxPatterns = 500
const maxPatternCharacters = 2_000

/** The limit that a schema exceeds, if any. */
export function schemaExcess(schema: string): string | undefined {
  if (schema.length > maxCharacters) return `it is ${schema.length} characters long, and at most ${maxCharacters} are allowed`
  const counts = { values: 0, patterns: 0, maxPatternLength: 0, depth: 0 }
  count(JSON.parse(schema), 1, counts)
  if (counts.depth > maxDepth) return `it nests ${counts.depth} levels deep, and at most ${maxDepth} are allowed`
  if (counts.values > maxValues) return `it has ${counts.values} members and elements, and at most ${maxValues} are allowed`
  if (counts.patterns > maxPatterns) return `it has ${counts.patterns} patterns, and at most ${maxPatterns} are allowed`
  if (counts.maxPatternLength > maxPatternCharacters)
    return `a pattern is ${counts.maxPatternLength} characters long, and at most ${maxPatternCharacters} are allowed`
  return undefined
}

interface Counts {
  values: number
  patterns: number
  maxPatternLength: number
  depth: number
}

function count(value: unknown, depth: number, counts: Counts): void {
  if (typeof value !== 'object' || value === null) return
  counts.depth = Math.max(counts.depth, depth)
  for (const [key, member] of Object.entries(value)) {
    counts.values++
    if (key === 'pattern' && typeof member === 'string') countPattern(member, counts)
    if (key === 'patternProperties' && typeof member === 'object' && member !== null)
      for (const pattern of Object.keys(member)) countPattern(pattern, counts)
    count(member, depth + 1, counts)
  }
}

function countPattern(pattern: string, counts: Counts): void {
  counts.patterns++
  counts.maxPatternLength = Math.max(counts.maxPatternLength, pattern.length)
}
