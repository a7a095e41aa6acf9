// Published as `turnpike/kit`: what providers and engines over HTTP, routes, tools and guardrails are built with.

export type {
  Decoder,
  EmbeddingDialect,
  Emit,
  Framer,
  ProviderAdapter,
  RerankDialect,
  UpstreamHeaders,
  UpstreamRequest,
} from './contracts/adapter.ts'
export type {
  AttemptObservation,
  AttemptRole,
  BegunAttempt,
  BegunCall,
  BegunTool,
  BegunToolRound,
  CallObservation,
  ClosedRequest,
  EndedAttempt,
  EndedCall,
  EndedTool,
  EndedToolRound,
  GuardLook,
  MadePlan,
  ObservedAttempt,
  ObservedCall,
  TraceContext,
} from './contracts/call-observer.ts'
export type { FailureReason } from './contracts/failure-reason.ts'
export type {
  AnsweredCount,
  AnsweredDecision,
  AnsweredGeneration,
  CallKind,
  CallToWrap,
  CallWrap,
  CountToWrap,
  CountWrap,
  AnsweredRetrieval,
  DecisionToWrap,
  DecisionWrap,
  EmbeddingToWrap,
  EmbeddingWrap,
  RerankToWrap,
  RerankWrap,
  GenerationToWrap,
  GenerationWrap,
} from './contracts/call-wrapper.ts'
export {
  Catalog,
  tokenizers,
  type CatalogEndpoint,
  type EndpointKind,
  type CatalogRank,
  type Hipaa,
  type NamedEndpoint,
  type PriceTier,
  type Tokenizer,
  type TokenPrices,
  type Zdr,
} from './contracts/catalog.ts'
export { Compactor, type ConversationPart } from './contracts/compactor.ts'
export type { Connection, ConnectionProtocol, HeldMessage } from './contracts/connection.ts'
export { Conversations, type ConversationThread } from './contracts/conversations.ts'
export {
  decisionRequestSchema,
  maxItemLevels,
  maxOptions,
  questionSchema,
  type Criterion,
  type Decided,
  type DecisionAnswer,
  type DecisionCall,
  type DecisionLimits,
  type DecisionReply,
  type DecisionRequest,
  type DecisionUsage,
  type Description,
  type Question,
  type TypedOption,
} from './contracts/decision.ts'
export type {
  Embedded,
  Embedder,
  EmbeddingCall,
  EmbeddingInput,
  EmbeddingLimits,
  EmbeddingPurpose,
  EmbeddingReply,
  EmbeddingRequest,
  Vector,
  VectorFormat,
} from './contracts/embedding.ts'
export type { Reranked, RerankCall, Reranker, RerankReply, RerankRequest, RerankResult } from './contracts/rerank.ts'
export {
  retrievalKinds,
  type RetrievalCall,
  type RetrievalKind,
  type RetrievalRequest,
  type RetrievalUsage,
} from './contracts/retrieval.ts'
export {
  finishReasons,
  noUsage,
  type Citation,
  type ExtraEvent,
  type LogProb,
  type SearchAction,
  type SearchResult,
} from './contracts/events.ts'
export { features, type Feature } from './contracts/feature.ts'
export type { AnswerText, RefusedRoute, SettingsProblem } from './contracts/guardrail.ts'
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
export type {
  ChoiceEnd,
  ItemClose,
  ItemDelta,
  ItemEvent,
  ItemOpen,
  OpenedCall,
  OpenedCompaction,
  OpenedForeign,
  OpenedItem,
  OpenedMessage,
  OpenedReasoning,
  OpenedSearch,
  SearchEnd,
} from './contracts/item-events.ts'
export { Health } from './contracts/health.ts'
export type { HeldMemory } from './contracts/held-memory.ts'
export {
  foreignItemTypes,
  itemSchema,
  maxCallIdLength,
  type CompactionItem,
  type CustomToolCallItem,
  type CustomToolCallOutputItem,
  type ForeignItem,
  type FunctionCallItem,
  type FunctionCallOutputItem,
  type ItemReference,
  type MessageItem,
  type ReasoningItem,
  type WebSearchCallItem,
} from './contracts/items.ts'
export type { KeyWindow } from './contracts/key-window.ts'
export type { AttemptRecord, OpenRecord, PassedOver, Preferred, RoutedCandidate, RoutingRecord } from './contracts/log-sink.ts'
export { defaultIntervalMs, intervalMsOf, intervalPattern } from './contracts/metric-interval.ts'
export {
  cacheControlSchema,
  inputPartSchema,
  maxTextLength,
  type FilePart,
  type ImagePart,
  type InputPart,
  type OutputTextPart,
  type Part,
  type RefusalPart,
  type TextPart,
  type Vendor,
  type WithExtra,
} from './contracts/parts.ts'
export {
  failureKinds,
  type AttemptClock,
  type Credential,
  type HedgeAfter,
  type Progress,
  type ProviderFailureOptions,
  type SendingRules,
  type SlowStream,
  type Timeouts,
  type Yielded,
} from './contracts/provider.ts'
export type { HistoryUse, RequestEnvelope, Thread } from './contracts/request-envelope.ts'
export type { OpenScope, RequestScope, ScopeOpening } from './contracts/request-scope.ts'
export {
  efforts,
  requestSchema,
  serviceTiers,
  type AnswerDetail,
  type Effort,
  type GatewayOnlyField,
  type Routing,
  type ServiceTier,
  type TextFormat,
  type UpstreamRequestBody,
} from './contracts/request.ts'
export {
  GatewayServices,
  type Commitment,
  type FinishedAnswer,
  type GenerationRun,
  type GenerationSink,
  type InputCount,
  type JsonOptions,
  type Outcome,
  type ParameterDescription,
  type ReplyDescription,
  type RouteDescription,
  type StoredResponses,
  type StreamBody,
  type Warning,
} from './contracts/route.ts'
export type { RouteTrial } from './contracts/route-trial.ts'
export type { SearchCall, SearchLocation, SearchReply } from './contracts/search-engine.ts'
export { Siblings, type SiblingAnswers } from './contracts/siblings.ts'
export { maySee } from './contracts/sight.ts'
export { TokenCounter, type TokenCount, type TokenCountOptions } from './contracts/token-counter.ts'
export { Vitals, type EventLoopDelay, type ProcessMemory, type SinkState, type StoreTime, type VitalSigns } from './contracts/vitals.ts'
export type { SearchEvent, ToolEntry, ToolEvent, ToolRun, ToolScope } from './contracts/tool.ts'
export {
  agentToolTypes,
  toolSchema,
  webSearchTool,
  type AgentToolType,
  type CustomTool,
  type ForeignTool,
  type FunctionTool,
  type NamespaceTool,
  type ToolChoice,
  type ToolDefinition,
  type WebSearchTool,
} from './contracts/tools.ts'
export { answerBy, confidenceOf } from './decisions/answer.ts'
export { lostMembers, plainParts, plainState } from './decisions/plain-request.ts'
export { own, wording, Wording, type Own } from './foundation/wording.ts'
export { errorCodes, isImageErrorCode, type Asked, type GatewayErrorOptions, type ImageErrorCode } from './foundation/errors.ts'
export { jsonPieces, pieceCharacters } from './foundation/json-pieces.ts'
export { isJson, membersOf, type Schema, type Wire } from './foundation/json.ts'
export { describeError } from './foundation/logger.ts'
export { Masks } from './foundation/masks.ts'
export { nearest } from './foundation/nearest.ts'
export { requirePeer } from './foundation/peer-package.ts'
export { withIds } from './generation/item-ids.ts'
export { RepeatedError } from './foundation/repeated-error.ts'
export { readableOutput } from './generation/tools/tool-output.ts'
export { withShownTools } from './generation/tools/tool-secrets.ts'
export { checkSight } from './guards/check-sight.ts'
export { certifiedOnly, type Certificate, type CertifiedOnly } from './guards/certified.ts'
export { decisionTexts, type DecisionTexts } from './guards/decision-texts.ts'
export { jsonTexts, type JsonText, type JsonTexts } from './guards/json-texts.ts'
export { readRequestTexts, requestTexts, type RequestText, type RequestTexts } from './guards/request-texts.ts'
export { askJson } from './provider-kit/ask-json.ts'
export { engineDefinition, type EngineDefinition, type EngineSchema } from './provider-kit/engine-definition.ts'
export { engineBaseUrl, engineKeyOption } from './provider-kit/engine-options.ts'
export { getWith, postForm, postJson } from './provider-kit/engine-request.ts'
export { failureKindOfStatus } from './provider-kit/failure-kind.ts'
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
export { foundPages, type PageReader } from './provider-kit/found-pages.ts'
export type { EngineAdapter } from './provider-kit/http-engine.ts'
export { httpProvider, type HttpProviderOptions } from './provider-kit/http-provider.ts'
export { jsonInstruction } from './provider-kit/json-instruction.ts'
export { offeredFunctions } from './provider-kit/offered-functions.ts'
export { unlessOversized } from './provider-kit/oversized-request.ts'
export { textOfPart } from './provider-kit/part-text.ts'
export { PolledCatalog, type PolledCatalogOptions } from './provider-kit/polled-catalog.ts'
export { apiKeyOption, ApiKeys, headersOption } from './provider-kit/provider-options.ts'
export { RenewedCredential, type Grant, type RenewedCredentialOptions } from './provider-kit/renewed-credential.ts'
export { retiredModel } from './provider-kit/retired-model.ts'
export { retryAfterMs } from './provider-kit/retry-after.ts'
export { countryName, placeWords, searchText, type SearchTextOptions } from './provider-kit/search-text.ts'
export { sendingOptions, sendingRules } from './provider-kit/sending-options.ts'
export { tokenCount, tokenCountIfAny } from './provider-kit/token-count.ts'
export { argumentsOf, frameJson, repeatedFrames } from './provider-kit/wire-json.ts'
export { sortSchema } from './routing/sort-schema.ts'
export type { Cancellation } from './runtime/cancellation.ts'
export { DeadlineThread, ThreadStopped, type DeadlineThreadOptions } from './runtime/deadline-thread.ts'
export { FairQueue } from './runtime/fair-queue.ts'
export { appended } from './runtime/growing-text.ts'
export { isPending } from './runtime/pending.ts'
export type { Listed } from './runtime/roster.ts'
export { vectorBase64, vectorJson } from './retrieval/vectors.ts'
export { memoryOf } from './call/answer-size.ts'
export { errorReply, retryHeaders, withFailureStatus, withParam } from './server/error-reply.ts'
export { gatewayHeaders } from './server/gateway-headers.ts'
export { namedSession, type NamingBody } from './server/named-session.ts'
export { allowedBy, allowedOption, turnedOff, unpriced } from './server/vendor-words.ts'
export { describeRateLimits, rateLimitHeaders, rateLimitHeadersUnder, type RateLimitHeaders } from './server/rate-limit-headers.ts'
export { Connections } from './framework/extension-points.ts'
export type { PluginMaker } from './framework/plugin-origin.ts'
export { openApiDocument, undescribedIn, type ApiDescription, type DescribedRoute, type Undescribed } from './server/openapi/document.ts'
export { describeFailureStatus } from './server/openapi/failure-status.ts'
export { estimateTokens } from './tokens/estimate.ts'
export { aboutAsked } from './upstream/media/about-asked.ts'
export { inlineDataOf, parseDataUrl, type InlineData } from './upstream/media/data-url.ts'
export { extensionOf, fileTypeOf } from './upstream/media/file-type.ts'
export { InlineMedia } from './upstream/media/inline-media.ts'
export { isPublicHost } from './upstream/media/media-address.ts'
export { isTextFile, textFile } from './upstream/media/text-file.ts'
export { unsayable } from './upstream/provider-failures.ts'
export { isPrivateAddress } from './upstream/private-address.ts'
export { networkFailure } from './upstream/network-failure.ts'
export { sseFramer } from './upstream/sse.ts'
export { WebhookSigner } from './upstream/webhook-signer.ts'
export { wholeReply, type WholeReply, type WholeReplyOptions } from './upstream/whole-reply.ts'
export { hipaaAgreement, zdrAgreement } from './validation/agreements.ts'
export { bodyValidator } from './validation/body-validator.ts'
export { characters } from './validation/characters.ts'
export { lazyValidator } from './validation/lazy-validator.ts'
export { milliseconds } from './validation/milliseconds.ts'
export type { SchemaFault, SchemaOptions, SchemaRules, StringFormat, Validator } from './validation/schema-rules.ts'
