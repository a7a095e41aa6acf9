import assert from 'node:assert/strict'
import type { DecisionClient } from '../contracts/decision.ts'
import type { GenerationEvent } from '../contracts/events.ts'
import type { Guardrail } from '../contracts/guardrail.ts'
import type { RequestRecord } from '../contracts/log-sink.ts'
import type { PolicyLayer } from '../contracts/policy.ts'
import { ProviderFailure, type ProviderCall } from '../contracts/provider.ts'
import { parseJson } from '../foundation/json.ts'
import { DecisionClients, Guardrails, LogSinks, Providers, Routes } from '../framework/extension-points.ts'
import { definePlugin, type PluginUse } from '../framework/plugin.ts'
import { checkStream } from './event-grammar.ts'
import { checkResponse, type CheckedResponse } from './response-shape.ts'
import { testGateway, type TestGateway } from './test-gateway.ts'

/** How a plugin that wraps or observes calls is tested. */
export interface CallSuiteOptions {
  /** Makes the plugin under test. Called for every gateway. */
  plugin(): PluginUse
  /** Makes the other plugins that a gateway needs: stores, a sealer, and the route of responses. Called for every gateway. */
  plugins(): readonly PluginUse[]
}

/** In every prompt of the suites, so that they find it where it should not be. */
const marker = 'demo prompt 4711'

/** How the model answers: `Hello there.`, or only the first three letters of it. */
export type Answering = 'whole' | 'breaks' | 'hangs'
export const wholeAnswer = 'Hello there.'
export const brokenAnswer = 'Hel'

export interface AskResult {
  readonly status: number
  /** The value of `x-gateway-attempts`: `0` if a wrapper answered. */
  readonly attempts: string | null
  readonly text: string
}

export interface AskOptions {
  readonly stream?: boolean
  readonly apiKey?: string
  readonly model?: string
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
  /** Other members of the request. */
  readonly more?: object
}

/** A gateway with the plugin under test, and a model that does as it is told. */
export class CallStage {
  answering: Answering = 'whole'
  readonly records: RequestRecord[] = []
  /** The `traceparent` of each call of the model. */
  readonly traceparents: (string | undefined)[] = []
  readonly #gateway: TestGateway
  #hanging = Promise.withResolvers<void>()
  #recorded: (() => void) | undefined

  static async open({ plugin, plugins }: CallSuiteOptions, policy: PolicyLayer = { logging: { value: true } }): Promise<CallStage> {
    let stage!: CallStage
    const around = definePlugin({
      name: 'call-suite',
      options: { type: 'object', additionalProperties: false, properties: {} },
      setup(gateway) {
        gateway.add(Providers, { id: 'suite', generate: call => stage.#answer(call) })
        gateway.add(DecisionClients, decider)
        gateway.add(Guardrails, clearing)
        gateway.add(Routes, {
          method: 'POST',
          path: '/suite/decide',
          auth: 'key',
          async handle(exchange, services) {
            const { answers } = await services.decide(exchange, decision)
            return { status: 200, body: JSON.stringify(answers) }
          },
        })
        gateway.add(LogSinks, { name: 'suite', accepts: 'metadata', write: async batch => stage.#keep(batch) })
      },
    })
    const gateway = await testGateway({ plugins: [...plugins(), around({}), plugin()], key: { name: 'suite', user: 'one', policy } })
    return (stage = new CallStage(gateway))
  }

  private constructor(gateway: TestGateway) {
    this.#gateway = gateway
  }

  /** A key of another user. */
  async otherKey(): Promise<string> {
    return await this.#gateway.gateway.issueKey({ name: 'other', user: 'two', policy: { logging: { value: true } } })
  }

  async ask(prompt: string, { stream = false, apiKey, model = 'suite/m', signal, headers, more }: AskOptions = {}): Promise<AskResult> {
    const reply = await this.#gateway.request('/v1/responses', {
      body: { model, stream, input: `${marker}: ${prompt}`, ...more },
      headers: { ...headers, ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
      ...(signal && { signal }),
    })
    const body = await reply.text()
    const isStream = reply.headers.get('content-type') === 'text/event-stream'
    const response = isStream ? checkStream(body).response : reply.status === 200 ? checkResponse(parseJson(body)) : undefined
    return { status: reply.status, attempts: reply.headers.get('x-gateway-attempts'), text: response ? textOf(response) : '' }
  }

  async decide(): Promise<number> {
    return (await this.#gateway.request('/suite/decide', { body: {} })).status
  }

  /** Asks for a stream that hangs after its first word, and leaves it. */
  async leave(prompt: string): Promise<void> {
    this.answering = 'hangs'
    const before = this.records.length
    const leaving = new AbortController()
    const asking = this.ask(prompt, { stream: true, signal: leaving.signal }).catch(() => undefined)
    await Promise.race([this.#hanging.promise, asking])
    leaving.abort()
    await this.recorded(before + 1)
    this.answering = 'whole'
    this.#hanging = Promise.withResolvers()
  }

  async recorded(count: number): Promise<void> {
    while (this.records.length < count) await new Promise<void>(resolve => (this.#recorded = resolve))
  }

  /** Stops the gateway. Throws if the log says that the plugin failed, or repeats content. */
  async end(): Promise<void> {
    await this.#gateway.stop()
    for (const line of this.#gateway.logs) {
      assert.ok(!/a call (?:wrapper|observer) failed/.test(line), line)
      for (const content of [marker, wholeAnswer]) assert.ok(!line.includes(content), `the log must not repeat content: ${line}`)
    }
  }

  /** The log so far. */
  get logs(): readonly string[] {
    return this.#gateway.logs
  }

  async *#answer({ signal, traceparent }: ProviderCall): AsyncGenerator<GenerationEvent> {
    const { answering } = this
    this.traceparents.push(traceparent)
    yield { type: 'text', text: brokenAnswer }
    if (answering === 'breaks') throw new ProviderFailure({ kind: 'network', message: 'The connection broke.' })
    if (answering === 'hangs') {
      this.#hanging.resolve()
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    yield { type: 'text', text: wholeAnswer.slice(brokenAnswer.length) }
    yield { type: 'usage', usage: { uncachedInput: 3, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 2, reasoning: 0 } }
    yield { type: 'finish', reason: 'stop' }
  }

  #keep(batch: readonly RequestRecord[]): void {
    this.records.push(...batch)
    this.#recorded?.()
  }
}

/** Runs `test` with a gateway, and checks its log. */
export async function onStage(options: CallSuiteOptions, test: (stage: CallStage) => Promise<void>, policy?: PolicyLayer): Promise<void> {
  const stage = await CallStage.open(options, policy)
  try {
    await test(stage)
  } finally {
    await stage.end()
  }
}

const decision = { model: 'suite-decider/d', state: marker, questions: { yes: { type: 'noul' } } } as const

const decider: DecisionClient = {
  provider: 'suite-decider',
  resolve: model => (model === 'd' ? 'd' : undefined),
  decide: async () => ({ answers: { yes: { type: 'noul', noul: 0.5 } }, usage: { input_tokens: 1, output_tokens: 1 } }),
}

/** Lets every policy pass that a test sets. */
const clearing: Guardrail = {
  name: 'suite',
  enforces: ['zdr', 'hipaa'],
  onFailure: 'refuse',
  timeoutMs: 1_000,
  seesContent: 'local',
  open: () => undefined,
}

function textOf({ output }: CheckedResponse): string {
  return output
    .flatMap(item => (item['type'] === 'message' ? (item['content'] as readonly { readonly text?: string }[]) : []))
    .map(({ text = '' }) => text)
    .join('')
}
