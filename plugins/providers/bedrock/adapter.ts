import type { ProviderCall } from '../../../core/index.ts'
import type { ProviderAdapter } from '../../../core/kit.ts'
import { bedrockEmbeddings } from './embeddings.ts'
import { enforcesFormat } from './answer-format.ts'
import { decoder } from './decoder.ts'
import { eventStreamFramer } from './event-stream.ts'
import { failureFrom } from './failure.ts'
import { InvokeForms, type InvokeOption } from './invoke.ts'
import { traitsOf } from './models.ts'
import { replyEvents } from './reply.ts'
import { dialect, requestBody } from './request.ts'
import type { SettingsOptions } from './settings.ts'

export interface BedrockAdapterOptions extends SettingsOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly authorize?: ProviderAdapter['authorize']
  /** The models to call with InvokeModel. */
  readonly invoke?: InvokeOption | undefined
}

/** The Converse dialect, and for some models InvokeModel with a body in their maker's dialect. */
export function bedrockAdapter(options: BedrockAdapterOptions): ProviderAdapter {
  const { baseUrl, authorize } = options
  const invoke = new InvokeForms(options)
  return {
    capabilities: { customTools: false, namespaceTools: false, allowedTools: false },
    capabilitiesOf: endpoint => ({ webSearch: traitsOf(endpoint).grounding && !invoke.formOf(endpoint) }),
    enforcesFormat: (format, endpoint) => {
      const form = invoke.formOf(endpoint)
      return form ? (form.enforcesFormat?.(format, endpoint) ?? true) : enforcesFormat(format, endpoint)
    },
    dialect,
    dialectOf: endpoint => invoke.formOf(endpoint)?.dialect,
    framing: eventStreamFramer,
    media: { images: 'inline', files: 'inline' },
    prepare(call) {
      const form = invoke.formOf(call.endpoint)
      const action = form
        ? call.request.stream
          ? 'invoke-with-response-stream'
          : 'invoke'
        : call.request.stream
          ? 'converse-stream'
          : 'converse'
      return {
        method: 'POST',
        url: `${baseUrl}/model/${encodeURIComponent(call.endpoint.upstreamModel)}/${action}`,
        headers: { 'content-type': 'application/json', accept: acceptFor(call, form !== undefined) },
        body: form ? form.body(call) : JSON.stringify(requestBody(call, options)),
      }
    },
    ...(authorize && { authorize }),
    decoder: call => invoke.formOf(call.endpoint)?.decoder(call) ?? decoder(call, options),
    reply(body, emit, call) {
      const form = invoke.formOf(call.endpoint)
      return form ? form.reply(body, emit, call) : replyEvents(body, emit, call, options)
    },
    failure: failureFrom,
    embeddings: bedrockEmbeddings(baseUrl),
  }
}

function acceptFor({ request }: ProviderCall, isInvoke: boolean): string {
  return request.stream && !isInvoke ? 'application/vnd.amazon.eventstream' : 'application/json'
}
