// Test tools for plugin authors, published as turnpike/testing.

export { answeringSuite, type AnsweringSuiteOptions } from './answering-suite.ts'
export { callObserverSuite, callWrapperSuite } from './call-suites.ts'
export type { CallSuiteOptions } from './call-stage.ts'
export { badgeOf, badgeSvg, type Badge } from './conformance/badge.ts'
export { conformance, conformanceReport, type ConformanceOptions } from './conformance/conformance.ts'
export type { TestResult } from './conformance/conformance-run.ts'
export { differencesOf, isConformant, type ConformanceReport, type SuiteReport } from './conformance/report.ts'
export { defineConformance, type ConformanceInputs, type ConformanceSubject, type StoreToTest } from './conformance/subject.ts'
export { checkEvents, checkStream, type CheckedStream, type GrammarOptions } from './event-grammar.ts'
export { engineSuite, type EngineExample, type EngineFailure, type EngineSuiteOptions, type SentSearch } from './engine-suite.ts'
export { readEvents, type PublicEvent } from './event-reader.ts'
export { checkResponse, type CheckedResponse, type ResponseStatus } from './response-shape.ts'
export { ContractError } from './shape.ts'
export {
  cut,
  fakeUpstream,
  Gate,
  reset,
  sseFrame,
  stall,
  turn,
  type Control,
  type FakeReply,
  type FakeUpstream,
  type ReceivedRequest,
  type Script,
  type Step,
} from './fake-upstream.ts'
export { checkGenerationEvents } from './generation-events.ts'
export { providerCall, type ProviderCallOptions } from './provider-call.ts'
export {
  providerSuite,
  type FailureExample,
  type InsideFailureExample,
  type ProviderExample,
  type ProviderSuiteOptions,
  type SuiteContext,
} from './provider-suite.ts'
export { inPieces, replay, type Replayed, type ReplayedReply } from './replay.ts'
export type { GivenMetrics } from './metric-window.ts'
export { sharedStateSuite, type SharedStateSuiteOptions, type SharingGateways } from './shared-state-suite.ts'
export { accountStoreSuite, type AccountsUnderTest, type AccountStoreSuiteOptions } from './stores/account-store-suite.ts'
export { adminTokenStoreSuite, type AdminTokensUnderTest, type AdminTokenStoreSuiteOptions } from './stores/admin-token-store-suite.ts'
export { alertStoreSuite, type AlertsUnderTest, type AlertStoreSuiteOptions } from './stores/alert-store-suite.ts'
export { alertOutboxSuite, type AlertOutboxSuiteOptions, type AlertOutboxUnderTest } from './stores/alert-outbox-suite.ts'
export { alertTargetStoreSuite, type AlertTargetsUnderTest, type AlertTargetStoreSuiteOptions } from './stores/alert-target-store-suite.ts'
export { auditTrailSuite, type AuditTrailSuiteOptions, type AuditUnderTest } from './stores/audit-trail-suite.ts'
export {
  conversationStoreSuite,
  type ConversationsUnderTest,
  type ConversationStoreSuiteOptions,
} from './stores/conversation-store-suite.ts'
export { coordinationSuite, type CoordinationSuiteOptions, type CoordinationUnderTest } from './stores/coordination-suite.ts'
export { signOutsSuite, type SignOutsSuiteOptions, type SignOutsUnderTest } from './stores/sign-outs-suite.ts'
export { keyStoreSuite, type KeysUnderTest, type KeyStoreSuiteOptions } from './stores/key-store-suite.ts'
export { ledgerSuite, type LedgerSuiteOptions, type LedgerUnderTest } from './stores/ledger-suite.ts'
export { metricStoreSuite, type MetricStoreSuiteOptions, type MetricsUnderTest } from './stores/metric-store-suite.ts'
export type { Closing } from './stores/on-each-store.ts'
export { rateLimiterSuite, type LimiterUnderTest, type RateLimiterSuiteOptions } from './stores/rate-limiter-suite.ts'
export { recordStoreSuite, type RecordStoreSuiteOptions } from './stores/record-store-suite.ts'
export type { RecordsUnderTest } from './stores/records-under-test.ts'
export { backgroundStoreSuite, type BackgroundUnderTest, type BackgroundStoreSuiteOptions } from './stores/background-store-suite.ts'
export { responseStoreSuite, type ResponsesUnderTest, type ResponseStoreSuiteOptions } from './stores/response-store-suite.ts'
export { sealerSuite, type SealerSuiteOptions, type SealerUnderTest } from './stores/sealer-suite.ts'
export { sortOrder, type SortedEndpoints, type SortFacts } from './sort-order.ts'
export { testGateway, type TestGateway, type TestRequest } from './test-gateway.ts'
export { testRecord } from './test-record.ts'
export { absentProviderSuite, type AbsentProviderSuiteOptions } from './suites/absent-provider-suite.ts'
export {
  adminAuthenticatorSuite,
  adminHostSuite,
  adminRouteSuite,
  type AdminAuthenticatorSuiteOptions,
  type AdminHostSuiteOptions,
  type AdminRouteSuiteOptions,
} from './suites/admin-suites.ts'
export { alertChannelSuite, type AlertChannelSuiteOptions } from './suites/alert-channel-suite.ts'
export { alertTargetsSuite, type AlertTargetsSuiteOptions, type ManagedTargetsUnderTest } from './suites/alert-targets-suite.ts'
export { catalogSourceSuite, type CatalogSourceSuiteOptions } from './suites/catalog-source-suite.ts'
export { connectionSuite, type ConnectionSuiteOptions } from './suites/connection-suite.ts'
export { conversationsSuite, type ConversationsSuiteOptions } from './suites/conversations-suite.ts'
export { dashboardPageSuite, type DashboardPageSuiteOptions } from './suites/dashboard-page-suite.ts'
export { decisionClientSuite, type DecisionClientSuiteOptions } from './suites/decision-client-suite.ts'
export { guardrailSuite, type GuardrailSuiteOptions } from './suites/guardrail-suite.ts'
export { logSinkSuite, type LogSinkSuiteOptions } from './suites/log-sink-suite.ts'
export { pluginSuite, type PluginSuiteOptions } from './suites/plugin-suite.ts'
export { policySourceSuite, type PolicySourceSuiteOptions } from './suites/policy-source-suite.ts'
export { retrievalSuite, type RetrievalSuiteOptions } from './suites/retrieval-suite.ts'
export { routeSuite, type RouteSuiteOptions } from './suites/route-suite.ts'
export {
  compactorSuite,
  savedWindowsSuite,
  tokenCounterSuite,
  type CompactorSuiteOptions,
  type CompactorUnderTest,
  type SavedWindowsSuiteOptions,
  type SavedWindowsUnderTest,
  type TokenCounterSuiteOptions,
  type TokenCounterUnderTest,
} from './suites/service-suites.ts'
export { sortSuite, type SortSuiteOptions } from './suites/sort-suite.ts'
export { vendorSuite, type VendorSuiteOptions } from './suites/vendor-suite.ts'
export { toolSuite, type ToolExample, type ToolSuiteOptions } from './suites/tool-suite.ts'
