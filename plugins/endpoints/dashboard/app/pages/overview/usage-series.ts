/** A row of `GET /admin/v1/usage`. */
export interface UsageRow {
  readonly at: string
  readonly others?: true
  readonly requests: number
  readonly errors: number
  /** Null, as what follows: unknown. */
  readonly caller_errors: number | null
  readonly policy_errors: number | null
  readonly vendor_errors: number | null
  readonly attempts: number | null
  readonly failed_attempts: number | null
  readonly input_tokens: number
  readonly cached_tokens: number
  readonly output_tokens: number
  readonly cost_usd: number
  readonly unpriced: number
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  readonly attempt_p50_ms: number | null
  readonly attempt_p95_ms: number | null
  readonly [group: string]: unknown
}

export type Measure = (row: UsageRow) => number | null

export interface Drawn {
  /** Seconds since the epoch. */
  readonly times: readonly number[]
  readonly series: readonly { readonly label: string; readonly values: readonly (number | null)[]; readonly total: number | null }[]
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
  vendorErrors: row => row.vendor_errors ?? 0,
  policyErrors: row => row.policy_errors ?? 0,
  callerErrors: row => row.caller_errors ?? 0,
  otherErrors,
  failedAttempts: row => row.failed_attempts,
  tokens: row => row.input_tokens + row.output_tokens,
  inputTokens: row => row.input_tokens,
  cachedTokens: row => row.cached_tokens,
  outputTokens: row => row.output_tokens,
  cost: row => row.cost_usd,
  p50: row => row.p50_ms,
  p95: row => row.p95_ms,
  attemptP50: row => row.attempt_p50_ms,
  attemptP95: row => row.attempt_p95_ms,
} as const satisfies Readonly<Record<string, Measure>>

const times: readonly Measure[] = [measures.p50, measures.p95, measures.attemptP50, measures.attemptP95]

/** Errors of the gateway, and those whose cause is unknown. */
export function otherErrors({ errors, caller_errors: caller, policy_errors: policy, vendor_errors: vendor }: UsageRow): number {
  return errors - (caller ?? 0) - (policy ?? 0) - (vendor ?? 0)
}

const others = 'Others'

/**
 * One series for each group, those of `names` first; without groups, one for each measure. `starts`: when each bucket begins. A bucket
 * without requests is 0, and has no latency. `totals` has a row of the whole time for each group: latencies cannot be added up.
 */
export function chartOf(
  rows: readonly UsageRow[],
  totals: readonly UsageRow[],
  starts: readonly number[],
  measured: Readonly<Record<string, Measure>>,
  groups: readonly Group[],
): Drawn {
  const positions = new Map(starts.map((start, index) => [start, index]))
  const series = groups.flatMap(({ name, has }) => {
    const own = rows.filter(has)
    const total = totals.find(has)
    return Object.entries(measured).map(([label, measure]) => {
      const isTime = times.includes(measure)
      const values: (number | null)[] = starts.map(() => (isTime ? null : 0))
      for (const row of own) {
        const index = positions.get(Date.parse(row.at))
        if (index !== undefined) values[index] = measure(row)
      }
      const sum = isTime ? (total ? measure(total) : null) : values.reduce<number>((all, value) => all + (value ?? 0), 0)
      return { label: name === '' ? label : name, values, total: sum }
    })
  })
  return { times: starts.map(start => start / 1000), series }
}

/** Whatever rows there are, together. */
export const everything: readonly Group[] = [{ name: '', value: undefined, has: () => true }]

/** The groups in the order of their totals. `nameOf` says what a group is called. */
export function groupsIn(totals: readonly UsageRow[], groupBy: string, nameOf: (value: string | null) => string): readonly Group[] {
  return totals
    .toSorted(
      (a, b) => Number(a.others ?? false) - Number(b.others ?? false) || b.requests - a.requests || (b.attempts ?? 0) - (a.attempts ?? 0),
    )
    .map(total => {
      if (total.others) return { name: others, value: undefined, has: row => row.others === true }
      const value = total[groupBy] as string | null
      return { name: nameOf(value), value, has: row => !row.others && row[groupBy] === value }
    })
}
