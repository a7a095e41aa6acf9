import type { ProviderCall } from '../../core/index.ts'
import type { MessagesHost, MessagesUnsupported } from './messages-host.ts'
import { searchEntry, warnOfSearch } from './search.ts'
import { reasoningFor } from './thinking.ts'
import { traitsOf, type MessagesTraits } from './traits.ts'
import type { EffortLevel, Thinking } from './wire.ts'

/** The settings that depend on the model, and warnings about what was changed or dropped. */
export interface Settings {
  readonly traits: MessagesTraits
  readonly maxTokens: number
  readonly thinking?: Thinking | undefined
  readonly effort?: EffortLevel | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly warnings: readonly { readonly param: string; readonly message: string }[]
}

/** The facts on which settings depend, besides the call. */
export type SettingsHost = Pick<MessagesHost, 'defaultMaxTokens' | 'traits' | 'version' | 'without'>

/** Pure, and cheap enough to call twice: for the request, and for the warnings before the reply. */
export function settingsFor(call: ProviderCall, host: SettingsHost): Settings {
  const { defaultMaxTokens, version, without = [] } = host
  const { request, endpoint } = call
  const traits = traitsAt(version, traitsOf(endpoint, host))
  const warnings: { param: string; message: string }[] = []
  const warn: Warn = (param, message) => void warnings.push({ param, message })

  const ceiling = endpoint.maxOutputTokens
  const wanted = request.max_output_tokens ?? ceiling ?? defaultMaxTokens ?? traits.maxTokens
  const maxTokens = ceiling === undefined ? wanted : Math.min(wanted, ceiling)
  if (maxTokens < wanted) warn('max_output_tokens', `Lowered to ${maxTokens}, the output limit of this model.`)

  const forced = forcesTool(request)
  if (forced && !traits.forcedTools) warn('tool_choice', 'This model cannot be forced to call a tool, so it decides itself.')
  const { thinking, effort } = reasoningFor(call, traits, maxTokens, forced && traits.forcedTools, warn)
  const thinks = thinking?.type === 'enabled' || thinking?.type === 'adaptive'
  const sampling = knownTo(without, samplingFor(call, traits, thinks, warn), warn)
  warnOfUnsaid(request, warn)
  if (request.stop?.length && without.includes('stop_sequences')) warn('stop', notSupported)
  const search = searchEntry(request)
  if (search) warnOfSearch(search, warn)
  return { traits, maxTokens, thinking, effort, ...sampling, warnings }
}

/** From this version on, no model has sampling parameters ("API versions"). Platforms use other version numbers. */
const withoutSampling = '2026-10-21'

function traitsAt(version: string | undefined, traits: MessagesTraits): MessagesTraits {
  return version && /^\d{4}-/.test(version) && version >= withoutSampling ? { ...traits, sampling: 'none' } : traits
}

const notSupported = 'This vendor does not support it.'

export type Warn = (param: string, message: string) => void

/** Warns about settings that the dialect does not have. */
export function warnOfUnsaid(request: ProviderCall['request'], warn: Warn): void {
  const unsaid = {
    top_logprobs: request.top_logprobs,
    presence_penalty: request.presence_penalty,
    frequency_penalty: request.frequency_penalty,
    seed: request.seed !== undefined,
    logit_bias: request.logit_bias,
    'text.verbosity': request.text?.verbosity === 'medium' ? undefined : request.text?.verbosity,
    context_management: request.context_management?.length,
  }
  for (const [param, value] of Object.entries(unsaid)) if (value) warn(param, notSupported)
}

interface Sampling {
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
}

function knownTo(without: readonly MessagesUnsupported[], { temperature, topP, topK }: Sampling, warn: Warn): Sampling {
  const knows = (member: MessagesUnsupported, value: number | undefined): boolean => {
    if (value === undefined) return false
    const isKnown = !without.includes(member)
    if (!isKnown) warn(member, notSupported)
    return isKnown
  }
  return {
    ...(knows('temperature', temperature) && { temperature: temperature! }),
    ...(knows('top_p', topP) && { topP: topP! }),
    ...(knows('top_k', topK) && { topK: topK! }),
  }
}

function samplingFor(call: ProviderCall, traits: MessagesTraits, thinks: boolean, warn: Warn): Sampling {
  const { top_k: topK } = call.request
  const sampling = temperatureFor(call, traits, thinks, warn)
  if (topK === undefined) return sampling
  if (traits.sampling !== 'none' && !thinks) return { ...sampling, topK }
  warn('top_k', traits.sampling === 'none' ? 'This model has no sampling parameters.' : 'Not available while the model thinks.')
  return sampling
}

function temperatureFor({ request }: ProviderCall, traits: MessagesTraits, thinks: boolean, warn: Warn): Sampling {
  const { temperature, top_p: topP } = request
  const drop = (reason: string): object => {
    if (temperature !== undefined && temperature !== 1) warn('temperature', reason)
    if (topP !== undefined && topP !== 1) warn('top_p', reason)
    return {}
  }
  if (traits.sampling === 'none') return drop('This model has no sampling parameters.')
  // "Extended thinking", feature compatibility: no other temperature than 1, and top_p from 0.95.
  if (thinks) return topP !== undefined && topP >= 0.95 && topP < 1 ? { topP } : drop('Not available while the model thinks.')
  if (temperature === undefined) return topP === undefined ? {} : { topP }
  if (temperature > 1) warn('temperature', 'Lowered to 1, the maximum of this vendor.')
  const lowered = Math.min(temperature, 1)
  if (traits.sampling === 'both' && topP !== undefined) return { temperature: lowered, topP }
  if (topP !== undefined && topP !== 1) warn('top_p', 'This model accepts either temperature or top_p.')
  return { temperature: lowered }
}

/** A choice of the search forces it only where the request has one. */
export function forcesTool({ tool_choice: choice, tools }: ProviderCall['request']): boolean {
  if (typeof choice !== 'object') return choice === 'required'
  return choice.type === 'function' || (choice.type === 'web_search' && (tools?.some(({ type }) => type === 'web_search') ?? false))
}
