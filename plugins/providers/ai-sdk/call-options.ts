import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { JsonObject, ProviderCall } from '../../../core/index.ts'
import type { Effort, UpstreamRequestBody } from '../../../core/kit.ts'
import { promptFor } from './prompt.ts'
import type { LanguageModel } from './specification.ts'
import { toolsFor } from './tools.ts'
import type { Sayable, Vendor } from './vendor.ts'

export interface CallSettings {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly providerOptions?: Readonly<Record<string, JsonObject>> | undefined
}

export type Warn = (param: string, message: string) => void

/** The options to call a package with, in the newest version of the specification. */
export function callOptions(
  { request, signal, traceparent }: ProviderCall,
  model: LanguageModel,
  vendor: Vendor,
  { headers, providerOptions }: CallSettings,
  warn: Warn,
): LanguageModelV4CallOptions {
  warnOfUnsaid(request, vendor, warn)
  const effort = request.reasoning?.effort
  const told = model.specificationVersion === 'v4' ? {} : olderEffort(effort, vendor, warn)
  const options = merged({ [vendor.namespace]: { ...vendor.options?.(request), ...told } }, providerOptions)
  return {
    prompt: promptFor(request, vendor),
    abortSignal: signal,
    ...((headers || traceparent !== undefined) && { headers: { ...headers, ...(traceparent !== undefined && { traceparent }) } }),
    ...(request.max_output_tokens !== undefined && { maxOutputTokens: request.max_output_tokens }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(request.top_p !== undefined && { topP: request.top_p }),
    ...(request.presence_penalty !== undefined && { presencePenalty: request.presence_penalty }),
    ...(request.frequency_penalty !== undefined && { frequencyPenalty: request.frequency_penalty }),
    ...(request.top_k !== undefined && { topK: request.top_k }),
    ...(request.seed !== undefined && { seed: request.seed }),
    ...(request.stop?.length && { stopSequences: [...request.stop] }),
    ...(effort && { reasoning: effort }),
    ...responseFormat(request),
    ...toolsFor(request),
    ...(options && { providerOptions: options }),
  }
}

function responseFormat({ text }: UpstreamRequestBody): Pick<LanguageModelV4CallOptions, 'responseFormat'> {
  const format = text?.format
  if (!format || format.type === 'text') return {}
  if (format.type === 'json_object') return { responseFormat: { type: 'json' } }
  const { schema, name, description } = format
  return { responseFormat: { type: 'json', schema, name, ...(description !== undefined && { description }) } }
}

const unsaid = 'is not supported by this package and was left out'

function warnOfUnsaid({ parallel_tool_calls, tools, text, logit_bias }: UpstreamRequestBody, { says }: Vendor, warn: Warn): void {
  const asked: Readonly<Record<Sayable, boolean>> = {
    parallel_tool_calls: parallel_tool_calls === false && Boolean(tools?.length),
    'text.verbosity': text?.verbosity !== undefined && text.verbosity !== 'medium',
  }
  if (logit_bias) warn('logit_bias', unsaid)
  for (const param of Object.keys(asked) as Sayable[]) if (asked[param] && !says?.includes(param)) warn(param, unsaid)
}

const ladder: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** Before v4, the specification has no effort. Uses the package's option if known, with the closest level: first up, then down. */
function olderEffort(effort: Effort | undefined, { efforts }: Vendor, warn: Warn): JsonObject {
  if (!effort) return {}
  const from = ladder.indexOf(effort)
  const known = ladder.filter(level => efforts?.includes(level))
  const closest = known.find(level => ladder.indexOf(level) >= from) ?? known.at(-1)
  if (!closest) warn('reasoning.effort', unsaid)
  else if (closest !== effort) warn('reasoning.effort', `${effort} became ${closest}`)
  return closest ? { reasoningEffort: closest } : {}
}

/** The operator's options override those from the request. */
function merged(
  own: Readonly<Record<string, JsonObject>>,
  operators: CallSettings['providerOptions'],
): SharedV4ProviderOptions | undefined {
  const names = new Set([...Object.keys(own), ...Object.keys(operators ?? {})])
  const entries = Array.from(names, name => [name, { ...own[name], ...operators?.[name] }] as const)
  const said = entries.filter(([, options]) => Object.keys(options).length > 0)
  return said.length > 0 ? (Object.fromEntries(said) as SharedV4ProviderOptions) : undefined
}
