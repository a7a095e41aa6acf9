import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { CatalogSources, definePlugin } from 'turnpike'
import responses from 'turnpike/plugins/endpoints/responses'
import accountPolicies from 'turnpike/plugins/policies/accounts'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { auditTrailSuite, callObserverSuite, callWrapperSuite, engineSuite, testGateway } from 'turnpike/testing'
import alertChannel from '../alert-channel.ts'
import auditTrail, { AuditFile } from '../audit-trail.ts'
import cache from '../cache.ts'
import guardrail from '../guardrail.ts'
import logSink from '../log-sink.ts'
import policySource from '../policy-source.ts'
import route from '../route.ts'
import searchEngine from '../search-engine.ts'
import tracer from '../tracer.ts'

const plugins = () => [memory({}), localSealer({ masterKey: '0'.repeat(64) }), responses({})]
const base = [...plugins(), sandbox({})]
const body = { model: 'sandbox/echo', input: 'the launch code' }

test('the alert channel is there', async () => {
  const { gateway, stop } = await testGateway({ plugins: [...base, alertChannel({})] })
  assert.ok(gateway.contributions.some(({ contract, name }) => contract === 'AlertChannels' && name === 'acme-alerts'))
  await stop()
})

test('the guardrail refuses a forbidden word, for keys with redaction only', async () => {
  for (const [redaction, status] of [
    [true, 400],
    [false, 200],
  ] as const) {
    const gateway = await testGateway({
      plugins: [...base, guardrail({ words: ['launch code'] })],
      key: { policy: { redaction: { value: redaction } } },
    })
    assert.equal((await gateway.request('/v1/responses', { body })).status, status)
    assert.equal((await gateway.request('/v1/responses', { body: { ...body, input: 'hello' } })).status, 200)
    await gateway.stop()
  }
})

test('the policy source turns logging off for an organization', async () => {
  const gateway = await testGateway({ plugins: [...base, policySource({ unlogged: ['default'] })] })
  const reply = (await (await gateway.request('/v1/responses', { body })).json()) as { readonly store: boolean }
  assert.equal(reply.store, false)
  await gateway.stop()
})

test('the policy source runs along with the policies of accounts', async () => {
  const gateway = await testGateway({ plugins: [...base, accountPolicies({}), policySource({ unlogged: ['default'] })] })
  const reply = (await (await gateway.request('/v1/responses', { body })).json()) as { readonly store: boolean }
  assert.equal(reply.store, false)
  await gateway.stop()
})

test('the log sink writes a line for each request', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'acme-costs-'))
  try {
    const gateway = await testGateway({ plugins: [...base, logSink({ file: 'costs.jsonl' })], folder })
    await gateway.request('/v1/responses', { body })
    await gateway.stop()
    const { model, costUsd } = JSON.parse(readFileSync(join(folder, 'costs.jsonl'), 'utf8')) as Record<string, unknown>
    assert.equal(model, 'echo')
    assert.equal(typeof costUsd, 'number')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the route names the key', async () => {
  const gateway = await testGateway({ plugins: [...base, route({})], key: { name: 'demo', org: 'acme' } })
  assert.deepEqual(await (await gateway.request('/v1/whoami')).json(), { key: 'demo', org: 'acme' })
  await gateway.stop()
})

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

test('the tracer prints a line for the attempt and one for the call', async () => {
  const gateway = await testGateway({ plugins: [...base, tracer({})] })
  await gateway.request('/v1/responses', { body })
  const lines = gateway.logs.map(line => JSON.parse(line) as Record<string, unknown>).filter(({ plugin }) => plugin === 'acme-tracer')
  assert.deepEqual(
    lines.map(({ message, outcome }) => [message, outcome]),
    [
      ['attempt', 'ok'],
      ['generation', 'ok'],
    ],
  )
  await gateway.stop()
})

auditTrailSuite(
  { test },
  {
    open() {
      const folder = mkdtempSync(join(tmpdir(), 'acme-audit-'))
      return { audit: new AuditFile(join(folder, 'audit.jsonl')), close: () => rmSync(folder, { recursive: true }) }
    },
  },
)

test('the audit trail takes the place of the one in memory', async () => {
  const gateway = await testGateway({ plugins: [...base, auditTrail({ file: join(tmpdir(), 'acme-audit.jsonl') })] })
  assert.equal((await gateway.request('/v1/responses', { body })).status, 200)
  await gateway.stop()
})

callWrapperSuite({ test }, { plugin: () => cache({}), plugins })

callObserverSuite({ test }, { plugin: () => tracer({}), plugins })

const apiKey = 'acme_demo_1234567890'

engineSuite(
  { test },
  {
    plugin: options => searchEngine({ apiKey, ...options }),
    secrets: [apiKey],
    examples: [
      {
        name: 'domains and the place in the query',
        query: { query: 'weather', maxResults: 3, allowedDomains: ['example.com'], userLocation: { country: 'DE', city: 'Potsdam' } },
        sent: {
          method: 'POST',
          path: '/search',
          headers: { authorization: `Bearer ${apiKey}` },
          body: { q: 'weather Potsdam Germany site:example.com', count: 3 },
        },
        reply: { hits: [{ link: 'https://example.com/weather', title: 'Weather', snippet: 'Sunny.' }] },
        pages: [{ url: 'https://example.com/weather', title: 'Weather', text: 'Sunny.' }],
      },
    ],
    empty: [{ body: { hits: [] } }],
    failures: [{ status: 401, body: { error: 'unknown key' }, kind: 'auth' }],
  },
)
