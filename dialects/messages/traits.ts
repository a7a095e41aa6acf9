import type { MessagesHost } from './messages-host.ts'
import type { EffortLevel } from './wire.ts'

/** The features that requests to a model may use. */
export interface MessagesTraits {
  /** `budget`: a number of tokens. `adaptive`: the model decides, guided by the effort. */
  readonly thinking: 'none' | 'budget' | 'adaptive'
  /** True if the model thinks even if the request does not mention thinking. */
  readonly thinksUnasked: boolean
  /** How to turn off thinking for a model that thinks unasked. Absent if that is impossible. */
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
  /** The output limit if neither the caller nor the catalog sets one. Every model in the row has to allow it. */
  readonly maxTokens: number
}

/** The dialect in its early form, which most hosts of other models speak. */
export const earlyTraits: MessagesTraits = {
  thinking: 'budget',
  thinksUnasked: false,
  efforts: [],
  sampling: 'both',
  forcedTools: true,
  systemTurns: false,
  structuredOutput: false,
  search: false,
  maxTokens: 8192,
}

/** If a deployment's name does not identify the model, the canonical name does. */
export function traitsOf(
  { upstreamModel, model }: { readonly upstreamModel: string; readonly model: string },
  { traits = [] }: Pick<MessagesHost, 'traits'>,
): MessagesTraits {
  for (const name of [upstreamModel.toLowerCase(), model.toLowerCase()]) {
    const row = traits.find(([pattern]) => pattern.test(name))
    if (row) return { ...earlyTraits, ...row[1] }
  }
  return earlyTraits
}
