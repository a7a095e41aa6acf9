/** The target of an organization. */
export interface AlertTargetTable {
  readonly id: string
  readonly org: string
  readonly created_at: number
  /** Grows with every change. */
  readonly revision: number
  /** All that is set, sealed: the address and the secrets are in it. */
  readonly settings: Uint8Array
}

/** A message to a target. Times are those of the database's clock, in milliseconds since the epoch. */
export interface AlertMessageTable {
  readonly id: string
  readonly target: string
  readonly org: string | null
  readonly kind: string
  readonly alert_id: string | null
  /** JSON. */
  readonly digest: string | null
  /** 0, or the place in `filledLimits` plus 1. */
  readonly fills_limit: number
  readonly state: string
  readonly at: number
  /** When its time to be delivered began. */
  readonly since: number
  /** Null: never. */
  readonly due_at: number | null
  readonly ended_at: number | null
  readonly tries: number
  readonly fence: number
  /** 1: a digest has counted it. */
  readonly counted: number
  readonly failure: string | null
  /** Null also if an older version wrote it. */
  readonly about: string | null
}

/** What processes decide together about a target, also one of the operator. */
export interface AlertTargetUseTable {
  readonly target: string
  readonly org: string | null
  /** When a digest is due. */
  readonly digest_at: number | null
  /** It wants no more messages. */
  readonly ended_at: number | null
}
