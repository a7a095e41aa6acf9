import type { Capabilities } from '../../../core/index.ts'
import type { ApiKeys, ProviderAdapter } from '../../../core/kit.ts'
import { openaiEmbeddings } from '../openai-chat/embeddings.ts'
import { decoder } from './decoder.ts'
import { failureFrom } from './failure.ts'
import { capabilitiesOf } from './models.ts'
import { replyEvents } from './reply.ts'
import { dialect, hasOwnTools, requestBody, warningsFor, type RequestOptions } from './request.ts'

export interface OpenaiResponsesOptions extends RequestOptions {
  /** May include a query, which every request keeps. */
  readonly baseUrl: string
  /** Without keys, requests have no credential. Plugins with other credentials replace `authorize`. */
  readonly keys?: ApiKeys | undefined
  /** The host compacts conversations by itself. Default: true. */
  readonly contextManagement?: boolean | undefined
}

export const responsesCapabilities: Capabilities = {
  customTools: true,
  namespaceTools: true,
  allowedTools: true,
  builtInTools: true,
  structuredOutput: 'json_schema',
  jsonModeReadsInput: true,
  contextManagement: true,
}

/** The Responses dialect: https://platform.openai.com/docs/api-reference/responses */
export function openaiResponsesAdapter(options: OpenaiResponsesOptions): ProviderAdapter {
  const url = urlAt(options.baseUrl, 'responses')
  return {
    capabilities: { ...responsesCapabilities, contextManagement: options.contextManagement ?? true },
    capabilitiesOf,
    dialect,
    framing: 'sse',
    prepare({ request, endpoint }) {
      const accept = request.stream ? 'text/event-stream' : 'application/json'
      const body = JSON.stringify(requestBody(request, endpoint.upstreamModel, options))
      return { method: 'POST', url, headers: { 'content-type': 'application/json', accept }, body }
    },
    ...(options.keys && { authorize: options.keys.authorizeBy('authorization') }),
    decoder,
    reply(body, emit, call) {
      for (const warning of warningsFor(call.request, call.endpoint.upstreamModel)) emit(warning)
      replyEvents(body, emit, hasOwnTools(call.request))
    },
    failure: failureFrom,
    embeddings: openaiEmbeddings(() => urlAt(options.baseUrl, 'embeddings'), { tokens: true }),
  }
}

function urlAt(baseUrl: string, path: string): string {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  return url.href
}
