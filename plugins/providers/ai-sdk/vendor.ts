import type { JsonObject } from '../../../core/index.ts'
import type { Effort, UpstreamRequestBody } from '../../../core/kit.ts'
import type { LanguageModel } from './specification.ts'

/** A vendor's departures from the specification. For unlisted packages, only the specification applies. */
export interface Vendor {
  /** The name that the package reads options from. */
  readonly namespace: string
  /** Reasoning is a summary, and can be sent back only with its state. */
  readonly digests?: boolean
  /** Only reasoning has state that later turns need. The metadata of other parts holds ids of objects stored at the vendor. */
  readonly onlyReasoningHasState?: boolean
  /** Accepts system messages anywhere in a conversation. */
  readonly systemAnywhere?: boolean
  /** Tool results may hold images and files. */
  readonly mediaInResults?: boolean
  /** In v2, `inputTokens` excludes cache reads. */
  readonly countsCacheApart?: boolean
  /** The levels of the option `reasoningEffort`, for packages before v4. */
  readonly efforts?: readonly Effort[]
  /** Options for what the specification lacks, and the request members that they cover. */
  readonly options?: (request: UpstreamRequestBody) => JsonObject
  readonly says?: readonly Sayable[]
}

export type Sayable = 'parallel_tool_calls' | 'text.verbosity'

/** By the model's `provider`, such as `openai.responses`. From the packages' own documentation: "Provider Options" of each. */
const vendors: readonly (readonly [pattern: RegExp, vendor: Vendor])[] = [
  [/^(azure-)?openai\.responses|^azure\.responses/, { ...openai(), mediaInResults: true }],
  [/^(azure-)?openai\.|^azure\./, openai()],
  [
    /^groq\./,
    {
      namespace: 'groq',
      systemAnywhere: true,
      efforts: ['none', 'low', 'medium', 'high'],
      says: ['parallel_tool_calls'],
      options: ({ parallel_tool_calls: parallelToolCalls, text }) =>
        present({ parallelToolCalls, strictJsonSchema: text?.format?.type === 'json_schema' ? text.format.strict : undefined }),
    },
  ],
  [
    /anthropic/,
    {
      namespace: 'anthropic',
      digests: true,
      mediaInResults: true,
      countsCacheApart: true,
      says: ['parallel_tool_calls'],
      options: request => (request.parallel_tool_calls === false ? { disableParallelToolUse: true } : {}),
    },
  ],
  [/^amazon-bedrock/, { namespace: 'bedrock', countsCacheApart: true }],
  [/^google/, { namespace: 'google' }],
]

export function vendorOf({ provider }: LanguageModel): Vendor {
  return vendors.find(([pattern]) => pattern.test(provider))?.[1] ?? { namespace: provider.split('.')[0]! }
}

function openai(): Vendor {
  return {
    namespace: 'openai',
    digests: true,
    onlyReasoningHasState: true,
    systemAnywhere: true,
    efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
    says: ['parallel_tool_calls', 'text.verbosity'],
    options: ({ parallel_tool_calls, prompt_cache_key, service_tier, text, reasoning }) => ({
      // The gateway always asks vendors not to store. This one stores by default.
      store: false,
      ...present({
        parallelToolCalls: parallel_tool_calls,
        promptCacheKey: prompt_cache_key,
        // The package refuses other values.
        serviceTier: service_tier === 'scale' ? undefined : service_tier,
        textVerbosity: text?.verbosity,
        reasoningSummary: reasoning?.summary ?? reasoning?.generate_summary,
        strictJsonSchema: text?.format?.type === 'json_schema' ? text.format.strict : undefined,
      }),
    }),
  }
}

function present(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
