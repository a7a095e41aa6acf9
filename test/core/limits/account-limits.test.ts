import t from 'tap'
import { EarlyTokens } from '../../../core/limits/early-tokens.ts'
import { RequestLimits } from '../../../core/limits/request-limits.ts'
import { periodEnd, periodStart } from '../../../core/limits/spend-period.ts'
import type { KeyLimit } from '../../../core/contracts/key-store.ts'
import { Gate } from '../../../core/testing/index.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import { MemoryLimits } from '../../../plugins/stores/memory/limits.ts'
import { account, org, stores, team, user } from '../../kit/accounts.ts'
import { gateway, hello, saying, scripted } from '../../kit/gateway.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { ask, listing, stop, text, usage, witness } from '../../kit/stage.ts'

const price = { input: 10, output: 100 }
const listed = (provider: string, more: object = {}) => ({ provider, price, maxOutputTokens: 8_192, contextWindow: 100_000, ...more })
const owner = { org: 'example', team: 'research', user: 'ada' }

t.test('a cap of every level holds, and the 402 names the level', async t => {
  for (const ref of [org, team, user]) {
    const given = stores()
    const acme = witness('acme', () => [text('a'), usage(9, 1), stop])
    const under = await gateway({
      plugins: [
        given.plugin,
        acme.plugin,
        listing({ model: 'm', endpoints: [listed('acme')] }, { model: 'free', endpoints: [{ provider: 'acme' }] }),
      ],
      key: { name: 'k', ...owner },
    })
    const { accounts } = given.of()
    t.equal((await ask(under, { model: 'm' })).status, 200, 'without an account')
    await accounts.add(account(ref, { spendCapUsd: 0.00009, spendPeriod: 'month' }))
    for (const stream of [true, false]) {
      const { status, error } = await ask(under, { model: 'm', stream })
      t.equal(status, 402)
      t.match(error, { type: 'insufficient_credits', code: 'insufficient_credits' })
      const noun = { org: 'organization', team: 'team', user: 'user' }[ref.level as 'org']
      t.match(error.message, new RegExp(`The spend cap of the ${noun} leaves no room .* It starts again at \\d{4}-\\d\\d-01T00:00:00`))
      t.notMatch(error.message, '0.00009', 'but not how much that is')
    }
    t.equal((await ask(under, { model: 'free' })).status, 402, 'a price that is unknown could pass the cap')
    await accounts.update(ref, { spendCapUsd: undefined })
    t.equal((await ask(under, { model: 'm' })).status, 200, 'a lifted cap')
    await under.stop()
  }
})

t.test('200 requests of two keys never pass the cap of their team, and a balance equals its entries', async t => {
  const given = stores()
  const acme = witness('acme', ({ request }) => [text('a'), usage(9, request.max_output_tokens ?? 8_192), stop])
  const under = await gateway({
    plugins: [given.plugin, acme.plugin, listing({ model: 'm', endpoints: [listed('acme')] })],
    key: { name: 'k', ...owner },
  })
  t.teardown(under.stop)
  const { accounts, ledger } = given.of()
  await accounts.add(account(team, { spendCapUsd: 0.5 }))
  await ledger.addCredit({ id: 'cred_1', org: 'example', at: 1, amountUsd: 0.3, note: null, requestId: null })
  await accounts.add(account(org, { hasCredit: true }))
  const other = await under.gateway.issueKey({ name: 'other', org: 'example', team: 'research' })
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      under.request('/v1/responses', {
        body: { model: 'm', input: 'hi', max_output_tokens: 100 },
        ...(index % 2 === 0 && { headers: { authorization: `Bearer ${other}` } }),
      }),
    ),
  )
  const served = answers.filter(({ status }) => status === 200)
  const records = await Promise.all(served.map(({ headers }) => under.record(headers.get('x-request-id')!)))
  const spent = records.reduce((sum, { costUsd }) => sum + costUsd!, 0)
  t.ok(spent <= 0.3 && spent > 0.28, `${spent} USD of the credit of 0.3`)
  const entries = await ledger.entries('example', { limit: 1_000 })
  const balance = await ledger.balance('example')
  t.ok(Math.abs(0.3 - spent - balance) < 1e-9)
  t.ok(Math.abs(entries.reduce((sum, { amountUsd }) => sum + amountUsd, 0) - balance) < 1e-9)
  t.same(new Set(entries.map(({ requestId }) => requestId)).size, served.length + 1)
  const refused = await under.request('/v1/responses', { body: { model: 'm', input: 'hi' } })
  t.equal(refused.status, 402)
  t.match(await refused.json(), { error: { message: /The credit of the organization leaves no room/ } })
})

t.test('aliases and patterns allow models, and no alias gets around them', async t => {
  const cases: readonly (readonly [
    models: readonly string[] | undefined,
    providers: readonly string[] | undefined,
    model: string,
    status: number,
  ])[] = [
    [['tiny'], undefined, 'small', 200],
    [['tiny'], undefined, 'tiny', 200],
    [['tiny'], undefined, 'large', 403],
    [['small'], undefined, 'tiny', 200],
    [['large'], undefined, 'tiny', 403],
    [['sm*'], undefined, 'tiny', 200],
    [['t*'], undefined, 'tiny', 403],
    [['*'], undefined, 'large', 200],
    [['acme/*'], undefined, 'acme/anything', 200],
    [['acme/*'], undefined, 'globex/anything', 403],
    [['acme/tiny'], undefined, 'small', 200],
    [['*l*l*'], undefined, 'small', 200],
    [['*l*l*l*'], undefined, 'small', 403],
    [['s*ll'], undefined, 'small', 200],
    [['ac*'], undefined, 'acme/anything', 403],
    [['smal*all'], undefined, 'small', 403],
    [undefined, ['ac*'], 'acme/anything', 200],
    [undefined, ['ac*'], 'globex/anything', 403],
    [undefined, ['*x'], 'small', 200],
  ]
  for (const [models, providers, model, status] of cases) {
    const under = await gateway({
      plugins: [
        saying('acme', hello),
        saying('globex', hello),
        listing(
          { model: 'small', aliases: ['tiny'], endpoints: [{ provider: 'acme' }, { provider: 'globex' }] },
          { model: 'large', endpoints: [{ provider: 'acme' }] },
        ),
      ],
      key: { name: 'k', models, providers },
    })
    t.equal((await ask(under, { model })).status, status, JSON.stringify([models, providers, model]))
    await under.stop()
  }
})

t.test('decisions and responses share the windows of requests, and every window counts', async t => {
  const clock = new FakeClock()
  const under = await gateway({
    clock,
    plugins: [saying('acme', hello), decisions({})],
    key: {
      name: 'k',
      limits: [
        { requests: 100, windowMs: 60_000 },
        { requests: 3, windowMs: 3_600_000 },
      ],
    },
  })
  t.teardown(under.stop)
  const decide = { model: 'sandbox/dm', state: 's', questions: { q: { type: 'noul', instructions: 'Is it?' } } }
  t.equal((await under.request('/v1/systemone', { body: decide })).status, 200)
  t.equal((await ask(under, { model: 'acme/m' })).status, 200)
  t.equal((await ask(under, { model: 'nobody/m' })).status, 400, 'a request that fails counts, too')
  clock.pass(1_200_000)
  for (const stream of [true, false]) {
    const { status, error, headers } = await ask(under, { model: 'acme/m', stream })
    t.equal(status, 429)
    t.match(error.message, /limit is 3 requests per hour\. Please try again in 2400s/)
    t.equal(headers.get('retry-after'), '2400')
  }
  const refused = await under.request('/v1/systemone', { body: decide })
  t.equal(refused.status, 429)
  t.ok(refused.headers.get('retry-after'))
  t.equal((await under.request('/v1/models')).status, 200, 'only requests to models count')
})

t.test('a request that one window refuses counts in none, and is told the longest wait', async t => {
  const limits = new RequestLimits(new MemoryLimits(new FakeClock()), new EarlyTokens())
  const minute = { requests: 1, windowMs: 60_000 }
  const hour = { requests: 3, windowMs: 3_600_000 }
  const enter = async (...of: readonly KeyLimit[]): Promise<unknown> =>
    await limits.enter({ id: 'k', name: 'k', org: 'example', hash: '', policy: {}, createdAt: 0, limits: of })
  await enter(hour, minute)
  for (let request = 1; request <= 5; request++) await t.rejects(enter(hour, minute), { message: /limit is 1 request per minute/ })
  await enter(hour)
  await enter(hour)
  for (const order of [
    [hour, minute],
    [minute, hour],
  ])
    await t.rejects(enter(...order), { message: /limit is 3 requests per hour/ })
})

t.test('a key has at most so many requests in progress, and room again when one ends', async t => {
  const gate = new Gate()
  const under = await gateway({
    plugins: [
      scripted('slow', async function* () {
        await gate.pass()
        yield* hello
      }),
      saying('acme', hello),
    ],
    key: { name: 'k', maxConcurrency: 1 },
  })
  t.teardown(under.stop)
  const first = ask(under, { model: 'slow/m' })
  await gate.reached
  const { status, error, headers } = await ask(under, { model: 'acme/m' })
  t.equal(status, 429)
  t.match(error.message, /may have 1 request to models in progress at once/)
  t.equal(headers.get('retry-after'), '1')
  gate.open()
  t.equal((await first).status, 200)
  t.equal((await ask(under, { model: 'acme/m' })).status, 200)
  t.equal((await ask(under, { model: 'nobody/m' })).status, 400)
  t.equal((await ask(under, { model: 'acme/m' })).status, 200, 'a request that failed has left')
})

t.test('a key works until it expires', async t => {
  const clock = { time: Date.UTC(2026, 0, 1), now: () => clock.time, elapsed: () => clock.time }
  const under = await gateway({ clock, key: { name: 'k', expiresAt: clock.time + 1_000 } })
  t.teardown(under.stop)
  t.equal((await under.request('/v1/models')).status, 200)
  clock.time += 1_000
  const reply = await under.request('/v1/models')
  t.equal(reply.status, 401)
  t.match(await reply.json(), { error: { code: 'invalid_api_key', message: 'The API key expired at 2026-01-01T00:00:01.000Z.' } })
})

t.test('periods in UTC', async t => {
  const at = Date.UTC(2026, 10, 22, 5, 30)
  const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16)
  t.same([iso(periodStart('day', at)), iso(periodEnd('day', at))], ['2026-11-22T00:00', '2026-11-23T00:00'])
  t.same([iso(periodStart('week', at)), iso(periodEnd('week', at))], ['2026-11-16T00:00', '2026-11-23T00:00'])
  t.same([iso(periodStart('month', at)), iso(periodEnd('month', at))], ['2026-11-01T00:00', '2026-12-01T00:00'])
  t.same([periodStart(undefined, at), periodEnd(undefined, at)], [0, Infinity])
  t.same(iso(periodStart('week', Date.UTC(2026, 10, 23))), '2026-11-23T00:00', 'a Monday')
})
