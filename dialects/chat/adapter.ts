import type { Capabilities } from '../../core/index.ts'
import type { ProviderAdapter } from '../../core/kit.ts'
import { checkTable } from '../host/check-table.ts'
import { departing } from '../host/departing.ts'
import { addressing, authorizing, urlAt, type HostConnection } from '../host/host-connection.ts'
import { completedBody } from '../host/sent-body.ts'
import { openaiEmbeddings } from '../retrieval/embeddings.ts'
import { commonReranking } from '../retrieval/rerank.ts'
import { chatAnatomy } from './anatomy.ts'
import type { ChatHost } from './chat-host.ts'
import { chatShape } from './chat-shape.ts'
import { ChoicesDecoder, replyChoices } from './choices.ts'
import { decoder } from './decoder.ts'
import { failureFrom } from './failure.ts'
import { withNamedReasoning } from './named-reasoning.ts'
import { dialect } from './own-dialect.ts'
import { replyEvents } from './reply.ts'
import { requestBody } from './request.ts'

/**
 * The Chat Completions dialect as one host speaks it: https://platform.openai.com/docs/api-reference/chat/create. Throws a `TypeError` that
 * names each mistake in the table.
 */
export function chatAdapter(host: ChatHost, { baseUrl = host.baseUrl ?? '', keys }: HostConnection = {}): ProviderAdapter {
  checkTable('chatAdapter', host, chatShape)
  const { embeddings, reranking } = host
  const url = addressing(baseUrl, host.path ?? '/chat/completions')
  const adapter: ProviderAdapter = {
    capabilities: { ...capabilitiesOf(host), ...host.capabilities },
    capabilitiesOf: ({ upstreamModel }) => {
      const searches = host.search?.models.test(upstreamModel) ?? false
      return { ...(host.search && { webSearch: searches }), ...(host.choices && { choices: !searches }) }
    },
    dialect,
    framing: 'sse',
    prepare: call => ({
      method: 'POST',
      url: url(call),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(completedBody(requestBody(call, host), call, host)),
    }),
    ...authorizing(keys, host),
    decoder: call => {
      const { choices } = call.request
      return choices === undefined ? decoder(call, host) : new ChoicesDecoder(call, host, choices)
    },
    reply(body, emit, call) {
      const { choices } = call.request
      if (choices === undefined) replyEvents(body, emit, call, host)
      else replyChoices(body, emit, call, host, choices)
    },
    failure: failureFrom,
    ...(reranking && { reranking: commonReranking(() => urlAt(baseUrl, reranking.path ?? '/rerank'), reranking) }),
    ...(embeddings && { embeddings: openaiEmbeddings(() => urlAt(baseUrl, embeddings.path ?? '/embeddings'), embeddings) }),
  }
  return departing(adapter, withNamedReasoning(host), chatAnatomy)
}

function capabilitiesOf({ customTools, toolChoice, without, efforts }: ChatHost): Capabilities {
  return {
    customTools: customTools === true,
    namespaceTools: false,
    allowedTools: toolChoice === 'all',
    ...(efforts && { efforts }),
    ...(without?.includes('json_schema') && { structuredOutput: 'json_object' }),
    ...(without?.includes('response_format') && { structuredOutput: 'none' }),
  }
}
