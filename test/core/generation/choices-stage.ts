import type { Test } from 'tap'
import { GatewayError, Routes, type GenerationRequest, type Item, type RequestRecord, type TokenUsage } from '../../../core/index.ts'
import type { GenerationSink, ItemEvent } from '../../../core/kit.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import { gateway, type GatewayUnderTest } from '../../kit/gateway.ts'
import { adding } from '../../kit/stage.ts'

// A surface that asks for several choices, and shows what a sink was told.

export interface Choice {
  text: string
  calls: string
  callIds: string[]
  end: string
}

export interface Told {
  readonly choices: readonly Choice[]
  readonly usage: TokenUsage | undefined
  readonly error: { readonly status: number; readonly code: string; readonly param?: string; readonly message: string } | undefined
  readonly record: RequestRecord
}

export interface Watching {
  /** Called with each event that the client gets. */
  readonly wrote?: (event: ItemEvent, leave: () => void) => void
  /** The client is slow. */
  readonly slow?: { full: boolean; drained: Promise<void> }
}

class ChoicesSink implements GenerationSink {
  readonly choices: Choice[] = [emptyChoice()]
  usage: TokenUsage | undefined
  readonly #watching: Watching
  readonly #leave: () => void
  #open = false

  constructor(watching: Watching, leave: () => void) {
    this.#watching = watching
    this.#leave = leave
  }

  get full(): boolean {
    return this.#watching.slow?.full ?? false
  }

  begin(): void {}

  write(event: ItemEvent): void {
    const choice = this.choices.at(-1)!
    if (event.type === 'item-open') this.#open = true
    if (event.type === 'item-close') this.#open = false
    if (event.type === 'text') choice.text += event.text
    if (event.type === 'tool-input') choice.calls += event.text
    if (event.type === 'item-open' && event.item.kind === 'call') choice.callIds.push(event.item.callId)
    if (event.type === 'choice') {
      if (this.#open) throw new Error('an item is open at the end of a choice')
      choice.end = event.reason
      this.choices.push(emptyChoice())
    }
    this.#watching.wrote?.(event, this.#leave)
  }

  close({ finish, usage }: Parameters<GenerationSink['close']>[0]) {
    this.choices.at(-1)!.end = finish
    this.usage = usage
    return { id: 'choices_1', body: {} }
  }

  end(): void {}

  fail(_error: GatewayError, usage: TokenUsage): void {
    this.usage = usage
  }

  async drained(): Promise<void> {
    await this.#watching.slow?.drained
  }
}

function emptyChoice(): Choice {
  return { text: '', calls: '', callIds: [], end: '' }
}

const question: Item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Which way?' }] }

export interface Stage {
  readonly under: GatewayUnderTest
  choose(request?: { readonly [M in keyof GenerationRequest]?: GenerationRequest[M] | undefined }, watching?: Watching): Promise<Told>
}

export async function stage(t: Test, plugins: readonly PluginUse[], options: Parameters<typeof gateway>[0] = {}): Promise<Stage> {
  let asked: { readonly request: GenerationRequest; readonly watching: Watching }
  const surface = adding(Routes, {
    method: 'POST',
    path: '/v1/choices',
    auth: 'key',
    async handle(exchange, services) {
      const left = new GatewayError({ status: 499, type: 'server_error', code: 'server_error', message: 'The client left.' })
      const sink = new ChoicesSink(asked.watching, () => exchange.cancellation.abort(left))
      const outcome = await services.generate(exchange, asked.request, sink).finished
      const error = outcome instanceof GatewayError ? { ...outcome, message: outcome.message } : undefined
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ choices: sink.choices, usage: sink.usage, error }),
      }
    },
  })
  const under = await gateway({ settings: { logLevel: 'silent' }, ...options, plugins: [...plugins, surface] })
  t.teardown(under.stop)
  return {
    under,
    async choose(request = {}, watching = {}) {
      asked = { request: given({ model: 'm', input: [question], choices: 3, stream: true, ...request }), watching }
      const reply = await under.request('/v1/choices', { body: {} })
      const told = (await reply.json()) as Omit<Told, 'record'>
      return { ...told, record: await under.record(reply.headers.get('x-request-id')!) }
    },
  }
}

/** Without members that are undefined. */
function given(request: object): GenerationRequest {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)) as unknown as GenerationRequest
}

/** The texts of the choices. */
export function texts({ choices }: Told): readonly string[] {
  return choices.map(({ text }) => text)
}
