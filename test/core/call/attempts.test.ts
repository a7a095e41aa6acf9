import { mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { ProviderFailure, type ErrorCode, type FailureKind, type Provider } from '../../../core/index.ts'
import { errorCodes, type ProviderFailureOptions } from '../../../core/kit.ts'
import { MetricStore, type AttemptSample } from '../../../core/stores.ts'
import { systemBackoff, type Backoff } from '../../../core/call/attempts/backoff.ts'
import { failurePolicies, isTransient, failurePolicyOf } from '../../../core/call/attempts/failure-policy.ts'
import { testGateway } from '../../../core/testing/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import { gateway, hello, saying, scripted } from '../../kit/gateway.ts'
import { ask, listing, providing, text, usage, witness, type Witness } from '../../kit/stage.ts'

const failure = (kind: FailureKind, more: Partial<ProviderFailureOptions> = {}) =>
  new ProviderFailure({ kind, message: 'the vendor said so', ...more })

/** A provider with keys `one` and `two`, of which those in `failing` fail; `used` has the keys in the order of their use. */
function twoKeys(failing: Map<string, ProviderFailure>): { readonly acme: Witness; used(): readonly (string | undefined)[] } {
  const credentials: Provider['credentials'] = ['one', 'two'].map(id => ({ id, account: id }))
  const acme = witness(
    'acme',
    ({ credentialId }) => {
      const failed = failing.get(credentialId!)
      if (failed) throw failed
      return hello
    },
    { credentials },
  )
  return { acme, used: () => acme.calls.splice(0).map(({ credentialId }) => credentialId) }
}

t.test('keys take turns; one that was refused rests until its time is over', async t => {
  for (const [kind, more, restMs] of [
    ['auth', {}, 300_000],
    ['quota', {}, 300_000],
    ['rate-limit', {}, 20_000],
    ['rate-limit', { retryAfterMs: 5_000 }, 5_000],
  ] as const) {
    let now = 1_000_000
    const failing = new Map<string, ProviderFailure>()
    const { acme, used } = twoKeys(failing)
    const under = await gateway({ plugins: [acme.plugin], clock: { now: () => now, elapsed: () => now }, settings: { logLevel: 'silent' } })
    const request = async (): Promise<readonly (string | undefined)[]> => {
      t.equal((await ask(under, { model: 'acme/m' })).status, 200)
      return used()
    }
    t.same([await request(), await request(), await request()], [['one'], ['two'], ['one']], 'in turn')
    failing.set('one', failure(kind, more))
    await request()
    t.same(await request(), ['one', 'two'], `${kind} goes to the other key within the request`)
    failing.clear()
    now += restMs - 1
    t.same([await request(), await request()], [['two'], ['two']], 'which stays preferred')
    now += 1
    t.same([...(await request()), ...(await request())].sort(), ['one', 'two'], 'until the first has rested')
    await under.stop()
  }
})

t.test('when every key rests for a rate limit, the soonest ready one is still tried', async t => {
  const failing = new Map([
    ['one', failure('rate-limit', { retryAfterMs: 9_000 })],
    ['two', failure('rate-limit', { retryAfterMs: 3_000 })],
  ])
  const { acme, used } = twoKeys(failing)
  const under = await gateway({ plugins: [acme.plugin], clock: { now: () => 5, elapsed: () => 5 }, settings: { logLevel: 'silent' } })
  t.teardown(under.stop)
  for (const stream of [true, false]) {
    const { status, headers, error } = await ask(under, { model: 'acme/m', stream })
    t.equal(status, 429)
    t.match(error, { type: 'rate_limit_error', code: 'rate_limit_exceeded' })
    t.ok(Number(headers.get('retry-after')) >= 3)
    t.same(used(), stream ? ['one', 'two'] : ['two'])
  }
  failing.delete('two')
  t.equal((await ask(under, { model: 'acme/m' })).status, 200)
  t.same(used(), ['two'])
})

/** kind, attempts at the provider itself, status, type, code: contract/responses.md §10.2. */
const kinds: readonly (readonly [FailureKind, number, number, string, string])[] = [
  ['invalid-request', 1, 400, 'invalid_request_error', 'invalid_value'],
  ['not-found', 1, 400, 'invalid_request_error', 'model_not_found'],
  ['auth', 1, 424, 'provider_error', 'provider_error'],
  ['quota', 1, 424, 'provider_error', 'provider_error'],
  ['rate-limit', 1, 429, 'rate_limit_error', 'rate_limit_exceeded'],
  ['overloaded', 3, 424, 'provider_error', 'provider_error'],
  ['unavailable', 3, 424, 'provider_error', 'provider_error'],
  ['timeout', 1, 504, 'server_error', 'provider_timeout'],
  ['network', 3, 424, 'provider_error', 'provider_error'],
  ['protocol', 1, 424, 'provider_error', 'provider_error'],
  ['refused', 1, 400, 'invalid_request_error', 'invalid_prompt'],
  ['context-length', 1, 400, 'invalid_request_error', 'context_length_exceeded'],
]

t.test('each kind of failure has its retries and its status, and all but a bad request go on to the next candidate', async t => {
  for (const [kind, attempts, status, type, code] of kinds) {
    const acme = witness('acme', () => {
      throw failure(kind, { status: 599, upstream: '{"reason":"said so"}' })
    })
    for (const stream of [true, false]) {
      const under = await gateway({ plugins: [acme.plugin, saying('globex', hello)], settings: { logLevel: 'silent' } })
      const reply = await ask(under, { model: 'acme/m', stream })
      t.equal(reply.status, status, kind)
      t.equal(reply.headers.get('x-should-retry'), status === 424 ? String(attempts === 3) : null)
      t.match(reply.error, { type, code })
      const own = kind === 'auth' || kind === 'quota'
      t.equal('upstream_error' in reply.error, !own, 'what the vendor says of the gateway stays inside')
      t.equal(reply.error.message.endsWith('the vendor said so'), !own)
      if (status === 424) t.match(reply.error.message, /provider "acme"/)
      t.equal(acme.calls.splice(0).length, attempts, `${kind} takes ${attempts} attempts`)
      const record = await under.record(reply.requestId)
      t.same(
        record.attempts.map(({ provider, outcome, status }) => [provider, outcome, status]),
        Array.from({ length: attempts }, () => ['acme', kind, 599]),
      )
      t.match(record, { status, errorCode: code, costUsd: null, usage: null, provider: 'acme', model: 'm' })
      const { kept, ...facts } = record
      t.notMatch(JSON.stringify(facts), 'said so', 'and nobody writes down what it said')
      t.same(kept, { error: { message: reply.error.message, param: reply.error.param } }, 'except the content, in the words of the caller')
      const next = await ask(under, { model: 'acme/m', stream, routing: { provider: { fallbacks: ['globex'] } } })
      t.equal(next.status, kind === 'invalid-request' ? 400 : 200)
      acme.calls.length = 0
      await under.stop()
    }
  }
})

t.test('a broken connection is tried again at once, and the second try answers', async t => {
  const acme = witness('acme', (_, count) => {
    if (count % 2 === 1) throw failure('network')
    return hello
  })
  const backoff = new FakeBackoff()
  const under = await gateway({ plugins: [acme.plugin], backoff, settings: { logLevel: 'silent' } })
  t.teardown(under.stop)
  for (const stream of [true, false]) {
    const { status, headers } = await ask(under, { model: 'acme/m', stream })
    t.equal(status, 200)
    t.equal(headers.get('x-gateway-attempts'), '2')
  }
  t.same(backoff.waits, [])
})

/** Keeps the waits that it is asked for, and does not wait. */
class FakeBackoff implements Backoff {
  readonly waits: number[] = []
  random = (): number => 0.5

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    this.waits.push(ms)
    signal.throwIfAborted()
  }
}

t.test('the last endpoint left is asked again after a short, random wait, and only where the failure may pass', async t => {
  const rows: readonly (readonly [
    what: string,
    failing: (count: number) => ProviderFailure | undefined,
    calls: number,
    waits: number[],
  ])[] = [
    ['fails once', count => (count === 1 ? failure('unavailable') : undefined), 2, [125]],
    ['fails twice', count => (count < 3 ? failure('overloaded') : undefined), 3, [125, 250]],
    ['fails always', () => failure('unavailable'), 3, [125, 250]],
    ['breaks the connection always', () => failure('network'), 3, [250]],
    ['asks for a short wait', count => (count === 1 ? failure('overloaded', { retryAfterMs: 1_000 }) : undefined), 2, [1_125]],
    ['asks for a long wait', () => failure('overloaded', { retryAfterMs: 2_001 }), 1, []],
    ['says that it will pass', count => (count === 1 ? failure('protocol', { transient: true }) : undefined), 2, [125]],
    ['says that it stays', () => failure('unavailable', { transient: false }), 1, []],
    ['limits the rate', () => failure('rate-limit'), 1, []],
    ['is too late', () => failure('timeout'), 1, []],
  ]
  for (const [what, failing, calls, waits] of rows) {
    for (const stream of [true, false]) {
      const acme = witness('acme', (_, count) => {
        const failed = failing(count)
        if (failed) throw failed
        return hello
      })
      const backoff = new FakeBackoff()
      const under = await gateway({ plugins: [acme.plugin], backoff, settings: { logLevel: 'silent' } })
      const { status } = await ask(under, { model: 'acme/m', stream })
      t.equal(status === 200, !failing(9), what)
      t.same([acme.calls.length, backoff.waits], [calls, waits], what)
      await under.stop()
    }
  }
})

t.test('a reply that ends before its first event is asked for again; one that broke off later is not', async t => {
  for (const [events, calls] of [
    [[], 3],
    [[text('Hel')], 1],
  ] as const) {
    const acme = witness('acme', () => events)
    const under = await gateway({ plugins: [acme.plugin], settings: { logLevel: 'silent' } })
    const { status, headers } = await ask(under, { model: 'acme/m' })
    t.same([status, headers.get('x-should-retry'), acme.calls.length], [424, 'true', calls])
    await under.stop()
  }
})

t.test('where another endpoint is left, it is asked instead', async t => {
  const acme = witness('acme', () => {
    throw failure('unavailable')
  })
  const backoff = new FakeBackoff()
  const under = await gateway({ plugins: [acme.plugin, saying('globex', hello)], backoff, settings: { logLevel: 'silent' } })
  t.teardown(under.stop)
  const { status } = await ask(under, { model: 'acme/m', routing: { provider: { fallbacks: ['globex'] } } })
  t.same([status, acme.calls.length, backoff.waits], [200, 1, []])
})

t.test("our retries do not multiply with the client's", async t => {
  let now = 1_000_000
  let down = true
  const acme = witness('acme', () => {
    if (down) throw failure('network', { retryAfterMs: 700 })
    return hello
  })
  const under = await gateway({ plugins: [acme.plugin], clock: { now: () => now, elapsed: () => now }, settings: { logLevel: 'silent' } })
  t.teardown(under.stop)
  const calls = async (): Promise<number> => {
    const { status, headers } = await ask(under, { model: 'acme/m' })
    if (status === 424) t.same([headers.get('x-should-retry'), headers.get('retry-after-ms')], ['true', '700'])
    return acme.calls.splice(0).length
  }
  t.same([await calls(), await calls(), await calls()], [3, 1, 1], 'an endpoint that was asked again in vain is asked once')
  now += 30_000
  t.same([await calls(), await calls()], [3, 1], 'for half a minute')
  down = false
  t.equal(await calls(), 1)
  down = true
  t.equal(await calls(), 3, 'or until it answers')
})

t.test('a wait ends with the request', async t => {
  const waiting = Promise.withResolvers<void>()
  const acme = witness('acme', () => {
    throw failure('unavailable')
  })
  const backoff: Backoff = {
    random: () => 0.5,
    sleep(ms, signal) {
      waiting.resolve()
      return systemBackoff.sleep(ms * 1_000_000, signal)
    },
  }
  const under = await gateway({ plugins: [acme.plugin], backoff, settings: { logLevel: 'silent' } })
  t.teardown(under.stop)
  const client = new AbortController()
  const reply = under.request('/v1/responses', { body: { model: 'acme/m', input: 'hi' }, signal: client.signal })
  await waiting.promise
  client.abort()
  await reply.catch(() => {})
  const [record] = await under.recorded(1)
  t.match(record, { status: 499, attempts: [{ outcome: 'unavailable' }] })
  t.equal(acme.calls.length, 1)

  const impatient = await gateway({ plugins: [acme.plugin], backoff, settings: { logLevel: 'silent', runTimeoutMs: 30 } })
  t.teardown(impatient.stop)
  t.equal((await ask(impatient, { model: 'acme/m' })).status, 504, 'or with its time')
})

t.test('the public code and status follow from the kind alone, before the stream and in it', async t => {
  const codes: readonly (ErrorCode | undefined)[] = [
    undefined,
    'insufficient_credits',
    'rate_limit_error',
    'server_error',
    'image_too_large',
  ]
  for (const [kind, , status, type, code] of kinds) {
    for (const own of codes) {
      // Plugins may be plain JavaScript.
      const failed = failure(kind, own && ({ code: own } as object))
      const told = own === 'image_too_large' && (kind === 'invalid-request' || kind === 'refused') ? own : code
      let spoken = false
      const acme = witness('acme', function* () {
        if (spoken) yield text('Hel')
        throw failed
      })
      const under = await gateway({ plugins: [acme.plugin], settings: { logLevel: 'silent', retries: 0 } })
      for (const stream of [false, true]) {
        const { status: came, error } = await ask(under, { model: 'acme/m', stream })
        t.same([came, error.type, error.code], [status, type, told], `${kind} with ${own}, ${stream ? 'before the stream' : 'whole'}`)
      }
      spoken = true
      const { response } = await ask(under, { model: 'acme/m', stream: true })
      const known = (errorCodes as readonly string[]).includes(told) ? told : 'provider_error'
      // `checkStream` holds that the error event says the same, or rate_limit_error where this says rate_limit_exceeded.
      t.match(response, { status: 'failed', error: { code: known } }, `${kind} with ${own}, in the stream`)
      await under.stop()
    }
  }
})

t.test('events before the first word are dropped with their attempt; after it there is no other attempt', async t => {
  let after = false
  const acme = witness('acme', () => [])
  const plugin = witness('broken', () => {
    if (after) return [usage(9, 9), text('Hel')]
    throw failure('unavailable')
  }).plugin
  const under = await gateway({ plugins: [acme.plugin, plugin, saying('globex', hello)], settings: { logLevel: 'silent' } })
  t.teardown(under.stop)
  const body = { model: 'broken/m', routing: { provider: { fallbacks: ['globex'] } } }
  t.match((await ask(under, body)).response.usage, { input_tokens: 3, output_tokens: 2 })
  after = true
  const { status, response } = await ask(under, { ...body, stream: true })
  t.equal(status, 200)
  t.match(response, { status: 'failed', model: 'broken/m', error: { code: 'provider_error' }, usage: { input_tokens: 9 } })
  t.equal((await ask(under, body)).status, 424, 'nor is there without a stream')
  t.equal((await ask(under, { ...body, model: 'acme/m' })).response.model, 'globex/m', 'a reply of nothing is no answer')
})

t.test('a rate limit in the middle of a stream is told with the time to wait', async t => {
  const plugin = witness('acme', function* () {
    yield text('Hel')
    throw failure('rate-limit', { message: 'Slow down: try again in 3s.', retryAfterMs: 3_000 })
  }).plugin
  const under = await gateway({ plugins: [plugin, saying('globex', hello)], settings: { logLevel: 'silent' } })
  t.teardown(under.stop)
  const body = { model: 'acme/m', routing: { provider: { fallbacks: ['globex'] } } }
  const { response } = await ask(under, { ...body, stream: true })
  t.match(response, { status: 'failed', error: { code: 'rate_limit_exceeded', message: /try again in 3s/ } })
  const whole = await ask(under, body)
  t.equal(whole.status, 429)
  t.equal(whole.headers.get('retry-after'), '3')
})

t.test('a name that somebody made up leaves no metrics', async t => {
  const samples: AttemptSample[] = []
  const store: MetricStore = {
    record: sample => void samples.push(sample),
    window: () => {
      throw new Error('nobody asks')
    },
    latest: () => undefined,
  }
  const acme = witness('acme', ({ endpoint }) => {
    if (endpoint.model.startsWith('gone')) throw failure('not-found')
    return hello
  })
  const under = await testGateway({
    plugins: [
      memory({ services: ['keys', 'responses', 'limits', 'ledger'] }),
      providing(MetricStore, store),
      localSealer({ masterKey: 'cd'.repeat(32) }),
      responses({}),
      acme.plugin,
      listing({ model: 'gone-too', endpoints: [{ provider: 'acme' }] }),
    ],
  })
  t.teardown(under.stop)
  for (const model of ['acme/gone', 'acme/own', 'gone-too']) await ask(under, { model })
  t.same(
    samples.map(({ model, listed, outcome }) => [model, listed, outcome]),
    [
      ['own', false, 'ok'],
      ['gone-too', true, 'neutral'],
    ],
  )
})

t.test('the gateway’s own work does not count as the provider’s time', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  let now = 1_000_000
  const acme = scripted(
    'acme',
    async function* ({ clock }) {
      now += 3
      await clock!.pauseFor(
        nextTurn().then(() => {
          now += 5_000
          mock.timers.tick(5_000)
        }),
      )
      yield* hello
    },
    { timeouts: { firstEventMs: 20, totalMs: 20 } },
  )
  const under = await gateway({ plugins: [acme], clock: { now: () => now, elapsed: () => now } })
  for (const stream of [false, true]) {
    const reply = await under.request('/v1/responses', { body: { model: 'acme/m', input: 'Hello.', stream } })
    t.equal(reply.status, 200)
    t.notMatch(await reply.text(), 'provider_timeout')
  }
  await under.stop()
  t.match(under.records, [{ attempts: [{ outcome: 'ok', elapsedMs: 3 }] }, { attempts: [{ outcome: 'ok', elapsedMs: 3 }] }])
})

t.test('a kind that the policy table does not know counts as protocol', async t => {
  const unknown = new ProviderFailure({ kind: 'teapot' as FailureKind, message: 'Short and stout.' })
  t.equal(failurePolicyOf(unknown), failurePolicies.protocol)
  t.equal(isTransient(unknown), false)
})

t.test('a provider knows better than the kind whether a failure is transient', async t => {
  t.equal(isTransient(new ProviderFailure({ kind: 'overloaded', message: 'Busy.' })), true)
  t.equal(isTransient(new ProviderFailure({ kind: 'overloaded', message: 'Busy.', transient: false })), false)
  t.equal(isTransient(new ProviderFailure({ kind: 'protocol', message: 'Cut.', transient: true })), true)
})
