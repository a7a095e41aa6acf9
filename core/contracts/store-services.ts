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
  /** API keys. */
  keys: KeyStore,
  /** Organizations, teams and users. */
  accounts: AccountStore,
  /** Finished responses. */
  responses: ResponseStore,
  /** Conversations and their items. */
  conversations: ConversationStore,
  /** Responses that are made in the background. */
  background: BackgroundStore,
  /** How fast and reliable models are. */
  metrics: MetricStore,
  /** Rate limits and requests in progress. */
  limits: RateLimiter,
  /** Spending and credit. */
  ledger: Ledger,
  /** One record for each request. */
  records: RecordStore,
  /** Changes by admins. */
  audit: AuditTrail,
  /** Tokens of the admin API. */
  'admin-tokens': AdminTokenStore,
  /** Sessions of the dashboard that are over. */
  'sign-outs': SignOuts,
  /** Alerts and their deliveries. */
  alerts: AlertStore,
  /** Where organizations want alerts. */
  'alert-targets': AlertTargetStore,
  /** Messages to these targets. */
  'alert-outbox': AlertOutbox,
} as const

/** The name of a service that stores may provide. */
export type StoreService = keyof typeof storeServices
/** The names of all services that stores may provide. */
export const storeServiceNames = Object.keys(storeServices) as readonly StoreService[]
