import {
  CatalogSources,
  definePlugin,
  Guardrails,
  type CatalogEntry,
  type GenerationEvent,
  type Guardrail,
  type GuardSession,
  type Provider,
  type ProviderCall,
  type Registry,
  type Token,
} from '../../core/index.ts'
import { contractOf } from '../../core/foundation/token.ts'
import type { PluginUse } from '../../core/framework/plugin.ts'
import { checkResponse, checkStream, type CheckedResponse, type TestGateway } from '../../core/testing/index.ts'
import { scripted } from './gateway.ts'

// Small plugins of which a test puts its gateway together.

const none = { type: 'object', additionalProperties: false, properties: {} } as const
let made = 0

export function adding<T>(point: Token<Registry<T>>, contribution: T): PluginUse {
  const stated = contractOf(point)
  return definePlugin({
    name: `adding-${++made}`,
    options: none,
    ...(stated && { contracts: { [stated.name]: stated.version } }),
    setup: registrar => registrar.add(point, contribution),
  })({})
}

export function providing<T>(service: Token<T>, implementation: T): PluginUse {
  return definePlugin({
    name: `providing-${++made}`,
    options: none,
    provides: [service],
    setup: registrar => registrar.provide(service, implementation),
  })({})
}

export function listing(...entries: readonly CatalogEntry[]): PluginUse {
  return adding(CatalogSources, { name: `list-${++made}`, entries: () => entries })
}

export function guarding(session: GuardSession | undefined, more: Partial<Guardrail> = {}): PluginUse {
  return adding<Guardrail>(Guardrails, {
    name: `guard-${++made}`,
    enforces: [],
    onFailure: 'refuse',
    timeoutMs: 60_000,
    seesContent: 'local',
    open: () => session,
    ...more,
  })
}

export interface Witness {
  readonly plugin: PluginUse
  /** Every call that reached the provider. */
  readonly calls: ProviderCall[]
}

/** A provider that keeps its calls and answers as the test says. A thrown failure fails the attempt. */
export function witness(
  id: string,
  answer: (call: ProviderCall, count: number) => Iterable<GenerationEvent>,
  more: Partial<Provider> = {},
): Witness {
  const calls: ProviderCall[] = []
  const plugin = scripted(
    id,
    async function* (call) {
      calls.push(call)
      yield* answer(call, calls.length)
    },
    more,
  )
  return { plugin, calls }
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly requestId: string
  /** The checked response object, whether it was streamed or not. */
  readonly response: CheckedResponse
  /** The body of a reply that is none. */
  readonly error: { readonly type: string; readonly message: string; readonly code?: string; readonly param?: string | null }
}

/** `POST /v1/responses`; a reply that breaks the protocol throws. */
export async function ask(under: TestGateway, body: object, headers?: Readonly<Record<string, string>>): Promise<Answer> {
  const reply = await under.request('/v1/responses', { body: { input: 'hi', ...body }, ...(headers && { headers }) })
  const text = await reply.text()
  const streamed = reply.headers.get('content-type') === 'text/event-stream'
  return {
    status: reply.status,
    headers: reply.headers,
    requestId: reply.headers.get('x-request-id')!,
    get response() {
      return streamed ? checkStream(text).response : checkResponse(JSON.parse(text))
    },
    get error() {
      return JSON.parse(text).error
    },
  }
}

export const text = (text: string): GenerationEvent => ({ type: 'text', text })
export const stop: GenerationEvent = { type: 'finish', reason: 'stop' }

export function usage(input: number, output: number): GenerationEvent {
  return {
    type: 'usage',
    usage: { uncachedInput: input, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output, reasoning: 0 },
  }
}

/** The text of the messages in a response. */
export function said({ output }: CheckedResponse): string {
  return output
    .flatMap(item => (item['type'] === 'message' ? (item['content'] as readonly { text?: string; refusal?: string }[]) : []))
    .map(part => part.text ?? part.refusal ?? '')
    .join('')
}
