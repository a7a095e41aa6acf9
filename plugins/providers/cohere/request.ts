import type { ProviderCall } from '../../../core/index.ts'
import type { UpstreamRequestBody } from '../../../core/kit.ts'
import { documentsIn } from './documents.ts'
import { messagesOf } from './messages.ts'
import { settingsFor } from './settings.ts'
import { toolsFor } from './tools.ts'
import type { ChatBody, Message } from './wire.ts'

export const dialect = 'cohere-chat'

/** The body of `POST /v2/chat`. Pure. */
export function requestBody(call: ProviderCall): ChatBody {
  const { request, endpoint } = call
  const { traits, format, body } = settingsFor(call)
  const documents = takesDocuments(request) ? documentsIn(request.input) : []
  const instructions = [request.instructions, format.line].filter(text => text !== undefined && text.trim() !== '').join('\n\n')
  const system: readonly Message[] = instructions === '' ? [] : [{ role: 'system', content: instructions }]
  return {
    ...(request.extra?.dialect === dialect && request.extra.fields),
    model: endpoint.upstreamModel,
    messages: [...system, ...messagesOf(request.input, { filesAsText: !takesDocuments(request) })],
    ...(documents.length > 0 && { documents }),
    ...toolsFor(request, traits),
    ...body,
    stream: request.stream === true,
  }
}

/** "Structured Outputs", JSON mode: not supported together with documents. */
function takesDocuments({ text }: UpstreamRequestBody): boolean {
  return text?.format === undefined || text.format.type === 'text'
}
