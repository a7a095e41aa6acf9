/** The longest that Node's timers can wait: almost 25 days. They fire at once if they should wait longer. */
export const maxMs = 2_147_483_647

/** The JSON Schema of an option in milliseconds. */
export const milliseconds = { type: 'integer', minimum: 1, maximum: maxMs } as const

/** Explains a bound that a number exceeds. Undefined if it is another bound. */
export function millisecondsProblem(keyword: string, limit: unknown): string | undefined {
  return keyword === 'maximum' && limit === maxMs ? `must be at most ${maxMs} ms, which is almost 25 days` : undefined
}
