import t, { type Test } from 'tap'
import type { PluginUse } from '../../../core/index.ts'
import { Ledger, periodEnd, RateLimiter, type KeySettings } from '../../../core/stores.ts'
import { testGateway, type TestGateway } from '../../../core/testing/index.ts'
import key from '../../../plugins/endpoints/key/index.ts'
import models from '../../../plugins/endpoints/models/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import accountPolicies from '../../../plugins/policies/accounts/index.ts'
import zdr from '../../../plugins/guardrails/zdr/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import { account, org, stores, team } from '../../kit/accounts.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { ask, listing, providing, stop, text, usage, witness } from '../../kit/stage.ts'

const start = Date.UTC(2026, 0, 15)
const seconds = (milliseconds: number): number => milliseconds / 1_000
/** A token of input or output is a cent. */
const price = { input: 10_000, output: 10_000 }
const hourMs = 3_600_000

interface Under extends TestGateway {
  readonly clock: FakeClock
  readonly stores: ReturnType<typeof stores>
  get(
    path?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly body: any; readonly text: string }>
}

async function open(t: Test, store: PluginUse, settings: Partial<KeySettings> = {}, more: readonly PluginUse[] = []): Promise<Under> {
  const clock = new FakeClock(start)
  const given = stores()
  const acme = witness('acme', () => [text('a'), usage(3, 2), stop])
  const catalog = listing({ model: 'm', endpoints: [{ provider: 'acme', price, contextWindow: 1_000, maxOutputTokens: 10 }] })
  const sealer = localSealer({ masterKey: 'ab'.repeat(32) })
  const surfaces = [responses({}), models({}), key({}), zdr({}), accountPolicies({})]
  const under = await testGateway({
    clock,
    plugins: [store, sealer, ...surfaces, acme.plugin, catalog, given.plugin, ...more],
    key: { name: 'demo', org: 'example', team: 'research', ...settings },
  })
  t.teardown(under.stop)
  return {
    ...under,
    clock,
    stores: given,
    async get(path = '/v1/key', headers = {}) {
      const reply = await under.request(path, { headers })
      const text = await reply.text()
      return { status: reply.status, body: JSON.parse(text), text }
    },
  }
}

const everyStore = {
  memory: () => memory({}),
  SQLite: (t: Test) => sql({ file: `${t.testdir()}/turnpike.db` }),
}

for (const [name, store] of Object.entries(everyStore)) {
  t.test(`a key without limits, with ${name}`, async t => {
    const under = await open(t, store(t))
    const off = { value: false, source: 'key' }
    const { status, body } = await under.get()
    t.equal(status, 200)
    t.same(body, {
      object: 'key',
      id: under.apiKey.split('_')[1],
      name: 'demo',
      created_at: seconds(start),
      expires_at: null,
      models: null,
      providers: null,
      policy: { zdr: off, logging: off, hipaa: off, redaction: off },
      spend: { cap_usd: null, period: null, spent_usd: 0, held_usd: null, remaining_usd: null, resets_at: null },
      credit: { remaining_usd: null },
      remaining_usd: null,
      limits: [],
      max_concurrency: null,
    })
    const credits = { object: 'credits', spent_usd: 0, remaining_usd: null, data: { total_credits: null, total_usage: 0 } }
    t.same((await under.get('/v1/credits')).body, credits)
  })

  t.test(`the caps, the windows and the credit of a key, with ${name}`, async t => {
    const limits = [
      { requests: 5, windowMs: 60_000 },
      { tokens: 10_000, windowMs: 24 * hourMs },
    ]
    const under = await open(t, store(t), {
      spendCapUsd: 2,
      spendPeriod: 'month',
      limits,
      maxConcurrency: 3,
      models: ['m', 'other-*'],
      providers: ['acme'],
      expiresAt: start + 48 * hourMs,
      policy: { logging: { value: true } },
    })
    t.same(
      (await under.get()).body.limits,
      [
        { requests: 5, window_s: 60, remaining: 5, refills_at: null },
        { tokens: 10_000, window_s: 86_400, remaining: 10_000, refills_at: null },
      ],
      'asking begins no window',
    )
    t.equal((await ask(under, { model: 'm' })).status, 200)
    under.clock.pass(1_000)
    t.match((await under.get()).body, {
      expires_at: seconds(start + 48 * hourMs),
      models: ['m', 'other-*'],
      providers: ['acme'],
      policy: { logging: { value: true, source: 'key' } },
      spend: {
        cap_usd: 2,
        period: 'month',
        spent_usd: 0.05,
        held_usd: 0,
        remaining_usd: 1.95,
        resets_at: seconds(periodEnd('month', name === 'memory' ? start : Date.now())),
      },
      credit: { remaining_usd: null },
      remaining_usd: 1.95,
      limits: [
        { requests: 5, window_s: 60, remaining: 4, refills_at: seconds(start + 60_000) },
        { tokens: 10_000, window_s: 86_400, remaining: 9_995, refills_at: seconds(start + 24 * hourMs) },
      ],
      max_concurrency: 3,
    })

    const { accounts, ledger } = under.stores.of()
    await accounts.add(account(team, { spendCapUsd: 1.5 }))
    t.match((await under.get()).body, { credit: { remaining_usd: 1.5 }, remaining_usd: 1.5 })
    await ledger.addCredit({ id: 'cred_1', org: 'example', at: 1, amountUsd: 0.75, note: null, requestId: null })
    await accounts.add(account(org, { hasCredit: true, policy: { zdr: { value: true, enforced: true } } }))
    const { body, text } = await under.get()
    t.match(body, { credit: { remaining_usd: 0.75 }, remaining_usd: 0.75, policy: { zdr: { value: true, source: 'org' } } })
    t.notMatch(text, /1\.5|research|example/, 'only the least that is left above the key is shown')
    t.match((await under.get('/v1/credits')).body, {
      spent_usd: 0.05,
      remaining_usd: 0.75,
      data: { total_credits: 0.8, total_usage: 0.05 },
    })
    under.clock.pass(24 * hourMs)
    t.match((await under.get()).body.limits, [{ remaining: 5 }, { remaining: 10_000, refills_at: null }])
    t.equal((await under.get('/v1/key/')).status, 200)
  })

  t.test(`exactly as many requests as are left get through, all at once, with ${name}`, async t => {
    const under = await open(t, store(t), { limits: [{ requests: 20, windowMs: hourMs }], spendCapUsd: 0.5 })
    for (let asked = 0; asked < 3; asked++) await ask(under, { model: 'm', max_output_tokens: 2 })
    const { limits, remaining_usd } = (await under.get()).body
    t.same([limits[0].remaining, remaining_usd], [17, 0.35])
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(under, { model: 'm', max_output_tokens: 2 })))
    t.equal(answers.filter(({ status }) => status !== 429).length, limits[0].remaining)
    t.ok(answers.every(({ status, headers }) => status !== 429 || headers.get('x-ratelimit-remaining-requests') === '0'))
    const told = answers.filter(({ status }) => status !== 429).map(({ headers }) => Number(headers.get('x-ratelimit-remaining-requests')))
    t.same(
      told.toSorted((a, b) => b - a),
      Array.from({ length: 17 }, (_, index) => 16 - index),
      'each is told another number',
    )
    t.equal((await under.get()).body.limits[0].remaining, 0)
  })

  t.test(`no caller sees or changes what belongs to another key, with ${name}`, async t => {
    const limits = [{ requests: 5, windowMs: hourMs }]
    const under = await open(t, store(t), { spendCapUsd: 2, limits })
    const other = await under.gateway.issueKey({ name: 'theirs', org: 'other', spendCapUsd: 7, limits })
    const theirs = { authorization: `Bearer ${other}` }
    t.equal((await ask(under, { model: 'm' })).status, 200)
    const { status, body } = await under.get(`/v1/key?id=${under.apiKey.split('_')[1]}&org=example`, theirs)
    t.equal(status, 200)
    t.match(body, { name: 'theirs', spend: { cap_usd: 7, spent_usd: 0 }, limits: [{ remaining: 5 }] })
    t.notMatch(JSON.stringify(body), under.apiKey.split('_')[1]!)

    const asked = await Promise.all(Array.from({ length: 200 }, (_, index) => under.get('/v1/key', index % 2 ? theirs : {})))
    t.ok(asked.every(({ status, body }, index) => status === 200 && body.name === (index % 2 ? 'theirs' : 'demo')))
    t.match((await under.get()).body, { spend: { spent_usd: 0.05 }, limits: [{ remaining: 4 }] }, 'asking takes nothing')

    const { keys } = under.stores.of()
    await keys.update(other.split('_')[1]!, { disabled: true })
    for (const path of ['/v1/key', '/v1/credits']) {
      t.equal((await under.get(path, theirs)).status, 401, 'a disabled key')
      t.equal((await under.get(path, { authorization: `Bearer ${other.slice(0, -1)}0` })).status, 401)
      t.equal((await under.get(path, { authorization: '' })).status, 401)
      t.equal((await under.request(path, { method: 'DELETE' })).status, 405)
    }
  })
}

t.test('two gateways on one file show what the other one counted', async t => {
  const file = `${t.testdir()}/turnpike.db`
  const limits = [{ tokens: 10_000, windowMs: 24 * hourMs }]
  const one = await open(t, sql({ file }), { spendCapUsd: 2, limits })
  const two = await open(t, sql({ file }), { name: 'unused' })
  const same = { authorization: `Bearer ${one.apiKey}` }
  const both = async (): Promise<readonly unknown[]> => {
    const shown = await Promise.all([one.get(), two.get('/v1/key', same)])
    return shown.map(({ body }) => [body.spend.spent_usd, body.limits[0].remaining])
  }
  t.equal((await ask(one, { model: 'm' })).status, 200)
  // Windows are saved a moment later.
  await t.resolves(until(async () => `${await both()}` === '0.05,9995,0.05,9995'))
  t.equal((await ask(two, { model: 'm' }, same)).status, 200)
  await t.resolves(until(async () => `${await both()}` === '0.1,9990,0.1,9990'))
})

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 20))
}

t.test('a store that fails is a 503, and a limiter need not tell', async t => {
  const failing = (): never => {
    throw new Error('the database is down')
  }
  const ledger = { reserve: failing, spent: failing, raiseSpent: failing, addCredit: failing, balance: failing, entries: failing }
  const broken = await open(t, memory({}), { spendCapUsd: 1 }, [providing(Ledger, ledger)])
  for (const path of ['/v1/key', '/v1/credits']) {
    const { status, text } = await broken.get(path)
    t.equal(status, 503)
    t.notMatch(text, 'database is down')
  }
  const hold = { extend: () => true, settle: () => {}, release: () => {} }
  const silent = await open(
    t,
    memory({}),
    {
      limits: [
        { requests: 5, windowMs: 1_000 },
        { tokens: 9, windowMs: 1_500 },
      ],
    },
    [providing(RateLimiter, { reserve: () => hold, enter: () => () => {} })],
  )
  t.same((await silent.get()).body.limits, [
    { requests: 5, window_s: 1, remaining: null, refills_at: null },
    { tokens: 9, window_s: 1.5, remaining: null, refills_at: null },
  ])
})
