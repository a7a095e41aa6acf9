import { Clock, definePlugin, LogSinks } from '../../../core/index.ts'
import {
  AccountStore,
  AdminTokenStore,
  AlertOutbox,
  AlertStore,
  AlertTargetStore,
  AuditTrail,
  ConversationStore,
  BackgroundStore,
  KeyStore,
  Ledger,
  LiveMetrics,
  MetricStore,
  RateLimiter,
  RecordStore,
  ResponseStore,
  SavedWindows,
  SignOuts,
  storeServiceNames,
  storeServices,
} from '../../../core/stores.ts'
import { MemoryAccounts } from './accounts.ts'
import { MemoryAdminTokens } from './admin-tokens.ts'
import { MemoryAlertOutbox } from './alert-outbox.ts'
import { MemoryAlertTargets } from './alert-targets.ts'
import { MemoryAlerts } from './alerts.ts'
import { MemoryAuditTrail } from './audit-trail.ts'
import { MemoryConversations } from './conversations.ts'
import { MemoryBackground } from './background.ts'
import { MemoryKeys } from './keys.ts'
import { MemoryLedger } from './ledger.ts'
import { MemoryLimits } from './limits.ts'
import { MemoryRecords } from './records.ts'
import { MemoryResponses } from './responses.ts'
import { NoSavedWindows } from './no-saved-windows.ts'
import { MemorySignOuts } from './sign-outs.ts'

/** Keeps everything in this process. Nothing survives a restart or is shared with other processes. */
export default definePlugin({
  name: 'memory',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      services: {
        type: 'array',
        items: { enum: storeServiceNames },
        uniqueItems: true,
        description: 'The services to keep in memory. Default: everything that no other plugin is set to keep.',
      },
      maxResponses: {
        type: 'integer',
        minimum: 1,
        default: 10_000,
        description: 'How many responses to keep for chaining. The least recently used are dropped first.',
      },
      maxConversations: {
        type: 'integer',
        minimum: 1,
        default: 1_000,
        description: 'How many conversations to keep. The least recently used are dropped first.',
      },
      maxRecords: {
        type: 'integer',
        minimum: 1,
        default: 10_000,
        description: 'How many of the newest records of requests to keep, without content. The store may keep up to a quarter more.',
      },
    },
  },
  needs: { clock: Clock },
  contracts: { AlertOutbox: 1, AlertStore: 1, AlertTargetStore: 1, BackgroundStore: 2, SavedWindows: 1, SignOuts: 1 },
  provides: ({ services = [] }) => services.map(service => storeServices[service]),
  offers: ({ services }) => (services ? [] : [...Object.values(storeServices), SavedWindows]),
  setup(gateway, { maxResponses, maxConversations, maxRecords }, { clock }) {
    const keys = gateway.provides(KeyStore) ? new MemoryKeys() : undefined
    if (keys) gateway.provide(KeyStore, keys)
    if (gateway.provides(AccountStore)) gateway.provide(AccountStore, new MemoryAccounts(keys))
    if (gateway.provides(ResponseStore)) gateway.provide(ResponseStore, new MemoryResponses(maxResponses))
    if (gateway.provides(ConversationStore)) gateway.provide(ConversationStore, new MemoryConversations(maxConversations, clock))
    if (gateway.provides(BackgroundStore)) gateway.provide(BackgroundStore, new MemoryBackground(clock))
    if (gateway.provides(MetricStore)) gateway.provide(MetricStore, new LiveMetrics(clock))
    if (gateway.provides(RateLimiter)) gateway.provide(RateLimiter, new MemoryLimits(clock))
    if (gateway.provides(SavedWindows)) gateway.provide(SavedWindows, new NoSavedWindows())
    if (gateway.provides(Ledger)) gateway.provide(Ledger, new MemoryLedger(clock))
    if (gateway.provides(AuditTrail)) gateway.provide(AuditTrail, new MemoryAuditTrail())
    if (gateway.provides(AdminTokenStore)) gateway.provide(AdminTokenStore, new MemoryAdminTokens())
    if (gateway.provides(SignOuts)) gateway.provide(SignOuts, new MemorySignOuts(clock))
    if (gateway.provides(AlertTargetStore)) gateway.provide(AlertTargetStore, new MemoryAlertTargets())
    if (gateway.provides(AlertOutbox)) gateway.provide(AlertOutbox, new MemoryAlertOutbox(clock))
    if (gateway.provides(AlertStore)) gateway.provide(AlertStore, new MemoryAlerts(clock))
    if (!gateway.provides(RecordStore)) return
    const records = new MemoryRecords(maxRecords)
    gateway.provide(RecordStore, records)
    gateway.add(LogSinks, records)
  },
})
