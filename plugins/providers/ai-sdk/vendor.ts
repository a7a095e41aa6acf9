import type { Effort, JsonObject, UpstreamRequestBody } from '../../../core/index.ts'
import type { LanguageModel } from './specification.ts'

/** What packages do beyond the specification. Of one that is not listed only the specification is used. */
export interface Vendor {
  /** The name under which the package reads options. */
  readonly namespace: string
  /** Its reasoning is told as a digest, and goes back only with the state that came with it. */
  readonly digests?: boolean
  /** Only reasoning has state that a later turn needs; what else comes with parts are ids of things stored at the vendor. */
  readonly onlyReasoningHasState?: boolean
  /** System messages may stand anywhere in a conversation. */
  readonly systemAnywhere?: boolean
  /** Tool results may hold images and files. */
  readonly mediaInResults?: boolean
  /** In v2, what is read from a cache is not part of `inputTokens`. */
  readonly countsCacheApart?: boolean
  /** The levels of its option `reasoningEffort`, by which packages before v4 are told. */
  readonly efforts?: readonly Effort[]
  /** Options for what the specification has no word for, and which members of the request they say. */
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
      // Vendors are always told not to store; without it, this one does.
      store: false,
      ...present({
        parallelToolCalls: parallel_tool_calls,
        promptCacheKey: prompt_cache_key,
        serviceTier: service_tier,
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
