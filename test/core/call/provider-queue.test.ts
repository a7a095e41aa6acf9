import t from 'tap'
import { ProviderQueue, type Slot } from '../../../core/call/attempts/provider-queue.ts'
import { ProviderFailure, Providers, type GenerationEvent } from '../../../core/index.ts'
import { Cancellation } from '../../../core/runtime/cancellation.ts'
import { gateway, hello, saying, scripted, type GatewayUnderTest } from '../../kit/gateway.ts'
import { adding, ask, witness } from '../../kit/stage.ts'

const silent = { logLevel: 'silent' } as const

/** A provider whose calls answer one by one, when the test says so. */
function held(id: string, more: Parameters<typeof scripted>[2]) {
  const open: (() => void)[] = []
  let most = 0
  const waiting: (() => void)[] = []
  const plugin = scripted(
    id,
    async function* ({ signal }) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      open.push(resolve)
      most = Math.max(most, open.length)
      for (const check of waiting.splice(0)) check()
      try {
        await promise
      } finally {
        if (open.includes(resolve)) open.splice(open.indexOf(resolve), 1)
      }
      yield* hello
    },
    more,
  )
  return {
    plugin,
    get most() {
      return most
    },
    /** Resolves once this many calls are under way. */
    async calls(count: number) {
      while (open.length < count) await new Promise<void>(resolve => waiting.push(resolve))
    },
    release: () => open.shift()!(),
  }
}

t.test('only so many requests are under way, the next ones wait, and more get a 503 that says when to come back', async t => {
  const acme = held('acme', { maxConcurrent: 2, maxQueued: 1 })
  const under = await gateway({ plugins: [acme.plugin], settings: silent })
  t.teardown(under.stop)
  const first = [ask(under, { model: 'acme/m' }), ask(under, { model: 'acme/m', stream: true })]
  await acme.calls(2)
  // One of these waits; the other one is refused at once.
  const more = [ask(under, { model: 'acme/m' }), ask(under, { model: 'acme/m', stream: true })]
  const refused = await Promise.race(more)
  t.equal(refused.status, 503)
  t.match(refused.error, {
    type: 'server_error',
    code: 'server_error',
    message: 'The provider "acme" is busy: 2 requests are under way, and 1 wait. Please try again in 1s.',
  })
  t.match([refused.headers.get('retry-after'), refused.headers.get('x-should-retry')], ['1', 'true'])
  t.match(await under.record(refused.requestId), { status: 503, errorCode: 'server_error', attempts: [], costUsd: null })
  acme.release()
  await acme.calls(2)
  acme.release()
  acme.release()
  const statuses = (await Promise.all([...first, ...more])).map(({ status }) => status)
  t.same(statuses.sort(), [200, 200, 200, 503])
  t.equal(acme.most, 2)
  t.equal((await under.recorded(4)).length, 4)
})

t.test('200 at once against five places: all are answered, never more than five at a time', async t => {
  let running = 0
  let most = 0
  const acme = scripted(
    'acme',
    async function* () {
      most = Math.max(most, ++running)
      await new Promise(resolve => setImmediate(resolve))
      running--
      yield* hello
    },
    { maxConcurrent: 5, maxQueued: 195 },
  )
  const under = await gateway({ plugins: [acme], settings: silent })
  t.teardown(under.stop)
  const replies = await Promise.all(Array.from({ length: 200 }, (_, count) => ask(under, { model: 'acme/m', stream: count % 2 === 0 })))
  t.ok(replies.every(({ status }) => status === 200))
  t.ok(replies.every(({ response }) => response.status === 'completed'))
  t.equal(most, 5)
  const records = await under.recorded(200)
  t.ok(records.every(({ attempts }) => attempts.length === 1))
})

t.test('beyond the queue, the next endpoint is asked', async t => {
  const acme = held('acme', { maxConcurrent: 1, maxQueued: 0 })
  const under = await gateway({ plugins: [acme.plugin, saying('globex', hello)], settings: silent })
  t.teardown(under.stop)
  const body = { model: 'acme/m', routing: { provider: { fallbacks: ['globex'] } } }
  const first = ask(under, body)
  await acme.calls(1)
  const second = await ask(under, body)
  t.match([second.status, second.response.model, second.headers.get('x-gateway-attempts')], [200, 'globex/m', '1'])
  acme.release()
  t.equal((await first).response.model, 'acme/m')
})

t.test('a failure of the endpoint that was asked first does not hide that the other one is only busy', async t => {
  const acme = held('acme', { maxConcurrent: 1, maxQueued: 0 })
  const globex = witness('globex', () => {
    throw new ProviderFailure({ kind: 'auth', message: 'no' })
  })
  const under = await gateway({ plugins: [acme.plugin, globex.plugin], settings: silent })
  t.teardown(under.stop)
  const first = ask(under, { model: 'acme/m' })
  await acme.calls(1)
  const { status } = await ask(under, { model: 'globex/m', routing: { provider: { fallbacks: ['acme'] } } })
  t.equal(status, 503)
  acme.release()
  await first
})

t.test('a caller that leaves the queue, or runs out of time in it, is removed', async t => {
  const acme = held('acme', { maxConcurrent: 1, maxQueued: 1 })
  const under = await gateway({ plugins: [acme.plugin], settings: silent })
  t.teardown(under.stop)
  const first = ask(under, { model: 'acme/m' })
  await acme.calls(1)
  const client = new AbortController()
  const left = under.request('/v1/responses', { body: { model: 'acme/m', input: 'hi' }, signal: client.signal })
  const busy = async (): Promise<boolean> => (await ask(under, { model: 'acme/m' }, {})).status === 503
  t.ok(await busy(), 'the queue is full')
  client.abort()
  await left.catch(() => {})
  t.match(
    (await under.recorded(2)).find(({ status }) => status === 499),
    { attempts: [] },
  )
  const next = ask(under, { model: 'acme/m' })
  acme.release()
  t.equal((await first).status, 200)
  await acme.calls(1)
  acme.release()
  t.equal((await next).status, 200, 'the place that it left is free')
})

t.test('the time limit of a request holds while it waits', async t => {
  const acme = held('acme', { maxConcurrent: 1 })
  const under = await gateway({ plugins: [acme.plugin], settings: { ...silent, runTimeoutMs: 300 } })
  t.teardown(under.stop)
  const replies = await Promise.all([ask(under, { model: 'acme/m' }), ask(under, { model: 'acme/m' })])
  t.same(
    replies.map(({ status }) => status),
    [504, 504],
  )
  t.equal((await under.recorded(2)).length, 2)
})

t.test('a place is free again after every end: failures, aborts, broken streams, plugins that throw', async t => {
  const ends: readonly (() => Iterable<GenerationEvent>)[] = [
    () => hello,
    () => [],
    () => [{ type: 'text', text: 'Hel' }],
    () => {
      throw new ProviderFailure({ kind: 'invalid-request', message: 'no' })
    },
    () => {
      throw new ProviderFailure({ kind: 'overloaded', message: 'no' })
    },
    () => {
      throw new TypeError('a bug')
    },
  ]
  let turn = 0
  const acme = witness('acme', () => ends[turn++ % ends.length]!(), { maxConcurrent: 1, maxQueued: 0 })
  const under = await gateway({ plugins: [acme.plugin], settings: { ...silent, retries: 0 } })
  t.teardown(under.stop)
  for (const stream of [true, false]) for (const _ of ends) t.not((await ask(under, { model: 'acme/m', stream })).status, 503)
})

t.test('callers take turns, and the wait that is advised follows from how long requests take', async t => {
  let now = 0
  const queue = new ProviderQueue({ now: () => now, elapsed: () => now }, 1, 10)
  const run = new Cancellation()
  const order: string[] = []
  const slots: Slot[] = [(await queue.enter('a', run))!]
  for (const owner of ['a', 'a', 'a', 'b']) {
    void Promise.resolve(queue.enter(owner, run)).then(slot => {
      order.push(owner)
      slots.push(slot!)
    })
  }
  t.same([queue.running, queue.waiting, queue.retryAfterMs], [1, 4, 1_000])
  for (let count = 0; count < 4; count++) {
    now += 4_000
    slots.at(-1)!.release()
    slots.at(-1)!.release()
    await new Promise(resolve => setImmediate(resolve))
  }
  t.same(order, ['a', 'b', 'a', 'a'])
  t.same([queue.running, queue.waiting, queue.retryAfterMs], [1, 0, 4_000])
  const full = new ProviderQueue({ now: () => now, elapsed: () => now }, 1, 0)
  await full.enter('a', run)
  t.equal(full.enter('a', run), undefined)
})

t.test('a request that was aborted before it waits does not take a place', async t => {
  const queue = new ProviderQueue({ now: () => 0, elapsed: () => 0 }, 1, 1)
  const slot = (await queue.enter('a', new Cancellation()))!
  const run = new Cancellation()
  run.abort(new Error('gone'))
  await t.rejects(Promise.resolve(queue.enter('b', run)), { message: 'gone' })
  t.equal(queue.waiting, 0)
  slot.release()
  t.equal(queue.running, 0)
})

t.test('limits that make no sense end the start', async t => {
  for (const [member, value, expected] of [
    ['maxConcurrent', 0, 'a whole number from 1'],
    ['maxQueued', -1, 'a whole number from 0'],
    ['maxQueued', Infinity, 'a whole number from 0'],
    ['slowStream', { tokensPerSecond: 1 }, 'an object with tokensPerSecond and overMs above 0'],
    ['hedgeAfter', 'p101', 'milliseconds above 0, a percentile (p50, p75, p90, p95, p99), or false'],
  ] as const) {
    const plugin = adding(Providers, { id: 'acme', async *generate() {}, [member]: value } as never)
    await t.rejects((): Promise<GatewayUnderTest> => gateway({ plugins: [plugin], settings: silent }), {
      message: new RegExp(`bad \`${member}\`: expected ${expected.replaceAll(/[()]/g, '\\$&')}`),
    })
  }
})

t.test('a key that was refused while requests waited is not asked again by each of them', async t => {
  const keys: string[] = []
  const acme = scripted(
    'acme',
    async function* ({ credentialId }) {
      keys.push(credentialId!)
      await new Promise(resolve => setImmediate(resolve))
      if (credentialId === 'revoked') throw new ProviderFailure({ kind: 'auth', status: 401, message: 'no' })
      yield* hello
    },
    { maxConcurrent: 5, maxQueued: 195, credentials: ['revoked', 'valid'].map(id => ({ id, account: id })) },
  )
  const under = await gateway({ plugins: [acme], settings: silent })
  t.teardown(under.stop)
  const replies = await Promise.all(Array.from({ length: 200 }, (_, count) => ask(under, { model: 'acme/m', stream: count % 2 === 0 })))
  t.ok(replies.every(({ status }) => status === 200))
  const refused = keys.filter(key => key === 'revoked').length
  t.ok(refused <= 5, `the key was refused ${refused} times`)
})

t.test('requests that wait for an endpoint go elsewhere once it has failed too often', async t => {
  let [calls, isDown] = [0, true]
  const acme = scripted(
    'acme',
    async function* () {
      calls++
      await new Promise(resolve => setImmediate(resolve))
      if (isDown) throw new ProviderFailure({ kind: 'unavailable', status: 503, message: 'down' })
      yield* hello
    },
    { maxConcurrent: 2, maxQueued: 100 },
  )
  const under = await gateway({ plugins: [acme, saying('globex', hello)], settings: silent })
  t.teardown(under.stop)
  const askAll = async (body: object) =>
    await Promise.all(Array.from({ length: 50 }, (_, count) => ask(under, { model: 'acme/m', stream: count % 2 === 0, ...body })))
  const replies = await askAll({ routing: { provider: { fallbacks: ['globex'] } } })
  t.ok(replies.every(({ status, headers }) => status === 200 && headers.get('x-gateway-provider') === 'globex'))
  t.ok(calls <= 7, `the endpoint was asked ${calls} times`)
  const records = await under.recorded(50)
  t.equal(records.filter(({ routing }) => routing!.passedOver.circuit === 1).length, 50 - calls)
  isDown = false
  const alone = await askAll({})
  t.ok(
    alone.every(({ status }) => status === 200),
    'without a fallback, all of them are sent',
  )
})

t.test('attempts say how long they waited for a place, and when their first event came', async t => {
  const acme = held('acme', { maxConcurrent: 1, maxQueued: 1 })
  const under = await gateway({ plugins: [acme.plugin], settings: silent })
  t.teardown(under.stop)
  const first = ask(under, { model: 'acme/m' })
  await acme.calls(1)
  const second = ask(under, { model: 'acme/m' })
  acme.release()
  const { requestId } = await first
  await acme.calls(1)
  acme.release()
  const [before, after] = [await under.record(requestId), await under.record((await second).requestId)]
  t.equal(before.attempts[0]!.queuedMs, undefined)
  t.ok(after.attempts[0]!.queuedMs! > 0)
  for (const { attempts, firstEventMs } of [before, after]) {
    const { startedMs, elapsedMs, firstEventMs: ofAttempt } = attempts[0]!
    t.ok(ofAttempt! >= 0 && ofAttempt! <= elapsedMs)
    t.ok(firstEventMs! >= startedMs! + ofAttempt!, 'counted from the arrival')
  }
})

t.test('an attempt after a failure says how long the gateway waited', async t => {
  let now = 0
  const failing = witness('acme', (_call, count) => {
    if (count === 1) throw new ProviderFailure({ kind: 'overloaded', message: 'busy', retryAfterMs: 1_000 })
    return hello
  })
  const clock = { now: () => now, elapsed: () => now }
  const backoff = { random: () => 0, sleep: async (ms: number) => void (now += ms) }
  const under = await gateway({ plugins: [failing.plugin], settings: silent, backoff, clock })
  t.teardown(under.stop)
  const { requestId } = await ask(under, { model: 'acme/m' })
  const { attempts } = await under.record(requestId)
  t.same(
    attempts.map(({ outcome, waitedMs, startedMs }) => [outcome, waitedMs, startedMs]),
    [
      ['overloaded', undefined, 0],
      ['ok', 1_000, 1_000],
    ],
  )
})
