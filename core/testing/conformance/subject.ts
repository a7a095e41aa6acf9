import type { Maybe } from '../../runtime/pending.ts'
import { isObject } from '../../foundation/json.ts'
import { kindOf } from '../../foundation/kind-of.ts'
import { apiVersion, type PluginUse } from '../../framework/plugin.ts'
import type { AnsweringSuiteOptions } from '../answering-suite.ts'
import type { CallSuiteOptions } from '../call-stage.ts'
import type { EngineSuiteOptions } from '../engine-suite.ts'
import type { ProviderSuiteOptions } from '../suite-example.ts'
import type { AdminAuthenticatorSuiteOptions } from '../suites/admin-suites.ts'
import type { AlertChannelSuiteOptions } from '../suites/alert-channel-suite.ts'
import type { CatalogSourceSuiteOptions } from '../suites/catalog-source-suite.ts'
import type { ConnectionSuiteOptions } from '../suites/connection-suite.ts'
import type { ConversationsSuiteOptions } from '../suites/conversations-suite.ts'
import type { DecisionClientSuiteOptions } from '../suites/decision-client-suite.ts'
import type { GuardrailSuiteOptions } from '../suites/guardrail-suite.ts'
import type { LogSinkSuiteOptions } from '../suites/log-sink-suite.ts'
import type { PolicySourceSuiteOptions } from '../suites/policy-source-suite.ts'
import type { RetrievalSuiteOptions } from '../suites/retrieval-suite.ts'
import type { RouteSuiteOptions } from '../suites/route-suite.ts'
import type { ToolSuiteOptions } from '../suites/tool-suite.ts'

type Beside<O> = Omit<O, keyof CallSuiteOptions>

/** Things that suites need besides the plugin, by the name of the contract. The options of the suite of the contract say more. */
export interface ConformanceInputs {
  /** See the member for each suite. */
  readonly Providers?: {
    /** For `providerSuite`: a provider that is an adapter. */
    readonly adapter?: ProviderSuiteOptions
    /** For `answeringSuite`: the upstream must answer them. */
    readonly answers?: Omit<AnsweringSuiteOptions, 'provider'>
    /** For `vendorSuite`: a model that no catalog has to list. Default: `demo-model`. */
    readonly model?: string
    /** For `retrievalSuite`. */
    readonly retrieval?: Omit<RetrievalSuiteOptions, 'provider'>
  }
  /** Also makes the plugin, at the address of a fake vendor. */
  readonly SearchEngines?: EngineSuiteOptions
  /** For `guardrailSuite`. */
  readonly Guardrails?: Beside<GuardrailSuiteOptions>
  /** For `logSinkSuite`. */
  readonly LogSinks?: Beside<LogSinkSuiteOptions>
  /** For `toolSuite`. */
  readonly Tools?: Beside<ToolSuiteOptions>
  /** For `decisionClientSuite`. */
  readonly DecisionClients?: Beside<DecisionClientSuiteOptions>
  /** For `policySourceSuite`. */
  readonly PolicySources?: Beside<PolicySourceSuiteOptions>
  /** For `catalogSourceSuite`. */
  readonly CatalogSources?: Beside<CatalogSourceSuiteOptions>
  /** For `alertChannelSuite`. */
  readonly AlertChannels?: Beside<AlertChannelSuiteOptions>
  /** For `routeSuite`. */
  readonly Routes?: Beside<RouteSuiteOptions>
  /** For `connectionSuite`. */
  readonly Connections?: Beside<ConnectionSuiteOptions>
  /** For `adminAuthenticatorSuite`. */
  readonly AdminAuthenticators?: Beside<AdminAuthenticatorSuiteOptions>
  /** For `conversationsSuite`. */
  readonly Conversations?: Beside<ConversationsSuiteOptions>
  /** The plugin with another master key. */
  readonly Sealer?: {
    /** Must not open what the plugin seals. */
    readonly stranger: PluginUse
  }
}

/** An empty store for one test. */
export interface StoreToTest {
  /** With its options. A relative path in them is in an empty folder. */
  readonly plugin: PluginUse
  /** True if a second gateway with this plugin, and with the same folder for its relative paths, has the same data. Default: false. */
  readonly isShared?: boolean
  /** Lets time pass for the store. Not needed by a plugin that takes its time from the service `Clock`. */
  pass?(milliseconds: number): Maybe<void>
  /** Called after the test. */
  close?(): Maybe<void>
}

/** A plugin to run suites on. */
export interface ConformanceSubject {
  /** The plugin with its options, or a function that makes it. */
  readonly plugin: PluginUse | (() => PluginUse)
  /** Other plugins that it needs. Stores in memory, a sealer and the route of responses are always there. */
  plugins?(): readonly PluginUse[]
  /** Makes an empty store for each test. Default: the plugin, with an empty folder for its relative paths. */
  store?(): Maybe<StoreToTest>
  /** Default: none. Suites that need one then do not run. */
  readonly inputs?: ConformanceInputs
  /** The folder of the package, for its version and commit. Default: that of the nearest `package.json` above the current folder. */
  readonly folder?: string
}

/** Names the subject of `conformance.ts`, for its types. */
export function defineConformance(subject: ConformanceSubject): ConformanceSubject {
  return subject
}

/** Takes a subject, a plugin with its options, or a plugin that needs none. */
export function subjectOf(given: unknown): ConformanceSubject {
  if (typeof given === 'function') return { plugin: (given as (options: object) => PluginUse)({}) }
  if (isObject(given) && given['apiVersion'] === apiVersion) return { plugin: given as unknown as PluginUse }
  if (isObject(given) && 'plugin' in given) return given as unknown as ConformanceSubject
  throw new Error(
    `conformance expected a plugin such as acme({ … }), or defineConformance({ plugin: acme({ … }) }), and got ${kindOf(given)}.`,
  )
}

export function madeBy({ plugin }: ConformanceSubject): PluginUse {
  return typeof plugin === 'function' ? plugin() : plugin
}
