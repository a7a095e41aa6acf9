/** A record of `GET /admin/v1/records`. */
export interface RequestRecord {
  readonly id: string
  readonly answer_id: string | null
  readonly created_at: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly elapsed_ms: number
  readonly key: string | null
  readonly org: string | null
  readonly team: string | null
  readonly user: string | null
  readonly stream: boolean
  readonly requested_model: string | null
  readonly model: string | null
  readonly provider: string | null
  readonly attempts: readonly Attempt[]
  readonly routing: Routing | null
  readonly usage: Usage | null
  readonly cost_usd: number | null
  readonly error_code: string | null
  readonly policy: Readonly<Record<string, boolean>> | null
  readonly policy_source: Readonly<Record<string, string>> | null
  readonly notes: readonly { readonly kind: string; readonly summary: Readonly<Record<string, unknown>> }[]
  /** Only where it was asked for, and null where nothing is kept. */
  readonly request?: unknown
  readonly response?: unknown
  /** What guardrails kept beside them. */
  readonly kept?: Readonly<Record<string, unknown>>
}

/** True if it failed after the answer had begun with a good status. */
export function hasFailedLater({ status, error_code: code }: RequestRecord): boolean {
  return status < 400 && code !== null
}

export interface Attempt {
  readonly provider: string
  readonly model: string
  readonly outcome: string
  readonly status: number | null
  readonly elapsed_ms: number
  readonly cost_usd?: number | null
}

export interface Routing {
  readonly sort: string | null
  readonly model_sort: string | null
  readonly interval_ms: number
  readonly preferred: string | null
  readonly candidates: readonly Candidate[]
  readonly passed_over: Readonly<Record<string, number>>
}

export interface Candidate {
  readonly provider: string
  readonly model: string
  readonly value: number | null
  readonly model_value?: number | null
  readonly passed_over: string | null
}

export interface Usage {
  readonly input_tokens: number
  readonly uncached_input_tokens: number
  readonly cached_tokens: number
  readonly cache_write_5m_tokens: number
  readonly cache_write_1h_tokens: number
  readonly output_tokens: number
  readonly reasoning_tokens: number
  /** The provider reported no usage, or not all of it. */
  readonly estimated: boolean
}
