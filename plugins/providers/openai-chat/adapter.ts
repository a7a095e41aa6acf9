import type { Capabilities } from '../../../core/index.ts'
import type { ApiKeys, ProviderAdapter } from '../../../core/kit.ts'
import { ChoicesDecoder, replyChoices } from './choices.ts'
import { decoder } from './decoder.ts'
import { openaiEmbeddings } from './embeddings.ts'
import { failureFrom } from './failure.ts'
import type { Host } from './hosts.ts'
import { commonReranking } from './rerank.ts'
import { replyEvents } from './reply.ts'
import { dialect } from './own-dialect.ts'
import { requestBody } from './request.ts'

/** The Chat Completions dialect as one host speaks it. */
export function openaiChatAdapter(host: Host, baseUrl: string, keys: ApiKeys): ProviderAdapter {
  const root = baseUrl.replace(/\/+$/, '')
  const url = `${root}/chat/completions`
  return {
    capabilities: capabilitiesOf(host),
    capabilitiesOf: ({ upstreamModel }) => {
      const searches = host.search?.models.test(upstreamModel) ?? false
      return { ...(host.search && { webSearch: searches }), ...(host.choices && { choices: !searches }) }
    },
    dialect,
    framing: 'sse',
    prepare: call => ({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(requestBody(call, host)),
    }),
    authorize: keys.authorizeBy('authorization'),
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
    ...(host.reranking && { reranking: commonReranking(() => `${root}/rerank`, host.reranking) }),
    ...(host.embeddings && { embeddings: openaiEmbeddings(() => `${root}/embeddings`, host.embeddings) }),
  }
}

function capabilitiesOf({ customTools, toolChoice, without, efforts }: Host): Capabilities {
  return {
    customTools: customTools === true,
    namespaceTools: false,
    allowedTools: toolChoice === 'all',
    ...(efforts && { efforts }),
    ...(without?.includes('json_schema') && { structuredOutput: 'json_object' }),
    ...(without?.includes('response_format') && { structuredOutput: 'none' }),
  }
}
