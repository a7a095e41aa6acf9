import type { JsonObject, ProviderCall } from '../../../core/index.ts'
import { settingsFor as claudeSettingsFor, warnOfUnsaid } from '../../../dialects/messages/settings.ts'
import { claude } from '../anthropic/models.ts'
import { traitsOf, type ModelTraits } from './models.ts'
import { reasoningFor } from './reasoning.ts'
import { toolsFor } from './tools.ts'
import type { InferenceConfig, ToolConfig } from './wire.ts'

/** The settings that depend on the model, and warnings about what was changed or dropped. */
export interface Settings {
  readonly traits: ModelTraits
  readonly inference: InferenceConfig
  readonly toolConfig?: ToolConfig | undefined
  /** `additionalModelRequestFields`: settings that only this model's own dialect has. */
  readonly additional: JsonObject
  readonly warnings: readonly Warning[]
}

export interface Warning {
  readonly param: string
  readonly message: string
}

export interface SettingsOptions {
  /** The output limit for Claude if neither the call nor the catalog has one. Default: what the model's generation allows. */
  readonly defaultMaxTokens?: number | undefined
  /** Anthropic beta features to enable. */
  readonly beta?: readonly string[] | undefined
}

export type Warn = (param: string, message: string) => void

/** Pure, and cheap enough to call twice: for the request, and for the warnings before the reply. */
export function settingsFor(call: ProviderCall, options: SettingsOptions): Settings {
  const traits = traitsOf(call.endpoint)
  const warnings: Warning[] = []
  const warn: Warn = (param, message) => void warnings.push({ param, message })
  const own = traits.reasoning === 'anthropic' ? claudeSettings(call, options, warnings) : otherSettings(call, traits, warn)
  const { toolConfig, additional } = toolsFor(call, traits, warn)
  const { service_tier: tier } = call.request
  if (tier === 'scale' || tier === 'ultrafast') warn('service_tier', 'This vendor does not have this tier.')
  return { traits, inference: own.inference, toolConfig, additional: { ...own.additional, ...additional }, warnings }
}

interface OwnSettings {
  readonly inference: InferenceConfig
  readonly additional: JsonObject
}

/** Claude follows the same rules here as at Anthropic. */
function claudeSettings(call: ProviderCall, { defaultMaxTokens, beta = [] }: SettingsOptions, warnings: Warning[]): OwnSettings {
  const settings = claudeSettingsFor(call, { traits: claude, ...(defaultMaxTokens !== undefined && { defaultMaxTokens }) })
  const { maxTokens, temperature, topP, topK, thinking, effort } = settings
  warnings.push(...settings.warnings)
  return {
    inference: { maxTokens, ...(temperature !== undefined && { temperature }), ...(topP !== undefined && { topP }), ...stopsOf(call) },
    additional: {
      ...(thinking && { thinking }),
      ...(topK !== undefined && { top_k: topK }),
      ...(effort && { output_config: { effort } }),
      ...(beta.length > 0 && { anthropic_beta: beta }),
    },
  }
}

function stopsOf({ request: { stop } }: ProviderCall): Pick<InferenceConfig, 'stopSequences'> {
  return stop?.length ? { stopSequences: stop } : {}
}

function otherSettings(call: ProviderCall, traits: ModelTraits, warn: Warn): OwnSettings {
  const { max_output_tokens: maxTokens, temperature, top_p: topP, top_k: topK } = call.request
  warnOfUnsaid(call.request, warn)
  if (topK !== undefined) warn('top_k', 'This vendor does not support it.')
  if (temperature !== undefined && temperature > 1) warn('temperature', 'Lowered to 1, the maximum of this vendor.')
  const additional = reasoningFor(call, traits, warn)
  const inference = {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature: Math.min(temperature, 1) }),
    ...(topP !== undefined && { topP }),
    ...stopsOf(call),
  }
  const { maxReasoningEffort } = (additional['reasoningConfig'] ?? {}) as { maxReasoningEffort?: string }
  if (maxReasoningEffort !== 'high') return { inference, additional }
  // Nova 2, "Extended thinking": the highest effort does not allow any of these.
  for (const [param, value] of [
    ['max_output_tokens', maxTokens],
    ['temperature', temperature],
    ['top_p', topP],
  ] as const)
    if (value !== undefined) warn(param, 'Not available at the highest effort of this model.')
  return { inference: stopsOf(call), additional }
}
