import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { ProviderFailure, type GenerationEvent } from '../../../core/index.ts'
import { httpProvider, type HttpClient, type ProviderAdapter } from '../../../core/kit.ts'
import { isFeed, type EventFeed } from '../../../core/runtime/event-feed.ts'
import { Inbox } from '../../../core/runtime/inbox.ts'
import { IteratedFeed } from '../../../core/provider-kit/iterated-feed.ts'
import { cut, fakeUpstream, Gate, providerCall, stall, type FakeReply, type Step } from '../../../core/testing/index.ts'
import { UndiciClient } from '../../../core/upstream/http-client.ts'
import { later, throwing, twice, unhandledDuring } from '../../kit/thenables.ts'

/** Every frame is text, but for the ends. */
function adapterFor(origin: string): ProviderAdapter {
  return {
    framing: 'sse',
    prepare: () => ({ method: 'POST', url: `${origin}/`, headers: {}, body: '{}' }),
    decoder: () => ({
      frame: (data, _, emit) => {
        if (data === 'usage') emit({ type: 'usage', usage: { ...noTokens, output: 1 } })
        else if (data === 'finish') emit({ type: 'finish', reason: 'stop' })
        else emit({ type: 'text', text: data })
      },
    }),
    reply: (body, emit) => {
      for (const text of body as string[]) emit({ type: 'text', text })
      emit({ type: 'finish', reason: 'stop' })
    },
    failure: (status, _, body) => new ProviderFailure({ kind: 'unavailable', message: `${status}: ${body}` }),
  }
}

const noTokens = { uncachedInput: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 }
const frame = (data: string): string => `data: ${data}\n\n`
const texts = (events: readonly GenerationEvent[]): readonly string[] =>
  events.map(event => (event.type === 'text' ? event.text : event.type))

/** A client without `exchange`, as a plugin may make one. */
function sendOnly(client: UndiciClient): HttpClient {
  return { send: (...asked) => client.send(...asked), media: (...asked) => client.media(...asked), close: () => client.close() }
}

for (const [name, client] of [
  ['the exchange of undici', (client: UndiciClient): HttpClient => client],
  ['the stream of another client', sendOnly],
] as const) {
  void t.test(name, async t => {
    const open = async (t: Test, reply: FakeReply, stream = true): Promise<{ feed: EventFeed<GenerationEvent>; received: Received }> => {
      const upstream = await fakeUpstream([reply, reply])
      const http = client(new UndiciClient())
      t.teardown(async () => {
        await http.close()
        await upstream.close()
      })
      const feed = httpProvider('demo', adapterFor(upstream.url), http).generate(providerCall({ model: 'demo', input: [], stream }))
      if (!isFeed<GenerationEvent>(feed)) throw new Error('not a feed')
      return { feed, received: new Received() }
    }

    t.test('delivers what arrives, then the end', async t => {
      const { feed, received } = await open(t, { body: [frame('a'), frame('b') + frame('finish') + frame('usage'), stall] })
      feed.deliver(received)
      t.equal(await received.over, undefined)
      t.same(texts(received.all), ['a', 'b', 'finish', 'usage'])
      feed.stop()
    })

    t.test('delivers a whole reply, decompressed', async t => {
      const body = gzipSync(JSON.stringify(['a'.repeat(200_000), 'b']))
      const { feed, received } = await open(t, { headers: { 'content-encoding': 'gzip' }, body }, false)
      feed.deliver(received)
      t.equal(await received.over, undefined)
      t.same(texts(received.all), ['a'.repeat(200_000), 'b', 'finish'])
    })

    t.test('a compressed stream that was cut is a failure', async t => {
      const body = gzipSync(frame('a') + frame('finish')).subarray(0, -12)
      const { feed, received } = await open(t, { headers: { 'content-encoding': 'gzip' }, body })
      feed.deliver(received)
      t.match(await received.over, { kind: 'network' })
    })

    t.test('fails with the status, and after the events of a stream that breaks', async t => {
      const refused = await open(t, { status: 503, body: 'closed' })
      refused.feed.deliver(refused.received)
      t.match(await refused.received.over, { kind: 'unavailable', message: '503: closed' })
      const broken = await open(t, { body: [frame('a'), cut] })
      broken.feed.deliver(broken.received)
      t.match(await broken.received.over, { kind: 'network' })
      t.same(texts(broken.received.all), ['a'])
    })

    t.test('waits while it is paused, with at most one more list', async t => {
      const gate = new Gate()
      const many: Step[] = Array.from({ length: 400 }, (_, index) => frame(`${index} `.padEnd(8_000, '.')))
      const { feed, received } = await open(t, { body: [frame('first'), gate, ...many, frame('finish'), frame('usage')] })
      feed.deliver(received)
      await received.some
      feed.pause()
      gate.open()
      const before = received.lists
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
      t.ok(received.lists <= before + 1, `${received.lists - before} lists`)
      feed.resume()
      t.equal(await received.over, undefined)
      t.equal(received.all.length, many.length + 3)
    })

    t.test('nothing is delivered after a stop, and the connection is closed', async t => {
      const upstream = await fakeUpstream([{ body: [frame('a'), stall] }])
      const http = client(new UndiciClient())
      t.teardown(async () => {
        await http.close()
        await upstream.close()
      })
      const call = providerCall({ model: 'demo', input: [], stream: true })
      const feed = httpProvider('demo', adapterFor(upstream.url), http).generate(call) as EventFeed<GenerationEvent>
      const received = new Received()
      feed.deliver(received)
      await received.some
      feed.stop()
      feed.stop()
      t.equal(await upstream.requests[0]!.closed, 'early')
      t.same(texts(received.all), ['a'])
      t.notOk(received.isOver)
    })

    t.test('a stop before the connection is open sends nothing', async t => {
      const upstream = await fakeUpstream([])
      const http = client(new UndiciClient())
      t.teardown(async () => {
        await http.close()
        await upstream.close()
      })
      const controller = new AbortController()
      const call = providerCall({ model: 'demo', input: [], stream: true }, { signal: controller.signal })
      const feed = httpProvider('demo', adapterFor(upstream.url), http).generate(call) as EventFeed<GenerationEvent>
      const received = new Received()
      feed.deliver(received)
      feed.stop()
      controller.abort(new Error('left'))
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
      t.equal(upstream.requests.length, 0)
      t.notOk(received.isOver)
    })

    t.test('can be iterated instead', async t => {
      const { feed } = await open(t, { body: [frame('a'), frame('b') + frame('finish') + frame('usage'), stall] })
      const events: GenerationEvent[] = []
      for await (const list of feed) events.push(...[list].flat())
      t.same(texts(events), ['a', 'b', 'finish', 'usage'])
    })
  })
}

t.test('an inbox asks an iterable for no more than its reader wants', async t => {
  let asked = 0
  async function* numbers(): AsyncGenerator<{ readonly number: number } | readonly { readonly number: number }[]> {
    yield { number: ++asked }
    yield [{ number: ++asked }, { number: ++asked }]
    yield []
    yield { number: ++asked }
  }
  const feed = new IteratedFeed(numbers())
  const inbox = new Inbox(feed)
  feed.deliver(inbox)
  t.same(await inbox.next(), { number: 1 })
  await new Promise(setImmediate)
  t.equal(asked, 1)
  t.equal(inbox.take(), undefined)
  t.same(await inbox.next(), { number: 2 })
  t.same(inbox.take(), { number: 3 })
  t.notOk(inbox.isOver)
  t.same(await inbox.next(), { number: 4 })
  t.equal(await inbox.next(), undefined)
  t.ok(inbox.isOver)
})

t.test('an inbox flows until its reader has had enough, and fails after the last event', async t => {
  async function* words(): AsyncGenerator<readonly { readonly word: string }[]> {
    yield [{ word: 'a' }, { word: 'b' }, { word: 'c' }]
    yield [{ word: 'd' }]
    throw new Error('broken')
  }
  const feed = new IteratedFeed(words())
  const inbox = new Inbox<{ readonly word: string }>(feed)
  feed.deliver(inbox)
  const read: string[] = []
  const until = (last: string) => (event: { readonly word: string }) => read.push(event.word) > 0 && event.word !== last
  await inbox.flow(until('b'))
  t.same(read, ['a', 'b'])
  t.equal(inbox.flow(until('c')), undefined, 'it had arrived')
  await t.rejects(async () => await inbox.flow(until('z')), /broken/)
  t.same(read, ['a', 'b', 'c', 'd'])
  await t.rejects(inbox.next(), /broken/)
})

t.test('an iterable may return promises of another kind', async t => {
  const steps: IteratorResult<{ readonly number: number }>[] = [
    { done: false, value: { number: 1 } },
    { done: false, value: { number: 2 } },
    { done: true, value: undefined },
  ]
  const iterator = { next: () => twice(steps.shift()!, { done: false, value: { number: 99 } }), return: () => throwing(new Error('late')) }
  const numbers = { [Symbol.asyncIterator]: () => iterator } as unknown as AsyncIterable<{ readonly number: number }>
  const feed = new IteratedFeed(numbers)
  const inbox = new Inbox(feed)
  const read: number[] = []
  const unhandled = await unhandledDuring(async () => {
    feed.deliver(inbox)
    for (let event = await inbox.next(); event; event = await inbox.next()) read.push(event.number)
    const other = new IteratedFeed(numbers)
    steps.push({ done: false, value: { number: 3 } })
    other.deliver(new Inbox(other))
    other.stop()
  })
  t.same(read, [1, 2])
  t.same(unhandled, [])
})

t.test('a request may be signed by a promise of another kind', async t => {
  const upstream = await fakeUpstream([{ body: [frame('hello'), frame('finish') + frame('usage')] }])
  const http = new UndiciClient()
  t.teardown(async () => {
    await http.close()
    await upstream.close()
  })
  for (const [authorize, failure] of [
    [later, undefined],
    [() => throwing(new Error('no credential')), /no credential/],
  ] as const) {
    const adapter = { ...adapterFor(upstream.url), authorize } as ProviderAdapter
    const feed = httpProvider('demo', adapter, http).generate(
      providerCall({ model: 'demo', input: [], stream: true }),
    ) as EventFeed<GenerationEvent>
    const received = new Received()
    feed.deliver(received)
    const over = await received.over
    if (failure) t.match(String(over), failure)
    else t.same(texts(received.all), ['hello', 'finish', 'usage'])
  }
})

t.test('a throw of the reader ends the flow', async t => {
  const feed = new IteratedFeed(Readable.from([[{}], [{}]]) as AsyncIterable<readonly object[]>)
  const inbox = new Inbox<object>(feed)
  feed.deliver(inbox)
  const flowing = async (): Promise<unknown> =>
    await inbox.flow(() => {
      throw new Error('enough')
    })
  await t.rejects(flowing(), /enough/)
})

class Received {
  readonly all: GenerationEvent[] = []
  lists = 0
  isOver = false
  readonly #some = Promise.withResolvers<void>()
  readonly #over = Promise.withResolvers<unknown>()

  /** The failure, or undefined. */
  get over(): Promise<unknown> {
    return this.#over.promise
  }

  /** Resolves with the first events. */
  get some(): Promise<void> {
    return this.#some.promise
  }

  events(list: readonly GenerationEvent[]): void {
    this.lists++
    this.all.push(...list)
    this.#some.resolve()
  }

  end(): void {
    this.fail(undefined)
  }

  fail(error: unknown): void {
    this.isOver = true
    this.#over.resolve(error)
  }
}
