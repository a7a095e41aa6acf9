import type { ShownRecord, ShownUsage } from '../../fields.ts'

/** A record of `GET /admin/v1/records`. */
export type RequestRecord = ShownRecord & RecordContent & Told

interface RecordContent {
  /** Only where it was asked for, and null where nothing is kept. */
  readonly request?: unknown
  readonly response?: unknown
  /** Content that guardrails kept in addition. */
  readonly kept?: Readonly<Record<string, unknown>>
}

/** Absent from records of versions that did not keep it. */
interface Told {
  readonly error_message?: string | null
  readonly error_param?: string | null
  readonly reason?: string | null
  readonly reason_level?: string | null
  readonly first_event_ms?: number | null
  readonly credit_wait_ms?: number | null
  readonly vendor_status?: number | null
  readonly vendor_code?: string | null
  readonly vendor_request_id?: string | null
}

export type Attempt = ShownRecord['attempts'][number] & {
  readonly first_event_ms?: number
  readonly queued_ms?: number
  readonly waited_ms?: number
  readonly vendor_code?: string
  readonly request_id?: string
}
export type Routing = NonNullable<ShownRecord['routing']>
export type Candidate = Routing['candidates'][number]
export type Usage = ShownUsage

/** True if it failed after the answer had begun with a good status. */
export function hasFailedLater({ status, error_code: code }: RequestRecord): boolean {
  return status < 400 && code !== null
}
