import type { JsonObject, ProviderCall } from '../../../core/index.ts'
import { messagesOf } from './messages.ts'
import { settingsFor } from './settings.ts'
import { offeredTools, wireTool } from './tools.ts'
import type { ChatBody, Message } from './wire.ts'

export const dialect = 'ollama-chat'

export interface RequestOptions {
  /** How long the model stays loaded. Undefined: the server's setting. */
  readonly keepAlive?: string | number | undefined
  /** Runtime options such as `num_ctx`. Settings in a request override them. */
  readonly modelOptions?: JsonObject | undefined
}

/** The body of `POST /api/chat`. Pure. */
export function requestBody(call: ProviderCall, { keepAlive, modelOptions }: RequestOptions = {}): ChatBody {
  const { request, endpoint } = call
  const { format, body } = settingsFor(call, modelOptions)
  const tools = offeredTools(request)
  const instructions = [request.instructions, format.line].filter(text => text !== undefined && text.trim() !== '').join('\n\n')
  const system: readonly Message[] = instructions === '' ? [] : [{ role: 'system', content: instructions }]
  return {
    ...(request.extra?.dialect === dialect && request.extra.fields),
    model: endpoint.upstreamModel,
    messages: [...system, ...messagesOf(request.input)],
    ...(tools.length > 0 && { tools: tools.map(wireTool) }),
    ...body,
    ...(keepAlive !== undefined && { keep_alive: keepAlive }),
    stream: request.stream === true,
  }
}
