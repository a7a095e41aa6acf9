import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DecisionRequest } from '../contracts/decision.ts'
import type { GenerationEvent } from '../contracts/events.ts'
import type { KeySettings } from '../contracts/key-store.ts'
import type { RequestRecord } from '../contracts/log-sink.ts'
import { ProviderFailure, type ProviderCall } from '../contracts/provider.ts'
import { isObject, parseJson, type JsonObject } from '../foundation/json.ts'
import { CatalogSources, DecisionClients, Guardrails, LogSinks, Providers, Routes } from '../framework/extension-points.ts'
import { definePlugin, type PluginUse } from '../framework/plugin.ts'
import { requestTexts } from '../guards/request-texts.ts'
import { companionsOf } from './companions.ts'
import { checkStream } from './event-grammar.ts'
import { isOf } from './plugin-stage.ts'
import { checkResponse, type CheckedResponse } from './response-shape.ts'
import { clearing, decider, embedder, ending, reranker, suiteEntries } from './stage-parts.ts'
import { testGateway, type TestGateway } from './test-gateway.ts'

/** How a plugin is tested in a gateway. */
export interface CallSuiteOptions {
  /** Makes the plugin under test. Called for every gateway. */
  plugin(): PluginUse
  /**
   * Makes other plugins that it needs. Called for every gateway, which always has stores in memory, a sealer and the route of responses.
   * Default: none.
   */
  plugins?(): readonly PluginUse[]
}

/** In every prompt of the suites, so that they find it where it should not be. */
export const marker = 'demo prompt 4711'

/** How the model answers: `Hello there.`, only the first three letters of it, or the texts that it got, in small pieces. */
export type Answering = 'whole' | 'breaks' | 'hangs' | 'echoes'
export const wholeAnswer = 'Hello there.'
export const brokenAnswer = 'Hel'

export interface AskResult {
  readonly status: number
  /** The value of `x-gateway-attempts`: `0` if a wrapper answered. */
  readonly attempts: string | null
  readonly text: string
  /** The body of a reply that is no stream. */
  readonly body: unknown
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
  /** The model calls this function once, before it answers. */
  calling: { readonly name: string; readonly arguments: JsonObject } | undefined
  readonly records: RequestRecord[] = []
  /** Every call of the model. */
  readonly calls: ProviderCall[] = []
  /** Every request to the model that decides. */
  readonly decisions: DecisionRequest[] = []
  /** The name of the plugin under test. */
  readonly subject: string
  readonly gateway: TestGateway
  /** Where relative paths in options start. */
  readonly #folder: string
  #hanging = Promise.withResolvers<void>()
  #recorded: (() => void) | undefined

  static async open(options: CallSuiteOptions, key: Partial<KeySettings> = logged): Promise<CallStage> {
    const subject = options.plugin()
    const others = options.plugins?.() ?? []
    let stage!: CallStage
    const around = definePlugin({
      name: 'call-suite',
      options: { type: 'object', additionalProperties: false, properties: {} },
      setup(gateway) {
        gateway.add(Providers, { id: 'suite', generate: call => stage.#answer(call), embeddings: embedder, reranking: reranker })
        gateway.add(CatalogSources, { name: 'suite', entries: () => suiteEntries })
        gateway.add(DecisionClients, {
          ...decider,
          async decide(call) {
            stage.decisions.push(call.request)
            return await decider.decide(call)
          },
        })
        gateway.add(Guardrails, clearing)
        gateway.add(Routes, {
          method: 'POST',
          path: '/suite/decide',
          auth: 'key',
          async handle(exchange, services) {
            const { answers } = await services.decide(exchange, (await exchange.json()) as DecisionRequest)
            return { status: 200, body: JSON.stringify(answers) }
          },
        })
        gateway.add(LogSinks, { name: 'suite', accepts: 'metadata', write: async batch => stage.#keep(batch) })
      },
    })
    const companions = await companionsOf([subject, ...others])
    const folder = await mkdtemp(join(tmpdir(), 'turnpike-stage-'))
    const gateway = await testGateway({
      folder,
      plugins: [...companions, ...others, around({}), subject],
      key: { name: 'suite', user: 'one', ...key },
    })
    return (stage = new CallStage(gateway, subject.plugin.name, folder))
  }

  private constructor(gateway: TestGateway, subject: string, folder: string) {
    this.#folder = folder
    this.gateway = gateway
    this.subject = subject
  }

  /** A key of another user. */
  async otherKey(): Promise<string> {
    return await this.gateway.gateway.issueKey({ name: 'other', user: 'two', ...logged })
  }

  async ask(prompt: string, { stream = false, apiKey, model = 'suite/m', signal, headers, more }: AskOptions = {}): Promise<AskResult> {
    const reply = await this.gateway.request('/v1/responses', {
      body: { model, stream, input: `${marker}: ${prompt}`, ...more },
      headers: { ...headers, ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
      ...(signal && { signal }),
    })
    const text = await reply.text()
    const isStream = reply.headers.get('content-type') === 'text/event-stream'
    const body = isStream ? undefined : parseJson(text)
    const response = isStream ? checkStream(text).response : reply.status === 200 ? checkResponse(body) : undefined
    return { status: reply.status, attempts: reply.headers.get('x-gateway-attempts'), text: response ? textOf(response) : '', body }
  }

  /** The status of a decision. */
  async decide(request: DecisionRequest = decision): Promise<number> {
    return (await this.gateway.request('/suite/decide', { body: request })).status
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
    await this.gateway.stop()
    await rm(this.#folder, { recursive: true, force: true })
    for (const line of this.logs) {
      assert.ok(!blames(line, this.subject), `the plugin failed: ${line}`)
      for (const content of [marker, wholeAnswer]) assert.ok(!line.includes(content), `the log must not repeat content: ${line}`)
    }
  }

  /** The log so far. */
  get logs(): readonly string[] {
    return this.gateway.logs
  }

  async *#answer(call: ProviderCall): AsyncGenerator<GenerationEvent> {
    const { answering, calling } = this
    this.calls.push(call)
    if (calling) {
      this.calling = undefined
      yield { type: 'tool-call', key: 'a', callId: 'call_suite', name: calling.name }
      yield { type: 'tool-input', key: 'a', text: JSON.stringify(calling.arguments) }
      return yield* ending('tool-calls')
    }
    if (answering === 'echoes') {
      const text = requestTexts(call.request)
        .slots.map(slot => slot.text)
        .join('\n')
      for (let at = 0; at < text.length; at += 3) yield { type: 'text', text: text.slice(at, at + 3) }
      return yield* ending('stop')
    }
    yield { type: 'text', text: brokenAnswer }
    if (answering === 'breaks') throw new ProviderFailure({ kind: 'network', message: 'The connection broke.' })
    if (answering === 'hangs') {
      this.#hanging.resolve()
      await new Promise((_, reject) => call.signal.addEventListener('abort', () => reject(call.signal.reason)))
    }
    yield { type: 'text', text: wholeAnswer.slice(brokenAnswer.length) }
    yield* ending('stop')
  }

  #keep(batch: readonly RequestRecord[]): void {
    this.records.push(...batch)
    this.#recorded?.()
  }
}

const logged: Partial<KeySettings> = { policy: { logging: { value: true } } }

/** True if a line of the log says that this plugin failed. */
function blames(line: string, subject: string): boolean {
  const fields = parseJson(line)
  if (!isObject(fields)) return false
  const { level, message, plugin } = fields
  if (/a call (?:wrapper|observer) failed/.test(String(message))) return true
  return typeof plugin === 'string' && isOf(subject, plugin) && (level === 'error' || (level === 'warn' && message === 'a tool failed'))
}

/** Runs `test` with a gateway, and checks its log. */
export async function onStage(
  options: CallSuiteOptions,
  test: (stage: CallStage) => Promise<void>,
  key?: Partial<KeySettings>,
): Promise<void> {
  const stage = await CallStage.open(options, key)
  try {
    await test(stage)
  } finally {
    await stage.end()
  }
}

const decision: DecisionRequest = { model: 'suite-decider/d', state: marker, questions: { yes: { type: 'noul' } } }

function textOf({ output }: CheckedResponse): string {
  return output
    .flatMap(item => (item['type'] === 'message' ? (item['content'] as readonly { readonly text?: string }[]) : []))
    .map(({ text = '' }) => text)
    .join('')
}
