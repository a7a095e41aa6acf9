import assert from 'node:assert/strict'
import { test } from 'node:test'
import responses from 'turnpike/plugins/endpoints/responses'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, sortOrder, testGateway } from 'turnpike/testing'
import value from '../value.ts'

await conformance(value({}), { test })

test('the most tokens per second and dollar come first, and endpoints without data last', () => {
  const { order } = sortOrder(value({}), 'value', {
    unpriced: { metrics: { throughput: 500 } },
    quick: { metrics: { throughput: 100 }, costUsd: 0.02 },
    cheap: { metrics: { throughput: 50 }, costUsd: 0.001 },
    free: { metrics: { throughput: 10 }, costUsd: 0 },
  })
  assert.deepEqual(order, ['free', 'cheap', 'quick', 'unpriced'])
})

test('a request may ask for it, and a misspelled one is told so', async () => {
  const gateway = await testGateway({
    plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), responses({}), sandbox({}), value({})],
  })
  const ask = (sort: string) =>
    gateway.request('/v1/responses', { body: { model: 'sandbox/echo', input: 'hello', routing: { provider: { sort } } } })
  assert.equal((await ask('value')).status, 200)
  const refused = await ask('valu')
  assert.equal(refused.status, 400)
  const { error } = (await refused.json()) as { readonly error: { readonly message: string; readonly param: string } }
  assert.equal(error.param, 'routing.provider.sort')
  assert.match(error.message, /Did you mean value\?/)
  await gateway.stop()
})
