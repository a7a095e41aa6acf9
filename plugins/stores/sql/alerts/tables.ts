/** Times are those of the database's clock, in milliseconds since the epoch. */
export interface AlertTable {
  readonly id: string
  readonly at: number
  readonly kind: string
  readonly subject: string
  readonly org: string | null
  readonly severity: string
  readonly title: string
  readonly message: string
  readonly facts: string
  readonly resolves: string | null
  readonly resolved_at: number | null
  readonly acknowledged_at: number | null
  readonly acknowledged_by: string | null
  readonly silenced_by: string | null
  /** `all`, `operators`, or `nobody`. */
  readonly audience: string
}

/** A name that is taken. */
export interface AlertClaimTable {
  readonly name: string
  readonly ends_at: number
}

/** An alert that a channel has not delivered yet. */
export interface AlertDeliveryTable {
  readonly alert_id: string
  readonly channel: string
  readonly raised_at: number
  readonly due_at: number
  readonly tries: number
  readonly audience: string
}

export interface AlertNoteTable {
  readonly name: string
  readonly version: number
  readonly value: string
}

export interface AlertSilenceTable {
  readonly id: string
  readonly at: number
  readonly ends_at: number
  readonly kind: string | null
  readonly subject: string | null
  readonly org: string | null
  readonly note: string | null
  readonly made_by: string
  readonly reach: string
}
