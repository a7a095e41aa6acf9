import type { JsonObject, ProviderCall } from '../../../core/index.ts'
import { settingsFor as claudeSettingsFor, warnOfUnsaid } from '../anthropic/settings.ts'
import { traitsOf, type ModelTraits } from './models.ts'
import { reasoningFor } from './reasoning.ts'
import { toolsFor } from './tools.ts'
import type { InferenceConfig, ToolConfig } from './wire.ts'

/** The parts of a request on which the model has a say, and what had to give way. */
export interface Settings {
  readonly traits: ModelTraits
  readonly inference: InferenceConfig
  readonly toolConfig?: ToolConfig | undefined
  /** `additionalModelRequestFields`: what only this model's own dialect has a word for. */
  readonly additional: JsonObject
  readonly warnings: readonly Warning[]
}

export interface Warning {
  readonly param: string
  readonly message: string
}

export interface SettingsOptions {
  /** For calls of Claude without a limit on models without a known one; absent: what the model's generation allows. */
  readonly defaultMaxTokens?: number | undefined
  /** Betas of Anthropic's to take part in. */
  readonly beta?: readonly string[] | undefined
}

export type Warn = (param: string, message: string) => void

/** Pure, and cheap enough to be asked twice: for the request, and for the warnings that precede the reply. */
export function settingsFor(call: ProviderCall, options: SettingsOptions): Settings {
  const traits = traitsOf(call.endpoint)
  const warnings: Warning[] = []
  const warn: Warn = (param, message) => void warnings.push({ param, message })
  const own = traits.reasoning === 'anthropic' ? claudeSettings(call, options, warnings) : otherSettings(call, traits, warn)
  const { toolConfig, additional } = toolsFor(call, traits, warn)
  if (call.request.service_tier === 'scale') warn('service_tier', 'This vendor has no such tier.')
  return { traits, inference: own.inference, toolConfig, additional: { ...own.additional, ...additional }, warnings }
}

interface OwnSettings {
  readonly inference: InferenceConfig
  readonly additional: JsonObject
}

/** Claude has the same rules here as at its maker's. */
function claudeSettings(call: ProviderCall, { defaultMaxTokens, beta = [] }: SettingsOptions, warnings: Warning[]): OwnSettings {
  const settings = claudeSettingsFor(call, { defaultMaxTokens })
  const { maxTokens, temperature, topP, thinking, effort } = settings
  warnings.push(...settings.warnings)
  return {
    inference: { maxTokens, ...(temperature !== undefined && { temperature }), ...(topP !== undefined && { topP }) },
    additional: {
      ...(thinking && { thinking }),
      ...(effort && { output_config: { effort } }),
      ...(beta.length > 0 && { anthropic_beta: beta }),
    },
  }
}

function otherSettings(call: ProviderCall, traits: ModelTraits, warn: Warn): OwnSettings {
  const { max_output_tokens: maxTokens, temperature, top_p: topP } = call.request
  warnOfUnsaid(call.request, warn)
  if (temperature !== undefined && temperature > 1) warn('temperature', 'Lowered to 1, the highest value of this vendor.')
  const additional = reasoningFor(call, traits, warn)
  const inference = {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature: Math.min(temperature, 1) }),
    ...(topP !== undefined && { topP }),
  }
  const { maxReasoningEffort } = (additional['reasoningConfig'] ?? {}) as { maxReasoningEffort?: string }
  if (maxReasoningEffort !== 'high') return { inference, additional }
  // Nova 2, "Extended thinking": at the highest effort none of these may be set.
  for (const [param, value] of [
    ['max_output_tokens', maxTokens],
    ['temperature', temperature],
    ['top_p', topP],
  ] as const)
    if (value !== undefined) warn(param, 'Not available while this model thinks with its highest effort.')
  return { inference: {}, additional }
}
