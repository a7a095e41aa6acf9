import type { JsonObject, ProviderCall } from '../../../core/index.ts'
import type { Effort } from '../../../core/kit.ts'
import { answerFormat, type AnswerFormat } from './answer-format.ts'
import { takesLevels } from './models.ts'
import type { ChatSettings, Think } from './wire.ts'

/** The settings that depend on the vendor and the model, and warnings about what was changed or dropped. */
export interface Settings {
  readonly format: AnswerFormat
  readonly body: ChatSettings
  readonly warnings: readonly { readonly param: string; readonly message: string }[]
}

type Warn = (param: string, message: string) => void
type Request = ProviderCall['request']

/** Pure, and cheap enough to call twice: for the request, and for the warnings before the reply. `defaults` are the operator's options. */
export function settingsFor(call: ProviderCall, defaults: JsonObject = {}): Settings {
  const { request, endpoint } = call
  const warnings: { param: string; message: string }[] = []
  const warn: Warn = (param, message) => void warnings.push({ param, message })
  const format = answerFormat(call)
  if (format.line !== undefined && !format.enforced)
    warn('text.format', 'The prompt asks for JSON: with an enforced format, the model cannot call tools.')
  const think = reasoningFor(request, takesLevels(endpoint), warn)
  const options = { ...defaults, ...sampling(request) }
  const { top_logprobs: top, truncation } = request
  const logprobs = top !== undefined || request.logprobs === true
  const mayForget = truncation === 'auto'
  const body: ChatSettings = {
    ...(format.enforced && { format: format.enforced }),
    ...(Object.keys(options).length > 0 && { options }),
    ...(think !== undefined && { think }),
    ...(logprobs && { logprobs }),
    ...(top && { top_logprobs: top }),
    truncate: mayForget,
    shift: mayForget,
  }
  warnOfUnsaid(request, warn)
  return { format, body, warnings }
}

function sampling({ temperature, top_p, top_k, seed, stop, max_output_tokens, presence_penalty, frequency_penalty }: Request): JsonObject {
  return {
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { top_p }),
    ...(max_output_tokens !== undefined && { num_predict: max_output_tokens }),
    ...(presence_penalty !== undefined && { presence_penalty }),
    ...(frequency_penalty !== undefined && { frequency_penalty }),
    ...(top_k !== undefined && { top_k }),
    ...(seed !== undefined && { seed }),
    ...(stop?.length && { stop }),
  }
}

/** Warns about settings that the dialect does not have. */
function warnOfUnsaid({ tool_choice: choice, parallel_tool_calls, logit_bias }: Request, warn: Warn): void {
  if (choice === 'required' || (typeof choice === 'object' && choice.type === 'function'))
    warn('tool_choice', 'This vendor cannot force a tool call, so the model decides itself.')
  if (parallel_tool_calls === false) warn('parallel_tool_calls', 'This vendor does not support it.')
  if (logit_bias) warn('logit_bias', 'This vendor does not support it.')
}

const levels: Record<Effort, 'low' | 'medium' | 'high'> = {
  none: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
}

/** "Thinking": on or off, or a level for models that have levels and cannot turn it off. */
function reasoningFor({ reasoning }: Request, knowsLevels: boolean, warn: Warn): Think | undefined {
  const effort = reasoning?.effort
  if (effort === undefined) return undefined
  if (!knowsLevels) return effort !== 'none'
  if (effort === 'none') warn('reasoning.effort', 'This model always thinks, so it uses its lowest level.')
  return levels[effort]
}
