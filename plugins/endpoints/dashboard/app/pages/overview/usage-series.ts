/** A row of `GET /admin/v1/usage`. */
export interface UsageRow {
  readonly at: string
  readonly others?: true
  readonly requests: number
  readonly errors: number
  readonly input_tokens: number
  readonly cached_tokens: number
  readonly output_tokens: number
  readonly cost_usd: number
  readonly unpriced: number
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  readonly [group: string]: unknown
}

export type Measure = (row: UsageRow) => number | null

export interface Drawn {
  /** Seconds since the epoch. */
  readonly times: readonly number[]
  readonly series: readonly { readonly label: string; readonly values: readonly (number | null)[] }[]
}

/** Some of the rows, under a name. */
export interface Group {
  readonly name: string
  /** Null: requests without one. Undefined: all that are not among the largest. */
  readonly value: string | null | undefined
  readonly has: (row: UsageRow) => boolean
}

export const measures = {
  requests: row => row.requests,
  errors: row => row.errors,
  tokens: row => row.input_tokens + row.output_tokens,
  inputTokens: row => row.input_tokens,
  cachedTokens: row => row.cached_tokens,
  outputTokens: row => row.output_tokens,
  cost: row => row.cost_usd,
  p50: row => row.p50_ms,
  p95: row => row.p95_ms,
} as const satisfies Readonly<Record<string, Measure>>

const others = 'Others'

/**
 * One series for each group, those of `names` first; without groups, one for each measure. A bucket without requests is 0, and has no
 * latency.
 */
export function chartOf(
  rows: readonly UsageRow[],
  { from, to, bucketMs }: { readonly from: number; readonly to: number; readonly bucketMs: number },
  measured: Readonly<Record<string, Measure>>,
  groups: readonly Group[],
): Drawn {
  const count = Math.max(1, Math.ceil((to - from) / bucketMs))
  const times = Array.from({ length: count }, (_, index) => (from + index * bucketMs) / 1000)
  const series = groups.flatMap(({ name, has }) => {
    const own = rows.filter(has)
    return Object.entries(measured).map(([label, measure]) => {
      const isTime = measure === measures.p50 || measure === measures.p95
      const values: (number | null)[] = times.map(() => (isTime ? null : 0))
      for (const row of own) {
        const index = Math.floor((Date.parse(row.at) - from) / bucketMs)
        if (index >= 0 && index < count) values[index] = measure(row)
      }
      return { label: name === '' ? label : name, values }
    })
  })
  return { times, series }
}

/** Whatever rows there are, together. */
export const everything: readonly Group[] = [{ name: '', value: undefined, has: () => true }]

/** The groups in the order of their totals. `nameOf` says what a group is called. */
export function groupsIn(totals: readonly UsageRow[], groupBy: string, nameOf: (value: string | null) => string): readonly Group[] {
  return totals
    .toSorted((a, b) => Number(a.others ?? false) - Number(b.others ?? false) || b.requests - a.requests)
    .map(total => {
      if (total.others) return { name: others, value: undefined, has: row => row.others === true }
      const value = total[groupBy] as string | null
      return { name: nameOf(value), value, has: row => !row.others && row[groupBy] === value }
    })
}
