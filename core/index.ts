// The front door, published as `turnpike`: what a first plugin needs. The other doors are kit.ts, stores.ts and admin.ts. What no door lists
// may change without notice.

export type { AbsentProvider, Capabilities, CatalogEntry, CatalogSource, Endpoint, Model, Price } from './contracts/catalog.ts'
export type { CallObserver } from './contracts/call-observer.ts'
export type { CallWrapper } from './contracts/call-wrapper.ts'
export type { DecisionClient } from './contracts/decision.ts'
export type { FinishReason, GenerationEvent, TokenUsage } from './contracts/events.ts'
export type { AnswerItem, Guardrail, GuardSession, GuardVerdict, ItemVerdict, OutputChannel, OutputFilter } from './contracts/guardrail.ts'
export type { Item } from './contracts/items.ts'
export type { LogSink, RequestRecord } from './contracts/log-sink.ts'
export type { MetricWindow } from './contracts/metric-store.ts'
export type { Level, Policy, PolicyField, PolicyLayer, PolicySource } from './contracts/policy.ts'
export { ProviderFailure, type FailureKind, type Provider, type ProviderCall } from './contracts/provider.ts'
export type { GenerationRequest } from './contracts/request.ts'
export type { Exchange, Reply, Route } from './contracts/route.ts'
export type { Caller, RunContext } from './contracts/run-context.ts'
export type { FoundPage, SearchEngine, SearchQuery } from './contracts/search-engine.ts'
export type { Sight } from './contracts/sight.ts'
export type { SortStrategy, SortView } from './contracts/sort-strategy.ts'
export type { Tool, ToolCall, ToolFunction, ToolResult, ToolSession } from './contracts/tool.ts'
export { Clock } from './foundation/clock.ts'
export { GatewayError, invalidRequest, PluginError, policyRefusal, type ErrorCode } from './foundation/errors.ts'
export { Ids } from './foundation/ids.ts'
export { isObject, parseJson, type JsonObject } from './foundation/json.ts'
export type { Logger } from './foundation/logger.ts'
export { token, type Token } from './foundation/token.ts'
export {
  AbsentProviders,
  CallObservers,
  CallWrappers,
  CatalogSources,
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
export {
  definePlugin,
  type Hook,
  type Needs,
  type Options,
  type OptionsInput,
  type OptionsSchema,
  type Plugin,
  type PluginDefinition,
  type PluginUse,
  type Registrar,
  type Resolved,
} from './framework/plugin.ts'
export { definePreset } from './framework/preset.ts'
export type { Registry, RegistryEntry } from './framework/registry.ts'
