import t from 'tap'
import { definePlugin, invalidRequest, Routes } from '../../../core/index.ts'
import { rateLimitHeadersUnder } from '../../../core/kit.ts'
import { RateLimiter, type TokenWindow } from '../../../core/stores.ts'
import { testGateway } from '../../../core/testing/index.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import { gateway, hello, saying } from '../../kit/gateway.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { ask, providing } from '../../kit/stage.ts'

const minute = 60_000
const limits = [
  { requests: 2, windowMs: 360_000 },
  { requests: 50, windowMs: minute },
  { tokens: 10_000, windowMs: minute },
]

function told(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.includes('ratelimit')))
}

for (const store of ['memory', 'SQLite'])
  for (const stream of [false, true])
    t.test(`replies and refusals tell how the windows stand, with ${store}${stream ? ', streamed' : ''}`, async t => {
      const clock = new FakeClock()
      const plugins = store === 'memory' ? [memory({})] : [sql({ file: `${t.testdir()}/turnpike.db` })]
      const under = await testGateway({
        clock,
        plugins: [...plugins, localSealer({ masterKey: 'ab'.repeat(32) }), responses({}), saying('acme', hello)],
        key: { name: 'k', limits },
      })
      t.teardown(under.stop)
      const first = await ask(under, { model: 'acme/m', stream, max_output_tokens: 500 })
      const { 'x-ratelimit-remaining-tokens': remaining, ...rest } = told(first.headers)
      t.same(rest, {
        'x-ratelimit-limit-requests': '2',
        'x-ratelimit-remaining-requests': '1',
        'x-ratelimit-reset-requests': '6m0s',
        'x-ratelimit-limit-tokens': '10000',
        'x-ratelimit-reset-tokens': '1m0s',
      })
      t.ok(Number(remaining) < 9_500 && Number(remaining) > 9_400, `${remaining} tokens are left`)
      clock.pass(30_000)
      const mistaken = await ask(under, { model: 'nobody/m', stream })
      t.equal(mistaken.status, 400)
      t.match(told(mistaken.headers), { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '5m30s' })
      const refused = await ask(under, { model: 'acme/m', stream })
      t.equal(refused.status, 429)
      t.equal(refused.headers.get('retry-after'), '330')
      t.match(told(refused.headers), { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '5m30s' })
    })

t.test('a request that needs more tokens than are left is told how many are', async t => {
  const under = await gateway({ plugins: [saying('acme', hello)], key: { name: 'k', limits: [{ tokens: 1_000, windowMs: minute }] } })
  t.teardown(under.stop)
  const refused = await ask(under, { model: 'acme/m', max_output_tokens: 5_000 })
  t.equal(refused.status, 429)
  t.match(told(refused.headers), { 'x-ratelimit-limit-tokens': '1000', 'x-ratelimit-remaining-tokens': '1000' })
  t.notMatch(Object.keys(told(refused.headers)).join(), 'requests')
})

t.test('decisions tell it, too, and requests that count in no window do not', async t => {
  const under = await gateway({ plugins: [saying('acme', hello), decisions({})], key: { name: 'k', limits } })
  t.teardown(under.stop)
  const body = { model: 'sandbox/dm', state: 's', questions: { q: { type: 'noul', instructions: 'Is it?' } } }
  const decided = await under.request('/v1/systemone', { body })
  t.match(told(decided.headers), { 'x-ratelimit-remaining-requests': '1', 'x-ratelimit-limit-tokens': '10000' })
  t.same(told((await under.request('/v1/models')).headers), {})
  t.same(told((await ask(under, { model: 5 })).headers), {}, 'refused before it counts')
})

t.test('a key without windows costs nothing and has no such headers', async t => {
  const under = await gateway({
    plugins: [
      saying('acme', hello),
      providing(RateLimiter, { reserve: () => t.fail('the limiter was asked') as never, enter: () => () => {} }),
    ],
    key: { name: 'k', maxConcurrency: 5 },
  })
  t.teardown(under.stop)
  for (const stream of [false, true]) t.same(told((await ask(under, { model: 'acme/m', stream })).headers), {})
})

t.test('a limiter that does not tell how the windows stand is enough', async t => {
  const hold = { extend: () => true, settle: () => {}, release: () => {} }
  const reserved: (readonly TokenWindow[])[] = []
  const limiter: RateLimiter = {
    reserve: windows => {
      reserved.push(windows)
      return hold
    },
    enter: () => () => {},
  }
  const under = await gateway({ plugins: [saying('acme', hello), providing(RateLimiter, limiter)], key: { name: 'k', limits } })
  t.teardown(under.stop)
  const { status, headers } = await ask(under, { model: 'acme/m' })
  t.equal(status, 200)
  t.same(told(headers), {})
  t.equal(reserved.length, 2, 'once for requests and once for tokens')
})

t.test('a surface chooses the format, and a mistake in it costs only the headers', async t => {
  const surface = definePlugin({
    name: 'surface',
    options: { type: 'object', additionalProperties: false, properties: {} },
    setup(registrar) {
      const route = { method: 'POST', auth: 'key' } as const
      const answer = (): never => {
        throw invalidRequest('no')
      }
      const reply = { status: 200, headers: { 'acme-ratelimit-requests-limit': 'own' }, body: '{}' }
      const windows = [{ unit: 'requests', limit: 5, windowMs: minute, left: 4, refillsAt: Date.UTC(2026, 0, 1) }] as const
      const rateLimitHeaders = rateLimitHeadersUnder('acme-ratelimit')
      registrar.add(Routes, {
        ...route,
        path: '/v1/good',
        rateLimitHeaders,
        handle: exchange => {
          exchange.windows = windows
          return reply
        },
      })
      registrar.add(Routes, {
        ...route,
        path: '/v1/refusing',
        rateLimitHeaders,
        handle: exchange => {
          exchange.windows = windows
          return answer()
        },
      })
      registrar.add(Routes, {
        ...route,
        path: '/v1/bad',
        rateLimitHeaders: () => {
          throw new Error('oops')
        },
        handle: exchange => {
          exchange.windows = windows
          return reply
        },
      })
    },
  })
  const under = await gateway({ plugins: [surface({})], settings: { logLevel: 'silent' } })
  t.teardown(under.stop)
  const post = async (path: string): Promise<Response> => await under.request(path, { body: {} })
  const shown = { 'acme-ratelimit-requests-remaining': '4', 'acme-ratelimit-requests-reset': '2026-01-01T00:00:00Z' }
  t.same(told((await post('/v1/good')).headers), { ...shown, 'acme-ratelimit-requests-limit': 'own' }, 'its own headers win')
  const refused = await post('/v1/refusing')
  t.equal(refused.status, 400)
  t.same(told(refused.headers), { ...shown, 'acme-ratelimit-requests-limit': '5' })
  const bad = await post('/v1/bad')
  t.equal(bad.status, 200)
  t.same(told(bad.headers), { 'acme-ratelimit-requests-limit': 'own' })
})
