import type { ShownRecord, ShownUsage } from '../../fields.ts'

/** A record of `GET /admin/v1/records`. */
export interface RequestRecord extends ShownRecord {
  /** Only where it was asked for, and null where nothing is kept. */
  readonly request?: unknown
  readonly response?: unknown
  /** Content that guardrails kept in addition. */
  readonly kept?: Readonly<Record<string, unknown>>
}

export type Attempt = ShownRecord['attempts'][number]
export type Routing = NonNullable<ShownRecord['routing']>
export type Candidate = Routing['candidates'][number]
export type Usage = ShownUsage

/** True if it failed after the answer had begun with a good status. */
export function hasFailedLater({ status, error_code: code }: RequestRecord): boolean {
  return status < 400 && code !== null
}
