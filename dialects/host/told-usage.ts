import type { UsageTable } from './departures.ts'
import { memberPath, valueAt, type MemberPath } from './member-path.ts'

/** A host's counts. A count that is no number stays what it is, so that the dialect finds it. */
export interface ToldCounts {
  readonly input: unknown
  readonly output: unknown
  readonly cacheRead: unknown
  readonly cacheWrite: unknown
  readonly reasoning: unknown
}

/** Reads the counts by the host's table. `includesCache`: the dialect's input counts what caches read and wrote. */
export class UsageReader {
  readonly #table: UsageTable
  readonly #paths: Readonly<Record<keyof ToldCounts, MemberPath | undefined>>
  readonly #includesCache: boolean

  constructor(table: UsageTable, includesCache: boolean) {
    const path = (dotted: string | undefined): MemberPath | undefined => (dotted === undefined ? undefined : memberPath(dotted))
    this.#table = table
    this.#paths = {
      input: path(table.input),
      output: path(table.output),
      cacheRead: path(table.cacheRead),
      cacheWrite: path(table.cacheWrite),
      reasoning: path(table.reasoning),
    }
    this.#includesCache = includesCache
  }

  /** Undefined if `holder` has neither input nor output. */
  read(holder: unknown): ToldCounts | undefined {
    const count = (name: keyof ToldCounts): unknown => {
      const path = this.#paths[name]
      return path && (valueAt(holder, path) ?? undefined)
    }
    const [input, output] = [count('input'), count('output')]
    if (input === undefined && output === undefined) return undefined
    const [cacheRead, cacheWrite, reasoning] = [count('cacheRead'), count('cacheWrite'), count('reasoning')]
    const { inputExcludesCache = false, outputExcludesReasoning = false } = this.#table
    return {
      input: inputExcludesCache === this.#includesCache ? moved(input, this.#includesCache ? 1 : -1, cacheRead, cacheWrite) : input,
      output: outputExcludesReasoning ? moved(output, 1, reasoning) : output,
      cacheRead,
      cacheWrite,
      reasoning,
    }
  }
}

function moved(count: unknown, sign: 1 | -1, ...others: readonly unknown[]): unknown {
  return others.reduce<unknown>(
    (sum, each) => (typeof sum === 'number' && typeof each === 'number' ? Math.max(0, sum + sign * each) : sum),
    count,
  )
}
