import type { AccountTable, RetiredAccountTable } from './accounts.ts'
import type { AdminTokenTable } from './admin-tokens.ts'
import type { AuditTable } from './audit-trail.ts'
import type { DataKeyTable } from './data-keys.ts'
import type { KeyTable } from './keys.ts'
import type { LedgerProcessTable } from './ledger/process.ts'
import type { CreditEntryTable, CreditHoldTable, CreditTable, SpendTable } from './ledger/sums.ts'
import type { RateWindowTable } from './limits.ts'
import type { MasterKeyCheckTable } from './master-key-check.ts'
import type { ErasedAnswerTable } from './records/erasure.ts'
import type {
  KeyUseTable,
  NamedModelTable,
  RecordAskedTable,
  RecordContentTable,
  RecordTable,
  UsageLatencyTable,
  UsageTable,
} from './records/tables.ts'
import type { MetricTable } from './metric-rows.ts'
import type { ResponseItemTable, ResponseTable } from './response-rows.ts'

export interface Tables {
  readonly account: AccountTable
  readonly admin_token: AdminTokenTable
  readonly api_key: KeyTable
  readonly audit: AuditTable
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
  readonly spend: SpendTable
  readonly usage: UsageTable
  readonly usage_latency: UsageLatencyTable
}
