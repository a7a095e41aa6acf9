import type { ProviderCall } from '../../../core/index.ts'
import type { UpstreamRequestBody } from '../../../core/kit.ts'
import { outputConfig } from './answer-format.ts'
import { conversationOf } from './messages.ts'
import { cachePoint } from './parts.ts'
import { settingsFor, type SettingsOptions } from './settings.ts'
import type { ConverseBody, Message, SystemBlock } from './wire.ts'

export const dialect = 'bedrock-converse'

/** The body of "Converse" and "ConverseStream". Pure. */
export function requestBody(call: ProviderCall, options: SettingsOptions): ConverseBody {
  const { request } = call
  const { traits, inference, toolConfig, additional } = settingsFor(call, options)
  const conversation = conversationOf(withInstructions(request), traits)
  const { system } = conversation
  const point = traits.cachePoints === 'none' ? undefined : cachePoint(request.cache_control as { readonly ttl?: string } | undefined)
  const messages = point
    ? cachedToTheEnd(conversation.messages, traits.cachePoints === '1h' ? point : { type: 'default' })
    : conversation.messages
  const format = outputConfig(request)
  const tier = serviceTier(request)
  return {
    ...(request.extra?.dialect === dialect && request.extra.fields),
    messages,
    ...(system.length > 0 && { system }),
    ...(Object.keys(inference).length > 0 && { inferenceConfig: inference }),
    ...(toolConfig && { toolConfig }),
    ...(Object.keys(additional).length > 0 && { additionalModelRequestFields: additional }),
    ...(format && { outputConfig: format }),
    ...(tier && { serviceTier: tier }),
  }
}

/** Puts the instructions before all system messages. */
function withInstructions({ instructions, input }: UpstreamRequestBody): UpstreamRequestBody['input'] {
  if (instructions === undefined || instructions.trim() === '') return input
  return [{ type: 'message', role: 'system', content: [{ type: 'input_text', text: instructions }] }, ...input]
}

/** Applies a hint for the whole request: everything may be cached. */
function cachedToTheEnd(
  messages: readonly Message[],
  point: Extract<SystemBlock, { cachePoint: object }>['cachePoint'],
): readonly Message[] {
  const last = messages.at(-1)
  if (!last || last.content.some(block => 'cachePoint' in block)) return messages
  return [...messages.slice(0, -1), { ...last, content: [...last.content, { cachePoint: point }] }]
}

/** Most models have only the default tier, and reject it if it is named. */
function serviceTier({ service_tier: tier }: UpstreamRequestBody): ConverseBody['serviceTier'] {
  return tier === 'flex' || tier === 'priority' ? { type: tier } : undefined
}
