import { setTimeout as delay } from 'node:timers/promises'
import type { GenerationEvent, ProviderCall } from '../../../../core/index.ts'
import type { PluginUse } from '../../../../core/framework/plugin.ts'
import { readEvents, type PublicEvent } from '../../../../core/testing/index.ts'
import responses from '../../../../plugins/endpoints/responses/index.ts'
import { gateway, scripted, type GatewayUnderTest } from '../../../kit/gateway.ts'
import { stop, text, usage } from '../../../kit/stage.ts'
import { read, send, type Read } from '../reading.ts'

export const hi = { model: 'acme/m', input: 'hi', background: true }

/** A provider whose answer arrives as the test says. */
export interface Dictated {
  readonly plugin: PluginUse
  readonly calls: ProviderCall[]
  say(words: string): void
  fail(error: Error): void
  end(): void
}

/** All calls get the same answer, from its start. */
export function dictated(id = 'acme'): Dictated {
  const said: (GenerationEvent | Error)[] = []
  const calls: ProviderCall[] = []
  let more = Promise.withResolvers<void>()
  const add = (event: GenerationEvent | Error): void => {
    said.push(event)
    more.resolve()
    more = Promise.withResolvers()
  }
  const plugin = scripted(id, async function* (call) {
    calls.push(call)
    for (let next = 0; ; next++) {
      while (next >= said.length) await Promise.race([more.promise, aborted(call.signal)])
      const event = said[next]!
      if (event instanceof Error) throw event
      yield event
      if (event.type === 'finish') return
    }
  })
  return {
    plugin,
    calls,
    say: words => add(text(words)),
    fail: add,
    end() {
      add(usage(3, 2))
      add(stop)
    },
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error)
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}

export async function create(under: GatewayUnderTest, body: object = {}): Promise<Read> {
  return await send(under, 'POST', '', { body: { ...hi, ...body } })
}

const running = new Set(['queued', 'in_progress'])

/** Polls, as clients do. */
export async function ended(under: GatewayUnderTest, id: string): Promise<Read['body']> {
  for (;;) {
    const { body } = await read(under, `/${id}`)
    if (!running.has(body['status'] as string)) return body
    await delay(10)
  }
}

export async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await delay(5)
}

export interface Stream {
  readonly reply: Response
  /** The events so far. */
  readonly events: PublicEvent[]
  /** Resolves when the stream has ended, or was left. */
  readonly over: Promise<readonly PublicEvent[]>
  leave(): void
}

/** Reads a stream event by event. */
export async function stream(under: GatewayUnderTest, path: string, body?: object, headers: object = {}): Promise<Stream> {
  const left = new AbortController()
  const reply = await under.request(`/v1/responses${path}`, { signal: left.signal, headers: { ...headers }, ...(body && { body }) })
  const events: PublicEvent[] = []
  const reader = reply.body!.getReader()
  let isLeft = false
  const follow = async (): Promise<readonly PublicEvent[]> => {
    let pending = ''
    const decoder = new TextDecoder()
    for (;;) {
      const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }))
      if (done || isLeft) return events
      pending += decoder.decode(value, { stream: true })
      const end = pending.lastIndexOf('\n\n') + 2
      if (end < 2) continue
      events.push(...readEvents(pending.slice(0, end)))
      pending = pending.slice(end)
    }
  }
  const over = follow()
  return {
    reply,
    events,
    over,
    leave() {
      isLeft = true
      left.abort()
      void reader.cancel().catch(() => {})
    },
  }
}

export function sequenceOf(events: readonly PublicEvent[]): readonly number[] {
  return events.map(event => event['sequence_number'] as number)
}

/** 0, 1, 2, … */
export function upTo(count: number, from = 0): readonly number[] {
  return Array.from({ length: count - from }, (_, index) => from + index)
}

/** A gateway with options for background responses. */
export async function gatewayWith(background: object, options: Parameters<typeof gateway>[0]): Promise<GatewayUnderTest> {
  const { plugins = [], ...rest } = options ?? {}
  return await gateway({ ...rest, plugins: [...plugins, responses({ background })] })
}
