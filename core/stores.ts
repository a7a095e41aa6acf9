// Published as `turnpike/stores`: the contracts of stores, of limits and of encryption, and what those who implement them share.

export { spendAccountOf } from './admission/spend-account.ts'
export { NamedModels, type UnlistedModel } from './call/named-models.ts'
export { recordedUsage, type RecordedUsage } from './call/recorded-usage.ts'
export { keepAlertsMs, maxAlertsOfOrganization, maxTakenDeliveries } from './alerts/retention.ts'
export {
  digestMessage,
  keepCountedMs,
  keepFailedMessagesMs,
  keepMessagesMs,
  maxFailedMessages,
  maxTakenMessages,
  messageId,
  unclaimedMessage,
} from './alerts/message-retention.ts'
export { roomFor, type CountedMessage, type MessageRoom } from './alerts/message-room.ts'
export { toldTo, type ToldTo } from './alerts/told-to.ts'
export { accountFields, accountFieldsAt, type Account } from './contracts/account-fields.ts'
export {
  accountLevels,
  AccountStore,
  type AccountChange,
  type AccountFilter,
  type AccountLevel,
  type AccountPolicy,
  type AccountRef,
} from './contracts/account-store.ts'
export { AdminTokenStore, type AdminToken } from './contracts/admin-token-store.ts'
export {
  alertKinds,
  alertSeverities,
  alertStates,
  AlertStore,
  type AlertClaim,
  type AlertDelivery,
  type AlertFilter,
  type AlertKind,
  type AlertNote,
  type AlertSeverity,
  type AlertState,
  type RaisedAlert,
  type Silence,
  type StoredAlert,
} from './contracts/alert.ts'
export {
  alertMessageStates,
  AlertOutbox,
  type AlertDigest,
  type AlertMessage,
  type AlertMessageFilter,
  type AlertMessageLimit,
  type AlertMessageState,
  type AlertTargetStanding,
  type AlertTry,
  type FilledLimit,
  type NewAlertMessage,
  type TakenMessage,
} from './contracts/alert-outbox.ts'
export { alertFormats, AlertTargetStore, type AlertFormat, type AlertTarget, type AlertTargetChange } from './contracts/alert-target.ts'
export { AuditTrail, type AuditEntry, type AuditFilter } from './contracts/audit-trail.ts'
export {
  ConversationStore,
  type AppendOutcome,
  type Appending,
  type ConversationAddress,
  type ConversationChange,
  type ConversationLease,
  type ConversationRoom,
  type ItemPage,
  type ItemPageQuery,
  type KeptItem,
  type StoredConversation,
} from './contracts/conversation-store.ts'
export {
  BackgroundStore,
  type BackgroundAddress,
  type BackgroundAftermath,
  type BackgroundEnd,
  type BackgroundNotice,
  type BackgroundResponse,
  type BackgroundState,
  type BackgroundStatus,
  type EventBatch,
  type EventChunk,
  type FinalStatus,
} from './contracts/background-store.ts'
export type { ShownName, Stored, StoredNames, WithAbsent, WithNulls } from './contracts/field-types.ts'
export { snakeCase, type Field, type Fields, type Json, type SnakeCase, type PlainTypes } from './contracts/fields.ts'
export type { Hold } from './contracts/hold.ts'
export { keyFields, type ApiKey, type KeyLimit } from './contracts/key-fields.ts'
export { KeyStore, type KeyChange, type KeyFilter, type KeySettings, type SpendPeriod } from './contracts/key-store.ts'
export {
  Ledger,
  maxCreditUsd,
  type CreditEntry,
  type CreditHold,
  type CreditRange,
  type CreditShortage,
  type SpendCap,
  type Spending,
} from './contracts/ledger.ts'
export { MetricStore, type AttemptSample, type LatestAnswers, type MetricSharing } from './contracts/metric-store.ts'
export type { PageQuery, Position } from './contracts/page.ts'
export {
  RateLimiter,
  type Admission,
  type Admitted,
  type EarlyHold,
  type FullWindow,
  type NotAdmitted,
  type TokenWindow,
  type WindowHold,
  type WindowState,
} from './contracts/rate-limiter.ts'
export { recordFields, recordFilters, type RecordFacts, type RecordFilterName } from './contracts/record-fields.ts'
export {
  errorCauses,
  isBySession,
  measureOf,
  mostRanked,
  recordMeasures,
  RecordStore,
  usageBuckets,
  usageGroups,
  type AnswerTimes,
  type ErrorCause,
  type KeyUse,
  type RankedPage,
  type RankedQuery,
  type RecordContent,
  type RecordFilter,
  type RecordMeasure,
  type UsageBucket,
  type UsageGroup,
  type UsageQuery,
  type UsageRow,
} from './contracts/record-store.ts'
export { ResponseStore, type StoredResponse, type Turn } from './contracts/response-store.ts'
export { Sealer, type SealContext } from './contracts/sealer.ts'
export {
  Coordination,
  type Beat,
  type Claim,
  type Claimed,
  type CoordinatedWindow,
  type CountDelta,
  type CountSum,
  type Gauges,
  type PlaceChange,
  type PlaceClaim,
  type Unclaimed,
  type WindowChange,
  type WindowClaim,
} from './contracts/coordination.ts'
export { SharedMaps, SharedState, type SharedChange, type SharedMap, type SharedMapOptions } from './contracts/shared-state.ts'
export { SignOuts } from './contracts/sign-outs.ts'
export { storeServiceNames, storeServices, type StoreService } from './contracts/store-services.ts'
export { CoordinatedLimiter, type CoordinatedLimiterParts } from './coordination/coordinated-limiter.ts'
export { SavedWindows, type SavedWindow } from './contracts/saved-windows.ts'
export { Coordinated } from './coordination/coordinated.ts'
export { MemoryCoordination } from './coordination/memory-coordination.ts'
export { dayStarts } from './foundation/day-starts.ts'
export { freezeDeeply, frozenCopy } from './foundation/freeze.ts'
export { jsonBytes } from './foundation/json-bytes.ts'
export type { MigrationContext } from './framework/plugin.ts'
export { Concurrency } from './limits/concurrency.ts'
export { FullWindows } from './limits/full-windows.ts'
export { periodEnd, periodStart } from './limits/spend-period.ts'
export { windowsOfKey } from './limits/windows.ts'
export { LiveMetrics, type SaveMinute } from './metrics/live-metrics.ts'
export { addPacked, MetricSummary, packSummary } from './metrics/metric-summary.ts'
export { rollUps, type RollUp } from './metrics/roll-ups.ts'
export type { ByteReader, ByteWriter } from './metrics/varints.ts'
export type { Maybe } from './runtime/pending.ts'
export { recentValues, type RecentValues, type RecentValuesOptions } from './runtime/recent-values.ts'
export { nextTurn } from './runtime/turns.ts'
export { startWorker } from './runtime/worker.ts'
