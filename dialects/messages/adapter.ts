import type { JsonObject, ProviderCall } from '../../core/index.ts'
import type { ProviderAdapter } from '../../core/kit.ts'
import { checkTable } from '../host/check-table.ts'
import { departing } from '../host/departing.ts'
import { addressing, authorizing, type HostConnection } from '../host/host-connection.ts'
import { completedBody, withHostNames } from '../host/sent-body.ts'
import { messagesAnatomy } from './anatomy.ts'
import { enforcesFormat } from './answer-format.ts'
import { decoder } from './decoder.ts'
import { failureFrom } from './failure.ts'
import type { Envelope, MessagesHost } from './messages-host.ts'
import { messagesShape } from './messages-shape.ts'
import { dialect, exactOf } from './own-dialect.ts'
import { replyEvents } from './reply.ts'
import { requestBody } from './request.ts'
import { traitsOf } from './traits.ts'
import type { MessagesBody } from './wire.ts'

const defaultVersion = '2023-06-01'

/**
 * The Messages dialect as one host speaks it: https://platform.claude.com/docs/en/api/messages. Throws a `TypeError` that names each mistake
 * in the table.
 */
export function messagesAdapter(host: MessagesHost, { baseUrl = host.baseUrl ?? '', keys }: HostConnection = {}): ProviderAdapter {
  checkTable('messagesAdapter', host, messagesShape)
  const { version = defaultVersion, betas = [], envelope = inHeaders, path = '/v1/messages' } = host
  const root = path.startsWith('/v1/') ? baseUrl.replace(/(\/v1)?\/*$/, '') : baseUrl
  const url = host.url ?? addressing(root, path)
  const adapter: ProviderAdapter = {
    capabilities: { customTools: false, namespaceTools: false, allowedTools: false, ...host.capabilities },
    capabilitiesOf: endpoint => {
      const { search, thinking, thinksUnasked } = traitsOf(endpoint, host)
      return { webSearch: search, hiddenReasoning: thinking === 'none' ? false : thinksUnasked || 'asked' }
    },
    enforcesFormat: (format, endpoint) => enforcesFormat(format, traitsOf(endpoint, host)),
    dialect,
    framing: 'sse',
    ...(host.media && { media: host.media }),
    prepare(call) {
      const message = requestBody(call, host)
      const { headers, body } = envelope(message as object as JsonObject, version, betasFor(message, withCallers(betas, call)))
      return {
        method: 'POST',
        url: url(call),
        headers: { ...headers, 'content-type': 'application/json', accept: message.stream ? 'text/event-stream' : 'application/json' },
        body: JSON.stringify(completedBody(withHostNames(body as JsonObject, host.renamed), call, host)),
      }
    },
    ...authorizing(keys, host, 'x-api-key'),
    decoder: call => decoder(call, host),
    reply: (body, emit, call) => replyEvents(body, emit, call, host),
    failure: failureFrom,
  }
  return departing(adapter, host, messagesAnatomy)
}

function inHeaders(body: JsonObject, version: string, betas: readonly string[]): Envelope {
  return { headers: { 'anthropic-version': version, ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }) }, body }
}

function withCallers(betas: readonly string[], { request }: ProviderCall): readonly string[] {
  const asked = exactOf(request)?.betas
  return asked ? [...new Set([...betas, ...asked])] : betas
}

const compactionBeta = 'compact-2026-01-12'

/** The vendor accepts a compaction as input only with its beta enabled. */
function betasFor({ messages }: MessagesBody, chosen: readonly string[]): readonly string[] {
  const compacted = messages.some(({ content }) => content.some(({ type }) => type === 'compaction'))
  return compacted && !chosen.includes(compactionBeta) ? [...chosen, compactionBeta] : chosen
}
