import type { ProviderCall } from '../../../core/index.ts'
import type { ProviderAdapter } from '../../../core/kit.ts'
import { enforcesFormat } from './answer-format.ts'
import { decoder } from './decoder.ts'
import { failureFrom } from './failure.ts'
import { traitsOf } from './models.ts'
import { replyEvents } from './reply.ts'
import { dialect, exactOf } from './own-dialect.ts'
import { requestBody, type RequestOptions } from './request.ts'
import type { MessagesBody } from './wire.ts'

export interface AnthropicAdapterOptions extends RequestOptions {
  /** The URL for a call. */
  readonly url: (call: ProviderCall) => string
  readonly authorize?: ProviderAdapter['authorize']
  /** Beta features to enable. */
  readonly beta?: readonly string[] | undefined
  /** Puts version and betas where the platform expects them, and removes from the body what it carries elsewhere. Default: headers. */
  readonly envelope?: (body: MessagesBody, version: string, betas: readonly string[]) => Envelope
}

export interface Envelope {
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

export const defaultVersion = '2023-06-01'

/** The Messages dialect, for the vendor's API and the platforms that serve it. */
export function anthropicAdapter(options: AnthropicAdapterOptions): ProviderAdapter {
  const { url, authorize, version = defaultVersion, beta = [], envelope = inHeaders } = options
  return {
    capabilities: { customTools: false, namespaceTools: false, allowedTools: false },
    capabilitiesOf: endpoint => {
      const { search, thinking, thinksUnasked } = traitsOf(endpoint)
      return { webSearch: search, hiddenReasoning: thinking === 'none' ? false : thinksUnasked || 'asked' }
    },
    enforcesFormat,
    dialect,
    framing: 'sse',
    prepare(call) {
      const message = requestBody(call, options)
      const { headers, body } = envelope(message, version, betasFor(message, withCallers(beta, call)))
      return {
        method: 'POST',
        url: url(call),
        headers: { ...headers, 'content-type': 'application/json', accept: message.stream ? 'text/event-stream' : 'application/json' },
        body: JSON.stringify(body),
      }
    },
    ...(authorize && { authorize }),
    decoder: call => decoder(call, options),
    reply: (body, emit, call) => replyEvents(body, emit, call, options),
    failure: failureFrom,
  }
}

function inHeaders(body: MessagesBody, version: string, betas: readonly string[]): Envelope {
  return { headers: { 'anthropic-version': version, ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }) }, body }
}

function withCallers(beta: readonly string[], { request }: ProviderCall): readonly string[] {
  const asked = exactOf(request)?.betas
  return asked ? [...new Set([...beta, ...asked])] : beta
}

const compactionBeta = 'compact-2026-01-12'

/** The vendor accepts a compaction as input only with its beta enabled. */
function betasFor({ messages }: MessagesBody, chosen: readonly string[]): readonly string[] {
  const compacted = messages.some(({ content }) => content.some(({ type }) => type === 'compaction'))
  return compacted && !chosen.includes(compactionBeta) ? [...chosen, compactionBeta] : chosen
}
