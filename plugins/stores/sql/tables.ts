import type { accountFields, keyFields } from '../../../core/stores.ts'
import type { AlertClaimTable, AlertDeliveryTable, AlertNoteTable, AlertSilenceTable, AlertTable } from './alerts/tables.ts'
import type { AlertMessageTable, AlertTargetTable, AlertTargetUseTable } from './alerts/target-tables.ts'
import type { Row } from './field-columns.ts'
import type {
  KeyUseTable,
  NamedModelTable,
  RecordAskedTable,
  RecordContentTable,
  RecordTable,
  UsageLatencyTable,
  UsageSessionTable,
  UsageTable,
} from './records/tables.ts'

export interface Tables {
  readonly account: AccountTable
  readonly admin_token: AdminTokenTable
  readonly alert: AlertTable
  readonly alert_claim: AlertClaimTable
  readonly alert_delivery: AlertDeliveryTable
  readonly alert_message: AlertMessageTable
  readonly alert_note: AlertNoteTable
  readonly alert_silence: AlertSilenceTable
  readonly alert_target: AlertTargetTable
  readonly alert_target_use: AlertTargetUseTable
  readonly api_key: KeyTable
  readonly audit: AuditTable
  readonly conversation: ConversationTable
  readonly conversation_item: ConversationItemTable
  readonly background: BackgroundTable
  readonly background_event: BackgroundEventTable
  readonly credit: CreditTable
  readonly credit_entry: CreditEntryTable
  readonly credit_hold: CreditHoldTable
  readonly data_key: DataKeyTable
  readonly erased_answer: ErasedAnswerTable
  readonly key_use: KeyUseTable
  readonly ledger_process: LedgerProcessTable
  readonly master_key_check: MasterKeyCheckTable
  readonly named_model: NamedModelTable
  readonly rate_window: RateWindowTable
  readonly record: RecordTable
  readonly record_asked: RecordAskedTable
  readonly record_content: RecordContentTable
  readonly metric: MetricTable
  readonly response: ResponseTable
  readonly retired_account: RetiredAccountTable
  readonly response_item: ResponseItemTable
  readonly sign_out: SignOutTable
  readonly spend: SpendTable
  readonly usage: UsageTable
  readonly usage_latency: UsageLatencyTable
  readonly usage_session: UsageSessionTable
}

export interface KeyTable extends Row<typeof keyFields> {}

export interface AccountTable extends Row<typeof accountFields> {}

/** Accounts that were removed. */
export interface RetiredAccountTable {
  readonly level: string
  readonly org: string
  readonly id: string
}

export interface AdminTokenTable {
  readonly id: string
  readonly hash: string
  readonly name: string
  readonly role: string
  readonly org: string | null
  readonly created_at: number
}

export interface AuditTable {
  readonly id: string
  readonly at: number
  readonly actor: string
  readonly action: string
  readonly target: string
  readonly org: string | null
  readonly changes: string
}

/** A response that runs, or ran, in the background. */
export interface BackgroundTable {
  readonly owner: string
  readonly id: string
  readonly org: string
  readonly status: string
  readonly created_at: number
  /** Null once it is over. By the clock of the database, as the two times after it. */
  readonly lease_ends_at: number | null
  readonly expires_at: number | null
  readonly notice_at: number | null
  readonly tries: number
  /** How many of its chunks of events may be read. */
  readonly parts: number
  readonly last_sequence: number
  /** The response object, sealed. */
  readonly body: Uint8Array
  /** The items of the request, sealed. */
  readonly input: Uint8Array
}

/** A sealed piece of its event stream. */
export interface BackgroundEventTable {
  readonly owner: string
  readonly response_id: string
  readonly part: number
  readonly first: number
  readonly last: number
  readonly events: Uint8Array
}

export interface DataKeyTable {
  readonly id: string
  readonly org: string
  /** The key's bytes, sealed by the server's sealer. */
  readonly sealed: Uint8Array
  readonly created_at: number
}

/** One row, which shows whether a master key is the one that sealed the rest. */
export interface MasterKeyCheckTable {
  readonly id: number
  /** A known text, sealed. */
  readonly sealed: Uint8Array
  /** The HMAC of that text, in hex. The hashes of API keys use the same key. */
  readonly mac: string
}

export interface LedgerProcessTable {
  readonly id: string
  readonly seen_at: number
}

export interface SpendTable {
  readonly name: string
  readonly period_start: number
  readonly spent: number
  readonly reserved: number
}

export interface CreditTable {
  readonly org: string
  readonly balance: number
  readonly reserved: number
}

export interface CreditEntryTable {
  readonly id: string
  readonly org: string
  readonly at: number
  readonly amount: number
  readonly note: string | null
  readonly request_id: string | null
}

export interface CreditHoldTable {
  readonly id: string
  readonly process: string
  readonly amount: number
  readonly sums: string
  readonly credit_org: string | null
  readonly expired_at: number | null
}

export interface RateWindowTable {
  readonly bucket: string
  readonly used: number
  /** Milliseconds since the epoch. */
  readonly ends_at: number
}

/** The metrics that one gateway has of one endpoint in one period. Older periods are rolled up: each attempt counts in one row only. */
export interface MetricTable {
  /** An index of `rollUps`. */
  readonly level: number
  readonly first_minute: number
  readonly provider: string
  readonly model: string
  readonly writer: string
  readonly summary: Uint8Array
}

export interface ResponseTable {
  readonly owner: string
  readonly id: string
  readonly org: string
  readonly previous_id: string | null
  readonly created_at: number
  /** A sealed `Turn`. */
  readonly conversation: Uint8Array
  /** The object that the client received, sealed. */
  readonly body: Uint8Array
}

export interface ConversationTable {
  readonly owner: string
  readonly id: string
  readonly org: string
  readonly created_at: number
  /** Grows with every lease, and with every change of items. */
  readonly fence: number
  /** By the clock of the database, in milliseconds since the epoch. Null: no run has it. */
  readonly leased_until: number | null
  readonly next_position: number
  /** How many it has. */
  readonly items: number
  /** Of its sealed items. */
  readonly bytes: number
  /** Sealed. */
  readonly metadata: Uint8Array
}

export interface ConversationItemTable {
  /** The `conversationKey` of its owner and id. */
  readonly conversation: string
  readonly position: number
  readonly item_id: string
  /** Sealed. */
  readonly item: Uint8Array
}

/** The newest response with an item of this id. */
export interface ResponseItemTable {
  readonly owner: string
  readonly item_id: string
  readonly response_id: string
}

/** A session of the dashboard that somebody signed out of. */
export interface SignOutTable {
  readonly id: string
  /** By the clock of the database, in milliseconds since the epoch. */
  readonly kept_until: number
}

/** An answer whose content must not be stored any more. */
export interface ErasedAnswerTable {
  readonly owner: string
  readonly answer_id: string
  readonly at: number
}
