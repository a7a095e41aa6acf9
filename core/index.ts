// The public surface: all that a plugin may import. What is not listed here may change without notice.

export { Concurrency } from './limits/concurrency.ts'
export { FailedTries } from './limits/failed-tries.ts'
export { periodStart } from './limits/spend-period.ts'
export { spendAccountOf } from './admission/accounts.ts'
export { Clock } from './foundation/clock.ts'
export { dayStarts } from './foundation/day-starts.ts'
export { DeadlineThread, ThreadStopped, type DeadlineThreadOptions } from './runtime/deadline-thread.ts'
export { FairQueue } from './runtime/fair-queue.ts'
export { freezeDeeply, frozenCopy } from './foundation/freeze.ts'
export { Ids } from './foundation/ids.ts'
export { jsonBytes } from './foundation/json-bytes.ts'
export { jsonPieces, pieceCharacters } from './foundation/json-pieces.ts'
export { isJson, isObject, membersOf, parseJson } from './foundation/json.ts'
export { isPending } from './runtime/pending.ts'
export { describeError, type Logger, type LogLevel } from './foundation/logger.ts'
export {
  errorCodes,
  GatewayError,
  internalError,
  invalidRequest,
  isImageErrorCode,
  PluginError,
  policyRefusal,
  type ErrorCode,
  type GatewayErrorOptions,
  type ImageErrorCode,
} from './foundation/errors.ts'
export {
  AbsentProviders,
  AdminAuthenticators,
  AdminHosts,
  AdminRoutes,
  CatalogSources,
  DashboardPages,
  DecisionClients,
  Guardrails,
  LogSinks,
  PolicySources,
  Providers,
  Routes,
  SearchEngines,
  SortStrategies,
  Tools,
} from './framework/extension-points.ts'
export { LiveMetrics } from './metrics/live-metrics.ts'
export { levels as metricLevels, type Level as MetricLevel } from './metrics/levels.ts'
export { addPacked, MetricSummary, packSummary } from './metrics/metric-summary.ts'
export { answerBy, confidenceOf } from './decisions/answer.ts'
export { sortSchema } from './routing/sort-schema.ts'
export { nearest } from './foundation/nearest.ts'
export {
  definePlugin,
  type Hook,
  type MigrationContext,
  type Options,
  type OptionsInput,
  type OptionsSchema,
  type Plugin,
  type PluginDefinition,
  type PluginUse,
  type Registrar,
  type Resolved,
} from './framework/plugin.ts'
export { requirePeer } from './foundation/peer-package.ts'
export { Registry } from './framework/registry.ts'
export { recentValues, type RecentValues } from './runtime/recent-values.ts'
export { token, type Token } from './foundation/token.ts'
export { nextTurn } from './runtime/turns.ts'
export { startWorker } from './runtime/worker.ts'
export { appended } from './runtime/growing-text.ts'
export { certifiedOnly, type Certificate, type CertifiedOnly } from './guards/certified.ts'
export { jsonTexts, type JsonTexts } from './guards/json-texts.ts'
export { decisionTexts, type DecisionTexts } from './guards/decision-texts.ts'
export { readRequestTexts, requestTexts, type RequestText, type RequestTexts } from './guards/request-texts.ts'
export { mayExceed } from './tokens/bound.ts'
export { estimateTokens } from './tokens/estimate.ts'
export { characters } from './validation/characters.ts'
export { bodyValidator } from './validation/body-validator.ts'
export { lazyValidator } from './validation/lazy-validator.ts'
export { milliseconds } from './validation/milliseconds.ts'
export type { SchemaFault, SchemaRules, Validator } from './validation/schema-rules.ts'
export { retryHeaders } from './server/error-reply.ts'
export { gatewayHeaders } from './server/gateway-headers.ts'
export { NamedModels, type UnlistedModel } from './call/named-models.ts'
export { recordedUsage, type RecordedUsage } from './call/recorded-usage.ts'
export { readableOutput } from './generation/tools/tool-output.ts'
export { openApiDocument, undescribedIn, type ApiDescription, type Undescribed } from './server/openapi/document.ts'

export type { JsonObject, Schema, Wire } from './foundation/json.ts'
export type { Maybe } from './runtime/pending.ts'
export * from './contracts/items.ts'
export * from './contracts/request.ts'
export * from './contracts/request-envelope.ts'
export * from './contracts/events.ts'
export * from './contracts/item-events.ts'
export * from './contracts/provider.ts'
export * from './contracts/provider-state.ts'
export * from './contracts/adapter.ts'
export * from './contracts/catalog.ts'
export * from './contracts/circuits.ts'
export * from './contracts/decision.ts'
export * from './contracts/feature.ts'
export * from './contracts/guardrail.ts'
export * from './contracts/policy.ts'
export * from './contracts/log-sink.ts'
export * from './contracts/route.ts'
export * from './contracts/route-preview.ts'
export * from './contracts/run-context.ts'
export * from './contracts/request-scope.ts'
export * from './contracts/sealer.ts'
export * from './contracts/page.ts'
export * from './contracts/sight.ts'
export * from './contracts/fields.ts'
export * from './contracts/record-fields.ts'
export * from './contracts/key-fields.ts'
export * from './contracts/account-fields.ts'
export * from './contracts/key-store.ts'
export * from './contracts/account-store.ts'
export * from './contracts/record-store.ts'
export * from './contracts/audit-trail.ts'
export * from './contracts/admin-token-store.ts'
export * from './contracts/admin-route.ts'
export * from './contracts/dashboard-page.ts'
export * from './contracts/hold.ts'
export * from './contracts/ledger.ts'
export * from './contracts/rate-limiter.ts'
export * from './contracts/response-store.ts'
export * from './contracts/store-services.ts'
export * from './contracts/metric-interval.ts'
export * from './contracts/metric-store.ts'
export * from './contracts/search-engine.ts'
export * from './contracts/sort-strategy.ts'
export * from './contracts/token-counter.ts'
export * from './contracts/tool.ts'

export { failureKindOfStatus } from './provider-kit/failure-kind.ts'
export { unlessOversized } from './provider-kit/oversized-request.ts'
export {
  failureReader,
  firstMatch,
  firstText,
  type ErrorReply,
  type FailureReader,
  type FailureReaderOptions,
  type Patterns,
  type VendorError,
} from './provider-kit/failure-reader.ts'
export type {
  GatheredMedia,
  HttpClient,
  MediaContent,
  MediaKind,
  ReplyReceiver,
  SendOptions,
  Transfer,
  UpstreamReply,
  WantedMedia,
} from './contracts/http-client.ts'
export { isFeed, type EventFeed, type EventReceiver } from './runtime/event-feed.ts'
export { httpProvider, type HttpProviderOptions } from './provider-kit/http-provider.ts'
export { engineBaseUrl, engineKeyOption, engineOptions } from './provider-kit/engine-options.ts'
export { getWith, postForm, postJson } from './provider-kit/engine-request.ts'
export { foundPages, type PageReader } from './provider-kit/found-pages.ts'
export { httpEngine, type EngineAdapter, type HttpEngineOptions } from './provider-kit/http-engine.ts'
export { countryName, placeWords, searchText, type SearchTextOptions } from './provider-kit/search-text.ts'
export { jsonInstruction } from './provider-kit/json-instruction.ts'
export { offeredFunctions } from './provider-kit/offered-functions.ts'
export { textOfPart } from './provider-kit/part-text.ts'
export { inlineDataOf, parseDataUrl, type InlineData } from './upstream/media/data-url.ts'
export { extensionOf, fileTypeOf } from './upstream/media/file-type.ts'
export { aboutAsked } from './upstream/media/about-asked.ts'
export { InlineMedia } from './upstream/media/inline-media.ts'
export { isTextFile, textFile } from './upstream/media/text-file.ts'
export { ApiKeys, apiKeyOption, headersOption } from './provider-kit/provider-options.ts'
export { sendingOptions, sendingRules, timeoutsOption } from './provider-kit/sending-options.ts'
export { wholeReply } from './upstream/whole-reply.ts'
export { RenewedCredential, type Grant } from './provider-kit/renewed-credential.ts'
export { retiredModel } from './provider-kit/retired-model.ts'
export { retryAfterMs } from './provider-kit/retry-after.ts'
export { tokenCount, tokenCountIfAny } from './provider-kit/token-count.ts'
export { argumentsOf, frameJson } from './provider-kit/wire-json.ts'
export { jsonLinesFramer, sseFramer } from './upstream/sse.ts'
export { unsayable } from './upstream/provider-failures.ts'
