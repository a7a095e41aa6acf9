import type { EffortLevel } from './wire.ts'

/** The features that requests to a model may use. */
export interface ModelTraits {
  /** `budget`: a number of tokens. `adaptive`: the model decides, guided by the effort. */
  readonly thinking: 'none' | 'budget' | 'adaptive'
  /** True if the model thinks even if the request does not mention thinking. */
  readonly thinksUnasked: boolean
  /** How to turn off thinking for a model that thinks unasked. Undefined if that is impossible. */
  readonly thinkingOff?: 'disabled' | 'between_tools'
  /** Levels of `output_config.effort`. */
  readonly efforts: readonly EffortLevel[]
  /** Which of `temperature` and `top_p` the model accepts: both, only one at a time, or neither. */
  readonly sampling: 'both' | 'one' | 'none'
  /** True if `tool_choice` may be `any` or `tool`. */
  readonly forcedTools: boolean
  /** True if `messages` may hold the role `system`. */
  readonly systemTurns: boolean
  /** `output_config.format` and strict tools. */
  readonly structuredOutput: boolean
  /** The tool `web_search`, where the platform has it ("Web search tool"). */
  readonly search: boolean
  /** The limit if neither the caller nor the catalog sets one. Every model in the row allows it. */
  readonly maxTokens: number
}

const upToMax = ['low', 'medium', 'high', 'max'] as const
const allEfforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const

const early: ModelTraits = {
  thinking: 'none',
  thinksUnasked: false,
  efforts: [],
  sampling: 'both',
  forcedTools: true,
  systemTurns: false,
  structuredOutput: false,
  search: false,
  maxTokens: 4096,
}
const budgeted: ModelTraits = { ...early, thinking: 'budget', search: true, maxTokens: 32_000 }
const claude45: ModelTraits = { ...budgeted, sampling: 'one', structuredOutput: true }
const claude46: ModelTraits = { ...claude45, thinking: 'adaptive', efforts: upToMax }
const opus47: ModelTraits = { ...claude46, efforts: allEfforts, sampling: 'none' }
const opus48: ModelTraits = { ...opus47, systemTurns: true }
const sonnet5: ModelTraits = { ...opus47, thinksUnasked: true, thinkingOff: 'disabled' }
const opus5: ModelTraits = { ...sonnet5, systemTurns: true }
const alwaysThinking: ModelTraits = { ...opus48, thinksUnasked: true }
const claude55: ModelTraits = { ...alwaysThinking, forcedTools: false }

/**
 * By model name, first match wins. Sources: platform.claude.com, "Thinking", "Effort", "Structured outputs",
 * "Mid-conversation system messages", and the migration guides of each model.
 */
const rows: readonly (readonly [RegExp, ModelTraits])[] = [
  [/claude-(instant|v?[12]|3-(opus|sonnet|haiku))/, early],
  [/claude-3[-.]5-sonnet.*20240620/, { ...early, maxTokens: 8192 }],
  [/claude-3[-.]5/, { ...early, search: true, maxTokens: 8192 }],
  [/claude-3[-.]7/, budgeted],
  [/claude-(opus|sonnet)-4([-.@]0)?(?![-.]\d(?!\d))/, budgeted],
  [/claude-opus-4[-.]1/, { ...budgeted, sampling: 'one' }],
  [/claude-opus-4[-.]5/, { ...claude45, efforts: ['low', 'medium', 'high'] }],
  [/claude-(sonnet|haiku)-4[-.]5/, claude45],
  [/claude-(opus|sonnet)-4[-.]6/, claude46],
  [/claude-opus-4[-.]7/, opus47],
  [/claude-opus-4[-.]8/, opus48],
  [/claude-haiku-5[-.]5/, { ...opus5, efforts: allEfforts }],
  [/claude-sonnet-5[-.]5/, { ...claude55, thinkingOff: 'between_tools' }],
  [/claude-opus-5(?![-.]\d(?!\d))/, opus5],
  [/claude-sonnet-5(?![-.]\d(?!\d))/, sonnet5],
  [/claude-mythos-preview/, { ...alwaysThinking, efforts: upToMax, systemTurns: false }],
  [/claude-(fable|mythos)-5(?![-.]\d(?!\d))/, alwaysThinking],
  // Newer than this table: assume what the newest models have in common.
  [/claude/, claude55],
]

/** Other vendors speak this dialect in its early form. */
const others: ModelTraits = { ...budgeted, search: false, maxTokens: 8192 }

/** If a deployment's name does not identify the model, the canonical name does. */
export function traitsOf({ upstreamModel, model }: { readonly upstreamModel: string; readonly model: string }): ModelTraits {
  const name = [upstreamModel, model].map(each => each.toLowerCase()).find(each => each.includes('claude'))
  return (name !== undefined && rows.find(([pattern]) => pattern.test(name))?.[1]) || others
}
