/** How one request of a scenario ended. */
export interface Outcome {
  readonly request: number
  /** Since the start of the scenario. */
  readonly atMs: number
  readonly isAnswered: boolean
  /** Who answered. */
  readonly provider: string | undefined
  readonly totalMs: number
  readonly costUsd: number
}
