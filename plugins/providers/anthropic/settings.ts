import type { ProviderCall, ToolChoice } from '../../../core/index.ts'
import { traitsOf, type ModelTraits } from './models.ts'
import { reasoningFor } from './thinking.ts'
import type { EffortLevel, Thinking } from './wire.ts'

/** The parts of a request on which the model has a say, and what had to give way. */
export interface Settings {
  readonly traits: ModelTraits
  readonly maxTokens: number
  readonly thinking?: Thinking | undefined
  readonly effort?: EffortLevel | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly warnings: readonly { readonly param: string; readonly message: string }[]
}

export interface SettingsOptions {
  /** For calls without a limit on models without a known one; absent: what the model's generation allows. */
  readonly defaultMaxTokens?: number | undefined
  /** The dated version of the API. */
  readonly version?: string | undefined
}

/** Pure, and cheap enough to be asked twice: for the request, and for the warnings that precede the reply. */
export function settingsFor(call: ProviderCall, { defaultMaxTokens, version }: SettingsOptions = {}): Settings {
  const { request, endpoint } = call
  const traits = traitsAt(version, traitsOf(endpoint))
  const warnings: { param: string; message: string }[] = []
  const warn: Warn = (param, message) => void warnings.push({ param, message })

  const ceiling = endpoint.maxOutputTokens
  const wanted = request.max_output_tokens ?? ceiling ?? defaultMaxTokens ?? traits.maxTokens
  const maxTokens = ceiling === undefined ? wanted : Math.min(wanted, ceiling)
  if (maxTokens < wanted) warn('max_output_tokens', `Lowered to ${maxTokens}, the most that this model can write.`)

  const forced = forcesTool(request.tool_choice)
  if (forced && !traits.forcedTools) warn('tool_choice', 'This model cannot be made to call a tool; it was left to decide.')
  const { thinking, effort } = reasoningFor(call, traits, maxTokens, forced && traits.forcedTools, warn)
  const thinks = thinking?.type === 'enabled' || thinking?.type === 'adaptive'
  const sampling = samplingFor(call, traits, thinks, warn)
  warnOfUnsaid(request, warn)
  return { traits, maxTokens, thinking, effort, ...sampling, warnings }
}

/** From this version on, no model has sampling parameters ("API versions"). Platforms count their versions otherwise. */
const withoutSampling = '2026-10-21'

function traitsAt(version: string | undefined, traits: ModelTraits): ModelTraits {
  return version && /^\d{4}-/.test(version) && version >= withoutSampling ? { ...traits, sampling: 'none' } : traits
}

export type Warn = (param: string, message: string) => void

/** What the dialect has no word for. */
export function warnOfUnsaid(request: ProviderCall['request'], warn: Warn): void {
  const unsaid = {
    top_logprobs: request.top_logprobs,
    presence_penalty: request.presence_penalty,
    frequency_penalty: request.frequency_penalty,
    'text.verbosity': request.text?.verbosity === 'medium' ? undefined : request.text?.verbosity,
    context_management: request.context_management?.length,
  }
  for (const [param, value] of Object.entries(unsaid)) if (value) warn(param, 'This vendor has nothing like it.')
}

function samplingFor({ request }: ProviderCall, traits: ModelTraits, thinks: boolean, warn: Warn): { temperature?: number; topP?: number } {
  const { temperature, top_p: topP } = request
  const drop = (reason: string): object => {
    if (temperature !== undefined && temperature !== 1) warn('temperature', reason)
    if (topP !== undefined && topP !== 1) warn('top_p', reason)
    return {}
  }
  if (traits.sampling === 'none') return drop('There are no sampling parameters here.')
  // "Extended thinking", feature compatibility: no other temperature than 1, and top_p from 0.95.
  if (thinks) return topP !== undefined && topP >= 0.95 && topP < 1 ? { topP } : drop('Not available while the model thinks.')
  if (temperature === undefined) return topP === undefined ? {} : { topP }
  if (temperature > 1) warn('temperature', 'Lowered to 1, the highest value of this vendor.')
  const lowered = Math.min(temperature, 1)
  if (traits.sampling === 'both' && topP !== undefined) return { temperature: lowered, topP }
  if (topP !== undefined && topP !== 1) warn('top_p', 'This model takes either temperature or top_p.')
  return { temperature: lowered }
}

export function forcesTool(choice: ToolChoice | undefined): boolean {
  return choice === 'required' || (typeof choice === 'object' && choice.type === 'function')
}
