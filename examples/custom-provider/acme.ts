// A provider in one file: Acme's chat API, which takes and streams plain text.

import {
  CatalogSources,
  definePlugin,
  ProviderFailure,
  Providers,
  type CatalogSource,
  type FinishReason,
  type Item,
  type ProviderCall,
} from 'turnpike'
import {
  apiKeyOption,
  ApiKeys,
  failureKindOfStatus,
  headersOption,
  httpProvider,
  sendingOptions,
  type Emit,
  type Part,
  type ProviderAdapter,
  type UpstreamHeaders,
} from 'turnpike/kit'

export default definePlugin({
  name: 'turnpike-plugin-acme',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['apiKey'],
    properties: {
      id: { type: 'string', minLength: 1, default: 'acme', description: 'The slug in `provider/model`.' },
      apiKey: apiKeyOption,
      baseUrl: { type: 'string', format: 'uri', default: 'https://api.acme.example.com', description: 'Where `/v2/turns` is found.' },
      headers: headersOption,
      ...sendingOptions,
    },
  },
  instance: options => options.id,
  setup(gateway, { id, apiKey, baseUrl, headers, ...sending }) {
    const keys = new ApiKeys(apiKey)
    gateway.add(
      Providers,
      httpProvider(id, acmeAdapter(baseUrl, keys), gateway.http, { credentials: keys.credentials, headers, ...sending }),
    )
    gateway.add(CatalogSources, acmeModels(id))
  },
})

/** The models that callers can use, and their prices. */
function acmeModels(provider: string): CatalogSource {
  return {
    name: provider,
    entries: () => [
      {
        model: 'rocket-1',
        ownedBy: 'acme',
        endpoints: [
          {
            provider,
            upstreamModel: 'rocket-1-latest',
            contextWindow: 32_000,
            maxOutputTokens: 4_000,
            price: { input: 0.5, output: 1.5 },
            // Core lowers or refuses requests for what is false here.
            capabilities: { tools: false, images: false, files: false, structuredOutput: 'none', logprobs: false },
          },
        ],
      },
    ],
  }
}

export function acmeAdapter(baseUrl: string, keys: ApiKeys): ProviderAdapter {
  return {
    framing: 'sse',
    prepare: call => ({
      method: 'POST',
      url: `${baseUrl.replace(/\/+$/, '')}/v2/turns`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(requestBody(call)),
    }),
    authorize(request, credentialId) {
      const secret = keys.secret(credentialId)
      return secret === undefined ? request : { ...request, headers: { ...request.headers, 'x-acme-key': secret } }
    },
    decoder: () => ({ frame: (data, event, emit) => decodeFrame(event, JSON.parse(data), emit) }),
    reply: decodeReply,
    failure: failureFrom,
  }
}

function requestBody({ request, endpoint }: ProviderCall): object {
  if (request.tools && request.tools.length > 0) throw cannotSay('Acme does not support tools.')
  return {
    model: endpoint.upstreamModel,
    stream: request.stream ?? false,
    ...(request.instructions !== undefined && { briefing: request.instructions }),
    turns: request.input.flatMap(turnOf),
    ...(request.max_output_tokens !== undefined && { limit: request.max_output_tokens }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
  }
}

function turnOf(item: Item): readonly object[] {
  // Acme cannot use the reasoning of other models.
  if (item.type === 'reasoning') return []
  if (item.type !== 'message') throw cannotSay(`Acme does not support input items of type ${item.type}.`)
  const { role, content } = item as Extract<Item, { readonly type: 'message' }>
  return [{ speaker: role === 'developer' ? 'system' : role, text: content.map(textOf).join('') }]
}

function textOf(part: Part): string {
  if (part.type === 'refusal') return part.refusal
  if (part.type === 'input_text' || part.type === 'output_text') return part.text
  throw cannotSay(`Acme does not support content of type ${part.type}.`)
}

interface Frame {
  readonly text?: unknown
  readonly reason?: unknown
  readonly tokens?: Tokens
  readonly problem?: { readonly kind?: unknown; readonly message?: unknown }
}

interface Tokens {
  readonly in: number
  readonly out: number
}

/** `say` carries text, `end` the reason and the tokens, `problem` an error. Other events are ignored. */
function decodeFrame(event: string | undefined, frame: Frame, emit: Emit): void {
  if (event === 'say') emit({ type: 'text', text: String(frame.text) })
  else if (event === 'end') finish(frame, emit)
  else if (event === 'problem') throw failureInside(frame)
}

function decodeReply(body: unknown, emit: Emit): void {
  const frame = (typeof body === 'object' && body !== null ? body : {}) as Frame
  if (frame.problem) throw failureInside(frame)
  if (typeof frame.text !== 'string') throw new ProviderFailure({ kind: 'protocol', message: 'Acme answered without text.' })
  emit({ type: 'text', text: frame.text })
  finish(frame, emit)
}

const reasons: Readonly<Record<string, FinishReason>> = { done: 'stop', limit: 'length', blocked: 'content-filter' }

function finish({ reason, tokens }: Frame, emit: Emit): void {
  if (tokens) {
    emit({
      type: 'usage',
      usage: { uncachedInput: tokens.in, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: tokens.out, reasoning: 0 },
    })
  }
  emit({ type: 'finish', reason: reasons[String(reason)] ?? 'stop' })
}

function failureFrom(status: number, headers: UpstreamHeaders, body: string): ProviderFailure {
  const retryAfterSeconds = Number(headers['retry-after'])
  return new ProviderFailure({
    kind: failureKindOfStatus(status),
    message: messageIn(body) ?? `Acme answered with status ${status}.`,
    status,
    retryAfterMs: retryAfterSeconds > 0 ? retryAfterSeconds * 1000 : undefined,
    upstream: body,
  })
}

function messageIn(body: string): string | undefined {
  try {
    const { problem } = JSON.parse(body) as Frame
    return typeof problem?.message === 'string' ? problem.message : undefined
  } catch {
    return undefined
  }
}

function failureInside({ problem }: Frame): ProviderFailure {
  return new ProviderFailure({
    kind: problem?.kind === 'busy' ? 'overloaded' : 'unavailable',
    message: typeof problem?.message === 'string' ? problem.message : 'Acme ended its answer early.',
    upstream: JSON.stringify(problem),
  })
}

function cannotSay(message: string): ProviderFailure {
  return new ProviderFailure({ kind: 'invalid-request', message })
}
