/** The last run of a long check. `scripts/tests/long-results.json` has one for each, from which docs/long-checks.md is made. */
export interface LongResult {
  /** Of the check in `long-checks.ts`. */
  readonly name: string
  /** Such as `2026-11-23`. */
  readonly date: string
  readonly commit: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly seconds: number
}
