import t, { type Test } from 'tap'
import { MemoryCoordination, type Coordinated, type KeyLimit, type KeySettings } from '../../../core/stores.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import { gateway, hello, saying, type GatewayUnderTest } from '../../kit/gateway.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { ask, listing } from '../../kit/stage.ts'
import { coordinating } from './coordinating.ts'
import { WeakService } from './weak-service.ts'

const minute = 60_000
let keys = 0

interface Place {
  readonly under: GatewayUnderTest
  readonly service: WeakService
}

/** Gateways that count together, with one key. */
async function places(t: Test, count: number, key: Partial<KeySettings>, plugins = [saying('acme', hello)]): Promise<readonly Place[]> {
  const clock = new FakeClock()
  const engine = new MemoryCoordination(clock)
  const id = `shared${++keys}`
  const all: Place[] = []
  const coordinated: Coordinated[] = []
  for (let index = 0; index < count; index++) {
    const service = new WeakService(engine.member(`${id} ${index}`))
    const under = await gateway({
      clock,
      plugins: [...plugins, decisions({}), coordinating(service, each => coordinated.push(each))],
      key: { name: 'k', ...key },
    })
    t.teardown(under.stop)
    all.push({ under, service })
  }
  for (const each of coordinated) await each.beat()
  // One key at all of them.
  const stored = (await all[0]!.under.gateway.keys.list())[0]!
  for (const { under } of all.slice(1)) {
    for (const own of await under.gateway.keys.list()) await under.gateway.keys.remove(own.id)
    await under.gateway.keys.add(stored)
  }
  const { apiKey } = all[0]!.under
  return all.map(place => ({
    ...place,
    under: { ...place.under, request: (path, init) => place.under.request(path, withKey(init, apiKey)) },
  }))
}

function withKey(init: Parameters<GatewayUnderTest['request']>[1], apiKey: string): Parameters<GatewayUnderTest['request']>[1] {
  return { ...init, headers: { ...init?.headers, authorization: `Bearer ${apiKey}` } }
}

function claims({ service }: Place): number {
  return service.asked.filter(name => name === 'claim').length
}

t.test('a limit on requests is one for all gateways', async t => {
  const all = await places(t, 3, { limits: [{ requests: 10, windowMs: minute }] })
  const answers = await Promise.all(Array.from({ length: 24 }, (_, index) => ask(all[index % 3]!.under, { model: 'acme/m' })))
  t.equal(answers.filter(({ status }) => status === 200).length, 10)
  for (const { status, error } of answers) if (status !== 200) t.match([status, error.message], [429, /limit is 10 requests per minute/])
})

const combinations: readonly (readonly [name: string, key: Partial<KeySettings>])[] = [
  ['requests', { limits: [{ requests: 50, windowMs: minute }] }],
  ['tokens', { limits: [{ tokens: 50_000, windowMs: minute }] }],
  ['requests at once', { maxConcurrency: 3 }],
  [
    'all limits',
    {
      maxConcurrency: 3,
      limits: [
        limit('requests', 50, minute),
        limit('requests', 500, 3_600_000),
        limit('tokens', 50_000, minute),
        limit('tokens', 90_000, 3_600_000),
      ],
    },
  ],
]
function limit(unit: 'requests' | 'tokens', most: number, windowMs: number): KeyLimit {
  return unit === 'requests' ? { requests: most, windowMs } : { tokens: most, windowMs }
}
for (const [name, key] of combinations)
  t.test(`a request waits once for limits on ${name}`, async t => {
    const [place] = (await places(t, 1, key)) as [Place]
    for (const body of [{}, { stream: true }, { max_output_tokens: 100 }, { max_output_tokens: 100_000 }]) {
      const before = claims(place)
      t.equal((await ask(place.under, { model: 'acme/m', ...body })).status, 200)
      t.equal(claims(place) - before, 1)
    }
    const before = claims(place)
    await place.under.request('/v1/systemone', {
      body: { model: 'sandbox/dm', state: 's', questions: { q: { type: 'noul', instructions: 'Is it?' } } },
    })
    t.equal(claims(place) - before, 1, 'a decision, too')
  })

t.test('a key without short windows and limits on requests at once waits for nothing', async t => {
  const [place] = (await places(t, 1, {})) as [Place]
  const before = place.service.asked.length
  t.equal((await ask(place.under, { model: 'acme/m' })).status, 200)
  t.equal(place.service.asked.length, before)
})

t.test('what callers are told is the same', async t => {
  const key = { limits: [limit('requests', 2, 360_000), limit('requests', 50, minute), limit('tokens', 10_000, minute)] }
  const [place] = (await places(t, 1, key)) as [Place]
  const first = await ask(place.under, { model: 'acme/m', max_output_tokens: 500 })
  const { 'x-ratelimit-remaining-tokens': remaining, ...rest } = Object.fromEntries(
    [...first.headers].filter(([name]) => name.includes('ratelimit')),
  )
  t.same(rest, {
    'x-ratelimit-limit-requests': '2',
    'x-ratelimit-remaining-requests': '1',
    'x-ratelimit-reset-requests': '6m0s',
    'x-ratelimit-limit-tokens': '10000',
    'x-ratelimit-reset-tokens': '1m0s',
  })
  t.ok(Number(remaining) < 9_500 && Number(remaining) > 9_400, `${remaining} tokens are left`)
  const large = await ask(place.under, { model: 'acme/m', max_output_tokens: 50_000 })
  t.equal(large.status, 429)
  t.match(
    large.error.message,
    /^This request needs about 327\d\d tokens, and this API key's limit is 10000 tokens per minute\. Ask for fewer/,
  )
  const refused = await ask(place.under, { model: 'acme/m', max_output_tokens: 5 })
  t.match(
    [refused.status, refused.error.message],
    [429, /limit is 2 requests per 6 minutes/],
    'the one that needed too much counted as a request',
  )
})

t.test('a hold is as large as the endpoint needs, and ends as what was used', async t => {
  const [place] = (await places(t, 1, { maxConcurrency: 1, limits: [limit('tokens', 10_000, minute)] }, [
    saying('acme', hello),
    listing({ model: 'm', endpoints: [{ provider: 'acme', maxOutputTokens: 300 }] }),
  ])) as [Place]
  const { status, headers } = await ask(place.under, { model: 'acme/m', max_output_tokens: 20_000 })
  t.equal(status, 200, 'the endpoint generates at most 300')
  t.match(headers.get('x-ratelimit-remaining-tokens'), /^96\d\d$/)
  const after = await ask(place.under, { model: 'acme/m', max_output_tokens: 9_500 })
  t.equal(after.status, 200, 'and the place is free')
})

t.test('a key that may have one request at once can send the next when the last one ended, at any gateway', async t => {
  const all = await places(t, 3, { maxConcurrency: 1 })
  for (let request = 0; request < 30; request++) t.equal((await ask(all[request % 3]!.under, { model: 'acme/m' })).status, 200)
  const together = await Promise.all(all.map(({ under }) => ask(under, { model: 'acme/m' })))
  t.equal(together.filter(({ status }) => status === 200).length, 1)
  t.match(together.find(({ status }) => status === 429)?.error.message, /may have 1 request to models in progress at once/)
})

t.test('a refused request gives back what it took', async t => {
  const [place] = (await places(t, 1, { maxConcurrency: 1, limits: [limit('tokens', 10_000, minute)] })) as [Place]
  for (let request = 0; request < 5; request++)
    t.equal((await ask(place.under, { model: 'nobody/m', max_output_tokens: 9_000 })).status, 400)
  t.equal((await ask(place.under, { model: 'acme/m', max_output_tokens: 9_900 })).status, 200)
})

t.test('an exact limit is refused while gateways cannot count together, and others are shared out', async t => {
  const all = await places(t, 2, { limits: [limit('requests', 5, minute)] })
  const exact = await places(t, 2, { limits: [{ requests: 5, windowMs: minute, exact: true }] })
  for (const { service } of [...all, ...exact]) service.mode = 'fails'
  const asked = async (of: readonly Place[]): Promise<readonly number[]> =>
    (await Promise.all(Array.from({ length: 20 }, (_, index) => ask(of[index % 2]!.under, { model: 'acme/m' })))).map(
      ({ status }) => status,
    )
  t.equal((await asked(all)).filter(status => status === 200).length, 6, 'the limit and one less than there are gateways')
  t.same([...new Set(await asked(exact))], [503])
  const { error, headers } = await ask(exact[0]!.under, { model: 'acme/m' })
  t.match(error, { code: 'server_error', message: /exact limit, which cannot be kept now/ })
  t.equal(headers.get('retry-after'), '1')
})
