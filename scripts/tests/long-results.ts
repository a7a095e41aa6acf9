/** The last run of all long checks: `scripts/tests/long-results.json`, from which docs/long-checks.md is made. */
export interface LongRun {
  /** Such as `2026-11-23`. */
  readonly date: string
  readonly commit: string
  readonly results: readonly LongResult[]
}

export interface LongResult {
  /** Of the check in `long-checks.ts`. */
  readonly name: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly seconds: number
}
