import { AccountStore } from './account-store.ts'
import { AdminTokenStore } from './admin-token-store.ts'
import { AlertStore } from './alert.ts'
import { AlertOutbox } from './alert-outbox.ts'
import { AlertTargetStore } from './alert-target.ts'
import { AuditTrail } from './audit-trail.ts'
import { ConversationStore } from './conversation-store.ts'
import { BackgroundStore } from './background-store.ts'
import { KeyStore } from './key-store.ts'
import { Ledger } from './ledger.ts'
import { MetricStore } from './metric-store.ts'
import { RateLimiter } from './rate-limiter.ts'
import { RecordStore } from './record-store.ts'
import { ResponseStore } from './response-store.ts'
import { SignOuts } from './sign-outs.ts'

/** The services that stores may provide, by the names that their option `services` takes. */
export const storeServices = {
  keys: KeyStore,
  accounts: AccountStore,
  responses: ResponseStore,
  conversations: ConversationStore,
  background: BackgroundStore,
  metrics: MetricStore,
  limits: RateLimiter,
  ledger: Ledger,
  records: RecordStore,
  audit: AuditTrail,
  'admin-tokens': AdminTokenStore,
  'sign-outs': SignOuts,
  alerts: AlertStore,
  'alert-targets': AlertTargetStore,
  'alert-outbox': AlertOutbox,
} as const

export type StoreService = keyof typeof storeServices
export const storeServiceNames = Object.keys(storeServices) as readonly StoreService[]
