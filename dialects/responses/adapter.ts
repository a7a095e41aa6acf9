import type { Capabilities } from '../../core/index.ts'
import type { ProviderAdapter } from '../../core/kit.ts'
import { checkTable } from '../host/check-table.ts'
import { departing } from '../host/departing.ts'
import { addressing, authorizing, urlAt, type HostConnection } from '../host/host-connection.ts'
import { completedBody, withHostNames } from '../host/sent-body.ts'
import { openaiEmbeddings } from '../retrieval/embeddings.ts'
import { responsesAnatomy } from './anatomy.ts'
import { decoder } from './decoder.ts'
import { failureFrom } from './failure.ts'
import { replyEvents } from './reply.ts'
import { dialect, hasOwnTools, requestBody } from './request.ts'
import type { ResponsesHost } from './responses-host.ts'
import { responsesShape } from './responses-shape.ts'
import { warningsFor } from './warnings.ts'

const capabilities: Capabilities = {
  customTools: true,
  namespaceTools: true,
  allowedTools: true,
  builtInTools: true,
  structuredOutput: 'json_schema',
  jsonModeReadsInput: true,
}

/**
 * The Responses dialect as one host speaks it: https://platform.openai.com/docs/api-reference/responses. Throws a `TypeError` that names
 * each mistake in the table.
 */
export function responsesAdapter(host: ResponsesHost, { baseUrl = host.baseUrl ?? '', keys }: HostConnection = {}): ProviderAdapter {
  checkTable('responsesAdapter', host, responsesShape)
  const url = addressing(baseUrl, host.path ?? '/responses')
  const { embeddings = { tokens: true }, search } = host
  const adapter: ProviderAdapter = {
    capabilities: { ...capabilities, contextManagement: host.contextManagement ?? true, ...host.capabilities },
    // If a deployment's name does not identify the model, the canonical name does.
    capabilitiesOf: ({ upstreamModel, model }) => {
      const searches = search?.models.some(pattern => [upstreamModel, model].some(name => pattern.test(name.toLowerCase())))
      return searches ? { webSearch: true } : {}
    },
    dialect,
    framing: 'sse',
    prepare(call) {
      const { request, endpoint } = call
      const accept = request.stream ? 'text/event-stream' : 'application/json'
      const body = withHostNames(requestBody(request, endpoint.upstreamModel, host), host.renamed)
      return {
        method: 'POST',
        url: url(call),
        headers: { 'content-type': 'application/json', accept },
        body: JSON.stringify(completedBody(body, call, host)),
      }
    },
    ...authorizing(keys, host),
    decoder: call => decoder(call, host),
    reply(body, emit, call) {
      for (const warning of warningsFor(call.request, call.endpoint.upstreamModel, host)) emit(warning)
      replyEvents(body, emit, hasOwnTools(call.request))
    },
    failure: failureFrom,
    ...(embeddings && { embeddings: openaiEmbeddings(() => urlAt(baseUrl, embeddings.path ?? '/embeddings'), embeddings) }),
  }
  return departing(adapter, host, responsesAnatomy)
}
