const maximumCharacters = 262_144
const maximumDepth = 64
const maximumValues = 20_000
const maximumPatterns = 500
const maximumPatternCharacters = 2_000

/** The limit that a schema exceeds, if any. */
export function schemaExcess(schema: string): string | undefined {
  if (schema.length > maximumCharacters) return `it is ${schema.length} characters long, and at most ${maximumCharacters} are allowed`
  const counts = { values: 0, patterns: 0, longestPattern: 0, depth: 0 }
  count(JSON.parse(schema), 1, counts)
  if (counts.depth > maximumDepth) return `it nests ${counts.depth} levels deep, and at most ${maximumDepth} are allowed`
  if (counts.values > maximumValues) return `it has ${counts.values} members and elements, and at most ${maximumValues} are allowed`
  if (counts.patterns > maximumPatterns) return `it has ${counts.patterns} patterns, and at most ${maximumPatterns} are allowed`
  if (counts.longestPattern > maximumPatternCharacters)
    return `a pattern is ${counts.longestPattern} characters long, and at most ${maximumPatternCharacters} are allowed`
  return undefined
}

interface Counts {
  values: number
  patterns: number
  longestPattern: number
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
  counts.longestPattern = Math.max(counts.longestPattern, pattern.length)
}
