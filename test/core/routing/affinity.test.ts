import t from 'tap'
import type { CatalogEntry, GenerationEvent } from '../../../core/index.ts'
import { hello } from '../../kit/gateway.ts'
import { routingStage, taking, type RoutingStage } from '../../kit/routing-stage.ts'

const entries: readonly CatalogEntry[] = [
  { model: 'm', endpoints: [{ provider: 'acme' }, { provider: 'globex' }, { provider: 'initech' }] },
  { model: 'n', endpoints: [{ provider: 'initech' }] },
]
const minute = 60_000

/** The endpoint that was asked first. */
async function first(stage: RoutingStage, body: object): Promise<string | undefined> {
  return (await stage.tried({ model: 'm', ...body }))[0]
}

async function staged(options: Parameters<typeof routingStage>[1] = {}): Promise<RoutingStage> {
  const stage = await routingStage(entries, options)
  t.teardown(stage.stop)
  return stage
}

for (const key of [{ prompt_cache_key: 'thread-1' }, { user: 'ada' }, { prompt_cache_key: 'thread-2', user: 'ada' }]) {
  t.test(`requests with ${Object.keys(key).join(' and ')} stay where the cache is warm`, async t => {
    const stage = await staged()
    stage.metrics.set('acme/m', taking(1))
    stage.metrics.set('globex/m', taking(1.2))
    t.equal(await first(stage, key), 'acme/m')
    stage.metrics.set('acme/m', taking(1.75))
    t.equal(await first(stage, {}), 'globex/m', 'others go to the best')
    t.equal(await first(stage, key), 'acme/m', 'not 50% worse')
    t.match(await stage.routing({ model: 'm', ...key }), { preferred: 'affinity', candidates: [{ provider: 'acme', value: 1.75 }, {}, {}] })
    t.equal(await first(stage, { ...key, routing: { provider: { sort: 'performance' } } }), 'globex/m', 'never against an explicit sort')
    stage.metrics.set('acme/m', taking(1.85))
    t.equal(await first(stage, key), 'globex/m', 'too far from the best')
    stage.metrics.set('acme/m', taking(1))
    t.equal(await first(stage, key), 'globex/m', 'and there it stays')
    stage.metrics.set('acme/m', taking(0.1))
    t.equal(await first(stage, key), 'acme/m')
  })
}

t.test('another key, another user and another model are something else', async t => {
  const stage = await staged()
  stage.metrics.set('acme/m', taking(1))
  t.equal(await first(stage, { prompt_cache_key: 'one' }), 'acme/m')
  stage.metrics.set('globex/m', taking(0.9))
  t.equal(await first(stage, { prompt_cache_key: 'one' }), 'acme/m')
  for (const other of [{ prompt_cache_key: 'two' }, { prompt_cache_key: 'x'.repeat(513) }, { prompt_cache_key: 'one', model: 'auto' }])
    t.equal(await first(stage, other), 'globex/m')
})

t.test('a cache cools down, and affinity can be turned off', async t => {
  const stage = await staged()
  const key = { prompt_cache_key: 'thread' }
  stage.metrics.set('acme/m', taking(1))
  t.equal(await first(stage, key), 'acme/m')
  stage.metrics.set('globex/m', taking(0.9))
  stage.clock.pass(9 * minute)
  t.equal(await first(stage, key), 'acme/m')
  stage.clock.pass(9 * minute)
  t.equal(await first(stage, key), 'acme/m', 'every answer warms it')
  stage.clock.pass(10 * minute)
  t.equal(await first(stage, key), 'globex/m')

  for (const settings of [{ affinityMs: 0 }, { affinityDistance: 0 }]) {
    const off = await staged({ settings: { logLevel: 'silent', ...settings } })
    off.metrics.set('acme/m', taking(1))
    t.equal(await first(off, key), 'acme/m')
    off.metrics.set('globex/m', taking(0.99))
    t.equal(await first(off, key), 'globex/m')
  }
})

t.test('an endpoint with an open circuit loses its conversations', async t => {
  const stage = await staged()
  const key = { prompt_cache_key: 'thread' }
  stage.metrics.set('acme/m', taking(1))
  stage.metrics.set('globex/m', taking(1.2))
  t.equal(await first(stage, key), 'acme/m')
  stage.failing.set('acme', 'unavailable')
  for (let failure = 0; failure < 5; failure++) await stage.ask({ model: 'acme/m' })
  t.equal(await first(stage, key), 'globex/m')
})

t.test('a chain stays on the endpoint that answered it', async t => {
  const stage = await staged()
  stage.metrics.set('acme/m', taking(1))
  const { response } = await stage.ask({ model: 'm' })
  stage.metrics.set('globex/m', taking(0.9))
  t.equal(await first(stage, {}), 'globex/m')
  t.equal(await first(stage, { previous_response_id: response.id }), 'acme/m')
  const answer = await stage.ask({ model: 'm', previous_response_id: response.id })
  t.equal(await first(stage, { previous_response_id: answer.response.id, stream: true }), 'acme/m')
})

t.test('auto stays with the model too', async t => {
  const stage = await staged()
  const key = { model: 'auto', user: 'ada' }
  stage.metrics.set('initech/n', taking(1))
  stage.metrics.set('acme/m', taking(1.3))
  t.equal(await first(stage, key), 'initech/n')
  stage.metrics.set('initech/n', taking(1.4))
  t.equal(await first(stage, key), 'initech/n')
  t.equal(await first(stage, { model: 'auto' }), 'acme/m')
  t.equal(await first(stage, { ...key, routing: { model: { sort: 'performance' } } }), 'acme/m')
  t.equal(await first(stage, { ...key, model: 'm' }), 'acme/m', 'a named model wins')
})

t.test('encrypted reasoning goes back to where it came from, whatever the sort', async t => {
  const thinking: readonly GenerationEvent[] = [
    { type: 'reasoning', text: 'Hm.', form: 'summary' },
    { type: 'reasoning-state', opaque: 'state' },
    ...hello,
  ]
  const stage = await staged({ answer: () => thinking })
  const include = ['reasoning.encrypted_content']
  stage.metrics.set('acme/m', taking(2))
  stage.metrics.set('globex/m', taking(1))
  const { response } = await stage.ask({ model: 'm', include })
  const input = [...response.output, { role: 'user', content: 'go on' }]
  stage.metrics.set('acme/m', taking(0.1))
  t.equal(await first(stage, {}), 'acme/m')
  for (const routing of [{}, { provider: { sort: 'performance' } }, { provider: { sort: 'cost' } }])
    t.equal(await first(stage, { input, routing }), 'globex/m')
  t.equal((await stage.routing({ model: 'm', input }))!.preferred, 'state')
  t.match(stage.calls.at(-1)!.request.input, [{ type: 'reasoning', encrypted_content: 'state' }, {}, {}], 'it is opened there')
  t.equal(await first(stage, { input, model: 'n' }), 'initech/n', 'another model')
  t.equal(await first(stage, { input, model: 'auto' }), 'globex/m', 'auto goes there')
  const forged = input.map(item =>
    'encrypted_content' in item ? { ...item, encrypted_content: `${String(item.encrypted_content).slice(0, -8)}AAAAAAAA` } : item,
  )
  t.equal(await first(stage, { input: forged }), 'acme/m', 'a forged one goes nowhere')
  stage.failing.set('globex', 'unavailable')
  for (let failure = 0; failure < 5; failure++) await stage.ask({ model: 'globex/m' })
  t.equal(await first(stage, { input }), 'acme/m', 'its circuit is open')
})
