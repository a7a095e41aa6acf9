import t from 'tap'
import { ProviderFailure, type GenerationEvent, type Provider } from '../../../core/index.ts'
import { systemBackoff, type Backoff } from '../../../core/call/attempts/backoff.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import { gateway, hello, saying, scripted } from '../../kit/gateway.ts'
import { ask, listing, text, usage, witness } from '../../kit/stage.ts'

const silent = { logLevel: 'silent' } as const
const body = { model: 'acme/m', routing: { provider: { fallbacks: ['globex'] } } }
const price = { input: 1, output: 1 }

/** Hedges when the test says so. */
function handClock() {
  const waits: number[] = []
  const begun = Promise.withResolvers<void>()
  let fire!: () => void
  const backoff: Backoff = {
    random: () => 0.5,
    sleep(ms, signal) {
      waits.push(ms)
      return new Promise((resolve, reject) => {
        fire = resolve
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        begun.resolve()
      })
    },
  }
  return { backoff, waits, begun: begun.promise, fire: () => fire() }
}

/** Says `first`, then nothing more until it is aborted. */
function silentAfter(id: string, first: readonly GenerationEvent[], more: Partial<Provider> = {}) {
  const started = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<void>()
  const plugin = scripted(
    id,
    async function* ({ signal }) {
      yield* first
      started.resolve()
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          aborted.resolve()
          reject(signal.reason)
        }),
      )
    },
    more,
  )
  return { plugin, started: started.promise, aborted: aborted.promise }
}

/** An `acme` that answers after `go`, and is hedged before. */
function waiting() {
  const answering = Promise.withResolvers<void>()
  const acme = scripted(
    'acme',
    async function* () {
      await answering.promise
      yield* hello
    },
    { hedgeAfter: 5 },
  )
  return { acme, go: () => answering.resolve() }
}

const priced = listing({
  model: 'm',
  endpoints: [
    { provider: 'acme', price },
    { provider: 'globex', price },
  ],
})

t.test('without an answer in time, a second endpoint is asked; it wins, and the first is aborted and its cost recorded apart', async t => {
  for (const stream of [true, false]) {
    const clock = handClock()
    const acme = silentAfter('acme', [{ ...usage(1_000_000, 0) }], { hedgeAfter: 700 })
    const under = await gateway({ plugins: [acme.plugin, saying('globex', hello), priced], backoff: clock.backoff, settings: silent })
    const reply = ask(under, { ...body, stream })
    await acme.started
    t.same(clock.waits, [700])
    clock.fire()
    const { status, response, headers, requestId } = await reply
    t.match([status, response.model], [200, 'globex/m'])
    t.equal(headers.get('x-gateway-attempts'), '2')
    await acme.aborted
    const record = await under.record(requestId)
    t.match(record, {
      provider: 'globex',
      costUsd: 5e-6,
      usage: { uncachedInput: 3, output: 2 },
      attempts: [
        { provider: 'acme', outcome: 'outrun', costUsd: 1 },
        { provider: 'globex', outcome: 'ok' },
      ],
    })
    t.notOk('costUsd' in record.attempts[1]!)
    await under.stop()
  }
})

t.test('the first endpoint may still win; the cost of the other is estimated', async t => {
  const clock = handClock()
  const { acme, go } = waiting()
  const globex = silentAfter('globex', [])
  const under = await gateway({ plugins: [acme, globex.plugin, priced], backoff: clock.backoff, settings: silent })
  t.teardown(under.stop)
  const reply = ask(under, { ...body, stream: true })
  await clock.begun
  clock.fire()
  await globex.started
  go()
  const { response, requestId } = await reply
  t.equal(response.model, 'acme/m')
  await globex.aborted
  const { attempts, costUsd } = await under.record(requestId)
  t.match(attempts, [
    { provider: 'globex', outcome: 'outrun' },
    { provider: 'acme', outcome: 'ok' },
  ])
  t.ok(attempts[0]!.costUsd! > 0 && attempts[0]!.costUsd! < 1e-4)
  t.equal(costUsd, 5e-6)
})

t.test('an answer in time, a failure, or a single endpoint: nothing is asked twice', async t => {
  const clock = handClock()
  const globex = witness('globex', () => hello)
  const under = await gateway({
    plugins: [saying('acme', hello, { hedgeAfter: 5 }), globex.plugin],
    backoff: clock.backoff,
    settings: silent,
  })
  t.teardown(under.stop)
  t.equal((await ask(under, body)).response.model, 'acme/m')
  t.equal((await ask(under, { model: 'acme/m' })).response.model, 'acme/m')
  t.same([globex.calls.length, clock.waits], [0, [5]])
})

t.test('if the first endpoint fails meanwhile, the hedge goes on; if both fail, the caller gets the last failure', async t => {
  for (const second of ['answers', 'fails'] as const) {
    const clock = handClock()
    const fail = Promise.withResolvers<void>()
    const failed = Promise.withResolvers<void>()
    const decide = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const acme = scripted(
      'acme',
      async function* () {
        await fail.promise
        setImmediate(failed.resolve)
        throw new ProviderFailure({ kind: 'timeout', message: 'slow' })
      },
      { hedgeAfter: 5 },
    )
    const globex = scripted('globex', async function* () {
      started.resolve()
      await decide.promise
      if (second === 'fails') throw new ProviderFailure({ kind: 'unavailable', message: 'down', status: 503 })
      yield* hello
    })
    const under = await gateway({ plugins: [acme, globex], backoff: clock.backoff, settings: silent })
    const reply = ask(under, body)
    await clock.begun
    clock.fire()
    await started.promise
    fail.resolve()
    await failed.promise
    decide.resolve()
    const { status, requestId } = await reply
    t.equal(status, second === 'answers' ? 200 : 424)
    const { attempts } = await under.record(requestId)
    t.same(
      attempts.map(({ provider, outcome }) => [provider, outcome]),
      [
        ['acme', 'timeout'],
        ['globex', second === 'answers' ? 'ok' : 'unavailable'],
      ],
    )
    await under.stop()
  }
})

t.test('a request that is wrong ends both', async t => {
  const clock = handClock()
  const acme = silentAfter('acme', [], { hedgeAfter: 5 })
  const globex = witness('globex', () => {
    throw new ProviderFailure({ kind: 'invalid-request', message: 'no such tool' })
  })
  const under = await gateway({ plugins: [acme.plugin, globex.plugin], backoff: clock.backoff, settings: silent })
  t.teardown(under.stop)
  const reply = ask(under, body)
  await acme.started
  clock.fire()
  const { status, requestId } = await reply
  t.equal(status, 400)
  await acme.aborted
  t.match((await under.record(requestId)).attempts, [{ outcome: 'invalid-request' }, { outcome: 'left' }])
})

t.test('a client that leaves ends both', async t => {
  const clock = handClock()
  const acme = silentAfter('acme', [], { hedgeAfter: 5 })
  const globex = silentAfter('globex', [])
  const under = await gateway({ plugins: [acme.plugin, globex.plugin], backoff: clock.backoff, settings: silent })
  t.teardown(under.stop)
  const client = new AbortController()
  const reply = under.request('/v1/responses', { body: { ...body, input: 'hi' }, signal: client.signal })
  await acme.started
  clock.fire()
  await globex.started
  client.abort()
  await reply.catch(() => {})
  await Promise.all([acme.aborted, globex.aborted])
  const [record] = await under.recorded(1)
  t.match(record, { status: 499, costUsd: null, attempts: [{ outcome: 'left' }, { outcome: 'left' }] })
})

t.test('a hedge does not wait for a place, and does not go to an endpoint whose circuit is open', async t => {
  const clock = handClock()
  const { acme, go } = waiting()
  const busy = silentAfter('globex', [], { maxConcurrent: 1 })
  let isDown = true
  const initech = witness('initech', () => {
    if (isDown) throw new ProviderFailure({ kind: 'unavailable', message: 'down', transient: false })
    return hello
  })
  const under = await gateway({ plugins: [acme, busy.plugin, initech.plugin], backoff: clock.backoff, settings: silent })
  t.teardown(under.stop)
  const client = new AbortController()
  const holder = under.request('/v1/responses', { body: { model: 'globex/m', input: 'hi' }, signal: client.signal })
  await busy.started
  for (let count = 0; count < 5; count++) await ask(under, { model: 'initech/m' })
  isDown = false
  initech.calls.length = 0
  const reply = ask(under, { model: 'acme/m', routing: { provider: { fallbacks: ['globex', 'initech'] } } })
  await clock.begun
  clock.fire()
  await new Promise(resolve => setImmediate(resolve))
  go()
  const { response, requestId } = await reply
  t.equal(response.model, 'acme/m')
  t.equal(initech.calls.length, 0)
  t.match((await under.record(requestId)).attempts, { length: 1 })
  client.abort()
  await holder.catch(() => {})
})

t.test('a percentile of the latest answers decides, once there are enough of them', async t => {
  for (const stream of [true, false]) {
    const clock = handClock()
    let now = 1_000_000
    const acme = scripted(
      'acme',
      async function* () {
        now += 100
        yield text('Hel')
        now += 300
        yield* hello
      },
      { hedgeAfter: 'p95' },
    )
    const under = await gateway({
      plugins: [acme, saying('globex', hello)],
      backoff: clock.backoff,
      clock: { now: () => now, elapsed: () => now },
      settings: silent,
    })
    for (let count = 0; count < 20; count++) await ask(under, { ...body, stream })
    t.same(clock.waits, [], 'too few to say')
    await ask(under, { ...body, stream })
    const expected = stream ? 100 : 400
    t.equal(clock.waits.length, 1)
    t.ok(Math.abs(clock.waits[0]! / expected - 1) < 0.05, `about ${expected} ms: ${clock.waits[0]}`)
    await under.stop()
  }
})

t.test("the server's setting is for providers without their own", async t => {
  for (const [own, wait] of [
    [undefined, [9]],
    [30, [30]],
    [false, []],
  ] as const) {
    const clock = handClock()
    const acme = saying('acme', hello, own === undefined ? {} : { hedgeAfter: own })
    const plugins: PluginUse[] = [acme, saying('globex', hello)]
    const under = await gateway({ plugins, backoff: clock.backoff, settings: { ...silent, hedgeAfter: 9 } })
    await ask(under, body)
    t.same(clock.waits, wait)
    await under.stop()
  }
})

t.test('a spend cap: the caller pays for the answer alone, and never more than was held', async t => {
  const dear = { input: 10, output: 100 }
  const endpoint = { price: dear, maxOutputTokens: 100, contextWindow: 100_000 }
  const clock: Backoff = { random: () => 0.5, sleep: async () => {} }
  const acme = scripted(
    'acme',
    async function* ({ signal }) {
      yield usage(1_000, 0)
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
    { hedgeAfter: 1 },
  )
  const globex = witness('globex', ({ request }) => {
    const most = request.max_output_tokens ?? 100
    return [text('a'), usage(1, most), { type: 'finish', reason: most < 100 ? 'length' : 'stop' }]
  })
  const under = await gateway({
    plugins: [
      acme,
      globex.plugin,
      listing({
        model: 'm',
        endpoints: [
          { provider: 'acme', ...endpoint },
          { provider: 'globex', ...endpoint },
        ],
      }),
    ],
    backoff: clock,
    settings: silent,
    key: { name: 'k', spendCapUsd: 0.1 },
  })
  t.teardown(under.stop)
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask(under, { model: 'm', stream: true })))
  const served = answers.filter(({ status }) => status === 200)
  const costs = await Promise.all(served.map(async ({ requestId }) => (await under.record(requestId)).costUsd!))
  const spent = costs.reduce((total, cost) => total + cost, 0)
  t.ok(spent <= 0.1 && spent > 0.08, `${spent} USD were spent of 0.1`)
  t.same([...new Set(answers.map(({ status }) => status))].toSorted(), [200, 402])
})

t.test('an endpoint that is outrun again and again is asked last', async t => {
  const acme = silentAfter('acme', [], { hedgeAfter: 1 })
  const globex = witness('globex', () => hello)
  const under = await gateway({ plugins: [acme.plugin, globex.plugin], settings: silent })
  t.teardown(under.stop)
  const attempts = async (): Promise<readonly string[]> => {
    const { response, requestId } = await ask(under, body)
    t.equal(response.model, 'globex/m')
    return (await under.record(requestId)).attempts.map(({ outcome }) => outcome)
  }
  for (let count = 0; count < 5; count++) t.same(await attempts(), ['outrun', 'ok'])
  t.same(await attempts(), ['ok'])
})

t.test('200 hedged requests at once: one answer and one record each, and nothing is left under way', async t => {
  let running = 0
  const vendor = (id: string, most: number, more: Partial<Provider>) => {
    let calls = 0
    return scripted(
      id,
      async function* ({ signal }) {
        running++
        try {
          for (let turn = (calls++ * 7) % most; turn > 0; turn--) {
            await new Promise(resolve => setImmediate(resolve))
            signal.throwIfAborted()
          }
          yield* hello
        } finally {
          running--
        }
      },
      more,
    )
  }
  const under = await gateway({
    plugins: [vendor('acme', 23, { hedgeAfter: 1 }), vendor('globex', 11, { maxConcurrent: 20 }), priced],
    backoff: systemBackoff,
    settings: silent,
  })
  t.teardown(under.stop)
  const replies = await Promise.all(Array.from({ length: 200 }, (_, count) => ask(under, { ...body, stream: count % 2 === 0 })))
  t.ok(replies.every(({ status, response }) => status === 200 && response.status === 'completed'))
  const records = await under.recorded(200)
  t.equal(new Set(records.map(({ id }) => id)).size, 200)
  t.ok(
    records.every(({ costUsd }) => costUsd === 5e-6),
    'each caller pays for one answer',
  )
  const outcomes = records.map(({ attempts }) =>
    attempts
      .map(({ outcome }) => outcome)
      .sort()
      .join(' '),
  )
  t.same(
    [...new Set(outcomes)].filter(each => !['ok', 'ok outrun'].includes(each)),
    [],
  )
  t.match(under.gateway.providers().find(({ id }) => id === 'globex')!.queue, { running: 0, waiting: 0 })
  for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve))
  t.equal(running, 0)
})

t.test('a hedge goes to another provider, past the next model of the one that is silent', async t => {
  const { backoff, begun, fire } = handClock()
  const acme = silentAfter('acme', [], { hedgeAfter: 100 })
  const entries = [
    { model: 'a', endpoints: [{ provider: 'acme' }] },
    { model: 'b', endpoints: [{ provider: 'acme' }] },
    { model: 'c', endpoints: [{ provider: 'globex' }] },
  ]
  const under = await gateway({ plugins: [acme.plugin, saying('globex', hello), listing(...entries)], backoff, settings: silent })
  t.teardown(under.stop)
  const asked = ask(under, { model: 'a', routing: { model: { fallbacks: ['b', 'c'] } } })
  await acme.started
  await begun
  fire()
  const { response } = await asked
  t.equal(response.model, 'globex/c')
})
