import t from 'tap'
import { definePlugin, ProviderFailure } from '../../../core/index.ts'
import { Vitals, type VitalSigns } from '../../../core/kit.ts'
import { gateway, hello, scripted } from '../../kit/gateway.ts'
import { ask, listing } from '../../kit/stage.ts'

/** A plugin that hands `Vitals` to the test. */
function reading() {
  let vitals: Vitals | undefined
  const plugin = definePlugin({
    name: 'reader',
    options: { type: 'object', additionalProperties: false, properties: {} },
    wants: { vitals: Vitals },
    setup(_, __, needs) {
      vitals = needs.vitals
    },
  })({})
  return { plugin, read: () => vitals!.read() }
}

t.test('how a process is doing', async t => {
  const { plugin, read } = reading()
  const gate = Promise.withResolvers<void>()
  let isDown = false
  const acme = scripted(
    'acme',
    async function* () {
      if (isDown) throw new ProviderFailure({ kind: 'unavailable', status: 503, message: 'Down.' })
      yield hello[0]!
      await gate.promise
      yield* hello.slice(1)
    },
    { maxConcurrent: 1, maxQueued: 5 },
  )
  const under = await gateway({ plugins: [acme, listing({ model: 'm', endpoints: [{ provider: 'acme' }] }), plugin] })
  t.teardown(under.stop)
  const first = await under.request('/v1/responses', { body: { model: 'm', input: 'Hello', stream: true } })
  const second = ask(under, { model: 'm' })
  while (read().providers.find(({ id }) => id === 'acme')!.queue!.waiting === 0) await new Promise(setImmediate)
  const during = read()
  t.match(during, { load: { requests: 2, connections: 0 }, streams: 1 })
  t.ok(during.load.answerBytes > 0)
  t.match(during.providers.find(({ id }) => id === 'acme')!.queue, { running: 1, waiting: 1, maxConcurrent: 1, maxQueued: 5 })
  gate.resolve()
  await Promise.all([first.text(), second])
  await under.recorded(2)

  isDown = true
  for (const model of ['m', 'acme/made-up']) for (let tries = 0; tries < 5; tries++) await ask(under, { model })
  await under.recorded(12)
  const sinkIn = ({ sinks }: VitalSigns) => sinks.find(({ sink }) => sink === 'kept')!
  while (sinkIn(read()).waiting > 0) await new Promise(setImmediate)
  const after = read()
  t.match(after, { load: { requests: 0 }, streams: 0 })
  t.same(sinkIn(after), { sink: 'kept', waiting: 0, dropped: 0, contentsDropped: 0, failed: 0 })
  t.ok(after.stores.find(({ service }) => service === 'responses')!.calls >= 2)
  t.ok(after.memory.heapUsedBytes > 0 && after.memory.rssBytes > after.memory.heapUsedBytes)
  const { circuits } = after.providers.find(({ id }) => id === 'acme')!
  t.match(
    circuits.find(({ model }) => model === 'm'),
    { state: 'open' },
  )
  t.notOk(
    circuits.some(({ model }) => model === 'made-up'),
    'without names that callers made up',
  )
  t.ok(under.gateway.providers().some(({ circuits }) => circuits.some(({ model }) => model === 'made-up')))
})

t.test('it cannot be read before the gateway is assembled', async t => {
  const early = definePlugin({
    name: 'early',
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { vitals: Vitals },
    setup(_, __, { vitals }) {
      vitals.read()
    },
  })({})
  await t.rejects(gateway({ plugins: [early] }), /not assembled yet/)
})
