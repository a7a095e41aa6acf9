import type { JsonObject, ProviderCall } from '../../core/index.ts'
import { outputFormat } from './answer-format.ts'
import { conversationOf } from './messages.ts'
import type { MessagesHost, MessagesUnsupported } from './messages-host.ts'
import { dialect, exactOf } from './own-dialect.ts'
import { settingsFor } from './settings.ts'
import { toolsFor } from './tools.ts'
import type { MessagesBody, OutputConfig, TextBlock, VendorBlock } from './wire.ts'

/** The body of "Create a Message". Pure. */
export function requestBody(call: ProviderCall, host: MessagesHost = {}): MessagesBody {
  const { request, endpoint } = call
  const { traits, maxTokens, thinking, effort, temperature, topP, topK } = settingsFor(call, host)
  const knows = (member: MessagesUnsupported): boolean => !host.without?.includes(member)
  const exact = exactOf(request)
  const fields = request.extra?.dialect === dialect ? request.extra.fields : undefined
  const { system, messages } = conversationOf(request.input, traits.systemTurns && host.systemTurns !== false, exact !== undefined)
  const header = exact?.system ? [exact.system as VendorBlock] : []
  const instructions = [...header, ...text(request.instructions), ...system]
  const format = outputFormat(request)
  const outputConfig: OutputConfig = { ...(fields?.['output_config'] as JsonObject), ...(effort && { effort }), ...(format && { format }) }
  return {
    ...fields,
    model: endpoint.upstreamModel,
    max_tokens: maxTokens,
    ...(instructions.length > 0 && { system: instructions }),
    messages,
    ...toolsFor(request, traits),
    ...(thinking && { thinking }),
    ...(Object.keys(outputConfig).length > 0 && { output_config: outputConfig }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    ...(request.stop?.length && knows('stop_sequences') && { stop_sequences: request.stop }),
    ...(exact?.user_id &&
      knows('metadata') && { metadata: { ...(fields?.['metadata'] as JsonObject), user_id: request.prompt_cache_key } }),
    ...(exact?.service_tier && knows('service_tier') && { service_tier: exact.service_tier }),
    // Automatic caching: the vendor puts the breakpoint on the last block that can have one.
    ...(request.cache_control && knows('cache_control') && { cache_control: request.cache_control as JsonObject }),
    ...(request.stream && { stream: true }),
  }
}

function text(content: string | undefined): readonly TextBlock[] {
  return content === undefined || content.trim() === '' ? [] : [{ type: 'text', text: content }]
}
