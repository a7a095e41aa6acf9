import { Providers, type Resolved } from '../../../core/index.ts'
import { AccountStore, AdminTokenStore, AuditTrail, KeyStore, Ledger, MetricStore, RecordStore } from '../../../core/stores.ts'

/** The services of the gateway that the admin API shows and changes. */
export const storeNeeds = {
  accounts: AccountStore,
  adminTokens: AdminTokenStore,
  audit: AuditTrail,
  keys: KeyStore,
  ledger: Ledger,
  metrics: MetricStore,
  providers: Providers,
  records: RecordStore,
} as const

export type Stores = Resolved<typeof storeNeeds>
