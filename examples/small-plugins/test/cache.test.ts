import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CatalogSources, definePlugin } from 'turnpike'
import responses from 'turnpike/plugins/endpoints/responses'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import cache from '../cache.ts'

const plugins = () => [memory({}), localSealer({ masterKey: '0'.repeat(64) }), responses({})]
const base = [...plugins(), sandbox({})]
const body = { model: 'sandbox/echo', input: 'the launch code' }

test('the cache answers a request that the same caller repeats', async () => {
  const gateway = await testGateway({ plugins: [...base, cache({})] })
  const attempts = async (more: object = {}) => {
    const reply = await gateway.request('/v1/responses', { body: { ...body, ...more } })
    assert.match(await reply.text(), /the launch code/)
    return reply.headers.get('x-gateway-attempts')
  }
  assert.equal(await attempts(), '1')
  assert.equal(await attempts(), '0')
  assert.equal(await attempts({ stream: true }), '0')
  assert.equal(await attempts({ input: 'the launch code, please' }), '1')
  await gateway.stop()
})

test('the cache gives no answer of a model that the key may not use', async () => {
  const models = definePlugin({
    name: 'acme-models',
    options: { type: 'object', additionalProperties: false, properties: {} },
    setup(gateway) {
      const endpoints = [{ provider: 'sandbox', upstreamModel: 'echo' }]
      gateway.add(CatalogSources, { name: 'acme-models', entries: () => ['one', 'two'].map(model => ({ model, auto: true, endpoints })) })
    },
  })
  const gateway = await testGateway({ plugins: [...base, models({}), cache({})] })
  const policy = { logging: { value: true } }
  const keys = await Promise.all(
    [['one'], ['two'], ['one']].map(models => gateway.gateway.issueKey({ name: 'demo', user: 'jane', models, policy })),
  )
  const attempts: (string | null)[] = []
  for (const apiKey of keys) {
    const headers = { authorization: `Bearer ${apiKey}` }
    attempts.push((await gateway.request('/v1/responses', { headers, body: { ...body, model: 'auto' } })).headers.get('x-gateway-attempts'))
  }
  assert.deepEqual(attempts, ['1', '1', '1'])
  await gateway.stop()
})

test('the cache is not asked for a key without logging', async () => {
  const gateway = await testGateway({ plugins: [...base, cache({})], key: {} })
  for (const _ of [1, 2]) assert.equal((await gateway.request('/v1/responses', { body })).headers.get('x-gateway-attempts'), '1')
  await gateway.stop()
})

await conformance(cache({}), { test })
