import { recordFields } from '../../../../core/stores.ts'
import { FieldColumns, type Row } from '../field-columns.ts'

export interface RecordTable extends Row<typeof recordFields> {}
export const recordColumns = new FieldColumns(recordFields)

/** The content of a record, sealed. */
export interface RecordContentTable {
  readonly id: string
  readonly org: string
  readonly at: number
  readonly sealed: Uint8Array
}

/** The sums of one minute, quarter of an hour, hour or day. An empty text stands for null, and for what a bucket leaves out: see `rollUpMs`. */
export interface UsageTable {
  readonly bucket: 'minute' | 'quarter' | 'hour' | 'day' | 'day-models' | 'day-keys'
  readonly at: number
  readonly org: string
  readonly team: string
  readonly key_id: string
  readonly model: string
  readonly provider: string
  readonly requests: number
  readonly errors: number
  readonly input_tokens: number
  readonly cached_tokens: number
  readonly output_tokens: number
  /** Nano-dollars. */
  readonly cost: number
  readonly unpriced: number
  /** This and what follows is null where only versions added up that did not count it. */
  readonly caller_errors: number | null
  readonly policy_errors: number | null
  readonly vendor_errors: number | null
  readonly gateway_errors: number | null
  readonly attempts: number | null
  readonly failed_attempts: number | null
  readonly faults: number | null
}

/** The sums of the requests of one session in a quarter of an hour or a day. */
export interface UsageSessionTable extends Omit<UsageTable, 'bucket'> {
  readonly bucket: 'quarter' | 'day'
  readonly session: string
}

/** How many requests were answered, and how many attempts succeeded, within a duration: `duration` is a bucket of `durationBucket`. */
export interface UsageLatencyTable extends Pick<UsageTable, 'bucket' | 'at' | 'org' | 'team' | 'key_id' | 'model' | 'provider'> {
  readonly duration: number
  readonly answers: number
  readonly attempts: number
}

/** A model that no catalog lists and that usage names: see `NamedModels`. */
export interface NamedModelTable {
  readonly org: string
  readonly provider: string
  readonly model: string
}

/** A name of `namesAsked` by which a filter finds a record, in addition to the record's own model and provider. */
export interface RecordAskedTable {
  readonly name: string
  readonly at: number
  readonly id: string
}

export interface KeyUseTable {
  readonly key_id: string
  readonly requests: number
  /** Nano-dollars. */
  readonly cost: number
  readonly last_used_at: number
}
