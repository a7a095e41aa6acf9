import t, { type Test } from 'tap'
import { BackgroundStore, ResponseStore } from '../../../../core/stores.ts'
import { MemoryBackground } from '../../../../plugins/stores/memory/background.ts'
import { MemoryResponses } from '../../../../plugins/stores/memory/responses.ts'
import { gateway, type GatewayUnderTest } from '../../../kit/gateway.ts'
import { FakeClock } from '../../../kit/set-up.ts'
import { providing } from '../../../kit/stage.ts'
import { read, send } from '../reading.ts'
import { create, dictated, ended, hi, sequenceOf, stream, until, upTo, type Dictated } from './background-stage.ts'

interface Pair {
  readonly acme: Dictated
  readonly store: MemoryBackground
  /** Runs the responses. */
  readonly one: GatewayUnderTest
  /** On the same stores, with a key of the same user. */
  readonly other: GatewayUnderTest
}

/** `skewMs`: how much the clock of the other gateway is behind. */
async function pair(t: Test, clock = new FakeClock(), storeClock = clock, skewMs = 0): Promise<Pair> {
  const acme = dictated()
  const store = new MemoryBackground(storeClock)
  const stores = [providing(BackgroundStore, store), providing(ResponseStore, new MemoryResponses(100))]
  const key = { name: 'a', user: 'ada', policy: { logging: { value: true } } }
  const one = await gateway({ key, plugins: [...stores, acme.plugin], clock })
  t.teardown(one.stop)
  const other = await gateway({
    key,
    plugins: [...stores, dictated().plugin],
    clock: skewMs > 0 ? new FakeClock(clock.now() - skewMs) : clock,
  })
  t.teardown(other.stop)
  return { acme, store, one, other }
}

t.test('another gateway says how a response stands, and streams it while it runs', async t => {
  const { acme, one, other } = await pair(t)
  const { body } = await create(one, { stream: false })
  const path = `/${body.id}`
  t.equal((await read(other, path)).body['status'], 'queued')
  acme.say('Hello ')
  const far = await stream(other, `${path}?stream=true`)
  await until(() => far.events.some(({ type }) => type === 'response.output_text.delta'))
  t.equal((await read(other, path)).body['status'], 'in_progress')
  acme.say('there')
  acme.end()
  const events = await far.over
  t.same(sequenceOf(events), upTo(events.length))
  t.equal(events.at(-1)!.type, 'response.completed')
  t.same(await ended(other, body.id), await ended(one, body.id))
  t.same(await (await stream(one, `${path}?stream=true`)).over, events)
  const next = await send(other, 'POST', '', { body: { ...hi, background: true, previous_response_id: body.id } })
  t.equal(next.status, 200, 'it can be continued anywhere')
})

t.test('another gateway cancels a response, and the one that runs it bills what was delivered', async t => {
  const { acme, one, other } = await pair(t)
  acme.say('Hello there')
  const { body, requestId } = await create(one)
  const path = `/${body.id}`
  const near = await stream(one, `${path}?stream=true`)
  await until(() => near.events.some(({ type }) => type === 'response.output_text.delta'))
  const cancelled = await send(other, 'POST', `${path}/cancel`)
  t.match(cancelled, { status: 200, body: { id: body.id, status: 'cancelled' } })
  t.equal((await read(one, path)).body['status'], 'cancelled', 'at once')
  const early = await send(other, 'DELETE', path)
  if (early.status === 409) t.match(early.body['error'], { code: 'response_in_progress', message: /was cancelled, and its work ends/ })
  await until(() => one.records.some(({ id }) => id === requestId))
  const record = await one.record(requestId)
  t.match(record, { status: 499, errorCode: 'response_cancelled' })
  t.ok(record.usage!.output > 0)
  const events = await near.over
  t.match(events.at(-1), { type: 'response.failed', response: { status: 'cancelled', error: null } })
  t.same(sequenceOf(events), upTo(events.length))
  t.same((await read(other, path)).body, events.at(-1)!['response'], 'with what it cost')
  t.equal((await send(other, 'DELETE', path)).status, 200)
})

t.test('a response whose gateway does not renew its hold has failed, for good', async t => {
  const clock = new FakeClock()
  const { acme, store, one, other } = await pair(t, clock)
  acme.say('Hello')
  const { body, requestId } = await create(one)
  const path = `/${body.id}`
  const seen = await stream(other, `${path}?stream=true`)
  await until(() => seen.events.some(({ type }) => type === 'response.output_text.delta'))
  const { renew } = store
  store.renew = async () => {
    throw new Error('the network is gone')
  }
  clock.pass(31_000)
  const failed = (await read(other, path)).body
  t.match(failed, { id: body.id, status: 'failed', error: { code: 'server_error', message: /has stopped/ } })
  const events = await seen.over
  t.same(
    events.slice(-2).map(({ type }) => type),
    ['error', 'response.failed'],
  )
  t.same(sequenceOf(events), upTo(events.length))
  t.same(events.at(-1)!['response'], failed)
  const rest = await (await stream(other, `${path}?stream=true&starting_after=500`)).over
  t.same(sequenceOf(rest), [501, 502], 'whoever has seen more hears of the end, too')
  store.renew = renew
  await until(() => one.records.some(({ id }) => id === requestId))
  t.match(await one.record(requestId), { status: 200, errorCode: 'server_error' })
  t.same((await read(one, path)).body, failed, 'its gateway ends it, and changes nothing')
})

t.test('gateways whose clocks are minutes off agree on which responses live', async t => {
  const ahead = new FakeClock(Date.now() + 5 * 60_000)
  const storeClock = new FakeClock()
  const { acme, store, one, other } = await pair(t, ahead, storeClock, 10 * 60_000)
  acme.say('Hello')
  const { body } = await create(one)
  const path = `/${body.id}`
  for (const under of [one, other]) t.match((await read(under, path)).body, { status: /queued|in_progress/ })
  t.equal(await store.lapse({ keepMs: 60_000 }), 0, 'no gateway ends it')
  store.renew = async responses => responses
  storeClock.pass(31_000)
  for (const under of [other, one]) t.match((await read(under, path)).body, { status: 'failed' })
})

t.test('a gateway that stops ends its responses with an error', async t => {
  const { acme, one, other } = await pair(t)
  acme.say('Hello')
  const { body } = await create(one)
  one.gateway.abortRuns()
  await until(() => one.gateway.liveRuns === 0)
  t.match((await read(other, `/${body.id}`)).body, {
    status: 'failed',
    error: { message: 'The gateway is shutting down. Try again.' },
    usage: Object,
  })
})

t.test('one that is stopped without a drain does so, too', async t => {
  const { acme, one, other } = await pair(t)
  acme.say('Hello')
  const { body } = await create(one)
  await one.stop()
  t.match((await read(other, `/${body.id}`)).body, { status: 'failed', error: { message: 'The gateway is shutting down. Try again.' } })
})
