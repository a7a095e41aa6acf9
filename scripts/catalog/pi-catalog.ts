import type { Price } from '../../core/index.ts'
import { effortsFromThinking } from './effort-levels.ts'
import { exact, knownPrice, positive, type Listing } from './listing.ts'
import { readJson } from './packages.ts'
import { slugOf } from './provider-names.ts'
import { answersInText } from './not-text.ts'
import type { Tally } from './tally.ts'
import { wireName } from './wire-name.ts'

/** US dollars per million tokens. */
export interface Cost {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

interface Entry {
  readonly id: string
  readonly name: string
  readonly kind?: string
  readonly api: string
  readonly reasoning: boolean
  readonly input: readonly string[]
  readonly cost: Cost & { readonly longContext?: Cost & { readonly inputThreshold: number; readonly inputThresholdInclusive?: boolean } }
  readonly contextWindow: number | null
  readonly maxTokens: number | null
  readonly int?: number
  readonly supportsTools?: boolean
  readonly webSearch?: string
  readonly thinking?: {
    readonly efforts?: readonly string[]
    readonly effortMap?: Readonly<Record<string, string>>
    readonly requiresEffort?: boolean
  }
  readonly identity: { readonly class: string; readonly family?: string }
  readonly compat?: {
    readonly supportsSamplingParams?: boolean
    readonly reasoningDisableMode?: string
    readonly requiresThinkingEnabled?: boolean
  }
}

const textApis = new Set([
  'anthropic-messages',
  'azure-openai-responses',
  'bedrock-converse-stream',
  'google-generative-ai',
  'google-vertex',
  'ollama-chat',
  'openai-completions',
  'openai-responses',
  'openrouter',
])

/** @oh-my-pi/pi-catalog: the source with the most models. */
export function piCatalog(folder: string, tally: Tally): Listing[] {
  const models = readJson(folder, 'src/models.json') as Record<string, Record<string, Entry>>
  return Object.entries(models).flatMap(([name, entries]) =>
    Object.values(entries).flatMap(entry => {
      const provider = slugOf(name)
      if (provider === undefined) return tally.leaveOut('subscription, editor, local engine or search', entry.id)
      if (entry.kind !== undefined || !textApis.has(entry.api) || !answersInText(entry.id)) return tally.leaveOut('not text', entry.id)
      const wire = wireName(provider, entry.id)
      return wire === undefined ? tally.leaveOut('another dialect at this provider', entry.id) : [listing(provider, wire, entry)]
    }),
  )
}

function listing(provider: string, wire: string, entry: Entry): Listing {
  const price = knownPrice(priceOf(entry.cost), wire)
  const contextWindow = positive(entry.contextWindow)
  // An entry without limits and price is only a name with default values.
  const isDescribed = contextWindow !== undefined || price !== undefined
  return {
    provider,
    wire,
    title: entry.name,
    contextWindow,
    maxOutputTokens: entry.maxTokens === entry.contextWindow ? undefined : positive(entry.maxTokens),
    price,
    family: entry.identity.family === undefined ? undefined : familyOf(entry.identity.class, entry.identity.family),
    ability: entry.int,
    rests: entry.reasoning ? restsOf(entry) : undefined,
    capabilities: {
      tools: entry.supportsTools,
      images: entry.input.includes('image') ? true : isDescribed ? false : undefined,
      efforts: entry.reasoning
        ? effortsFromThinking(entry.thinking?.efforts ?? [], entry.thinking?.effortMap)
        : isDescribed
          ? []
          : undefined,
      temperature: entry.compat?.supportsSamplingParams === false ? false : undefined,
      webSearch: entry.webSearch !== undefined && provider !== 'openrouter' ? true : undefined,
    },
  }
}

function restsOf({ api, thinking, compat }: Entry): boolean | undefined {
  if (thinking?.requiresEffort || compat?.requiresThinkingEnabled) return false
  if (/^(anthropic|google|bedrock)/.test(api)) return true
  const how = compat?.reasoningDisableMode
  // The lowest effort is the source's fallback.
  return how === undefined || how === 'lowest-effort' ? undefined : true
}

function familyOf(kind: string, family: string): string {
  const maker: Readonly<Record<string, string>> = { anthropic: 'claude', openai: '', xai: '', mistral: '', meta: '', amazon: 'nova' }
  const prefix = maker[kind] ?? kind
  return prefix === '' || family.startsWith(prefix) ? family : `${prefix}-${family}`
}

function priceOf({ longContext, ...cost }: Entry['cost']): Price {
  const { inputThreshold, inputThresholdInclusive, ...above } = longContext ?? { inputThreshold: 0, ...cost }
  return {
    ...rates(cost),
    ...(longContext && { tiers: [{ above: inputThresholdInclusive ? inputThreshold - 1 : inputThreshold, ...rates(above) }] }),
  }
}

/** The source writes zero for an unknown price. */
export function rates({ input, output, cacheRead, cacheWrite }: Cost): Price {
  return { input: exact(input), output: exact(output), cacheRead: positive(exact(cacheRead)), cacheWrite5m: positive(exact(cacheWrite)) }
}
