import t, { type Test } from 'tap'
import { checkedSealer } from '../../../core/framework/checked-sealer.ts'
import { PolicySources } from '../../../core/index.ts'
import { MetricStore, Sealer } from '../../../core/stores.ts'
import performanceSort from '../../../plugins/sorts/performance/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import { testGateway } from '../../../core/testing/index.ts'
import { account, org, stores, team, type Stores } from '../../kit/accounts.ts'
import { adminGateway, type AdminGateway } from '../../kit/admin-gateway.ts'
import { hello, saying } from '../../kit/gateway.ts'
import { lateStores } from '../../kit/late-stores.ts'
import { adding, ask, listing, providing, text, usage, stop, witness } from '../../kit/stage.ts'
import { later, throwing, unhandledDuring } from '../../kit/thenables.ts'

const price = { input: 10, output: 100 }
const owner = { org: 'example', team: 'research' }

interface Stage extends AdminGateway {
  readonly of: () => Stores
}

/** A gateway whose stores return promises of another kind from each function that may return one. */
async function stage(t: Test, key: object = {}): Promise<Stage> {
  const given = stores()
  const acme = witness('acme', () => [text('a'), usage(9, 1), stop])
  const under = await adminGateway({
    key: { name: 'k', ...owner, policy: { logging: { value: true } }, ...key },
    plugins: [
      lateStores({}),
      given.plugin,
      acme.plugin,
      listing({ model: 'm', endpoints: [{ provider: 'acme', price, maxOutputTokens: 100 }] }),
    ],
  })
  t.teardown(under.stop)
  return { ...under, of: given.of }
}

t.test('keys: one that is unknown or disabled is refused', async t => {
  const under = await stage(t)
  t.equal((await ask(under, { model: 'm' })).status, 200)
  t.equal((await ask(under, { model: 'm' }, { authorization: `Bearer ${under.apiKey.slice(0, -2)}xx` })).status, 401)
  await under.of().keys.update(under.apiKey.split('_')[1]!, { disabled: true })
  t.equal((await ask(under, { model: 'm' })).status, 401)
})

t.test('accounts: what an organization enforces holds, and so does the cap of a team', async t => {
  const under = await stage(t)
  const { accounts } = under.of()
  await accounts.add(account(org, { policy: { zdr: { value: true, enforced: true }, logging: { value: false, enforced: true } } }))
  const { requestId } = await ask(under, { model: 'm' })
  t.match((await under.record(requestId)).policy, { zdr: { value: true, source: 'org' }, logging: { value: false, source: 'org' } })
  await accounts.add(account(team, { spendCapUsd: 0.000001 }))
  t.equal((await ask(under, { model: 'm' })).status, 402)
})

t.test('policy sources: what one enforces holds', async t => {
  const source = { level: 'org' as const, policy: () => later({ hipaa: { value: true, enforced: true } }) }
  const under = await adminGateway({ plugins: [adding(PolicySources, source), saying('acme', hello)], policies: [] })
  t.teardown(under.stop)
  const { headers } = await under.request('/v1/models')
  t.match((await under.record(headers.get('x-request-id')!)).policy, { hipaa: { value: true, source: 'org' } })
})

t.test('the limiter: windows of requests and of tokens, and requests at once', async t => {
  for (const limits of [
    [{ requests: 1, windowMs: 60_000 }],
    [
      { requests: 9, windowMs: 60_000 },
      { tokens: 150, windowMs: 60_000 },
    ],
  ]) {
    const under = await stage(t, { limits, maxConcurrency: 1 })
    const answers = [await ask(under, { model: 'm' })]
    while (answers.length < 20 && answers.at(-1)!.status === 200) answers.push(await ask(under, { model: 'm' }))
    t.equal(answers.at(-1)!.status, 429, JSON.stringify(limits))
  }
  const under = await stage(t, { maxConcurrency: 1 })
  const statuses = (await Promise.all([ask(under, { model: 'm' }), ask(under, { model: 'm' })])).map(({ status }) => status)
  t.same(statuses.sort(), [200, 429])
  t.equal((await ask(under, { model: 'm' })).status, 200, 'who left makes room')
})

t.test('the ledger: a cap holds, and credit is charged', async t => {
  const capped = await stage(t, { spendCapUsd: 0.0003 })
  const statuses: number[] = []
  while (statuses.length < 10 && statuses.at(-1) !== 402) statuses.push((await ask(capped, { model: 'm', max_output_tokens: 16 })).status)
  t.same([statuses[0] === 200 || statuses[0] === 402, statuses.at(-1)], [true, 402])
  const under = await stage(t)
  const { accounts, ledger } = under.of()
  await ledger.addCredit({ id: 'cred_1', org: 'example', at: 1, amountUsd: 1, note: null, requestId: null })
  await accounts.add(account(org, { hasCredit: true }))
  t.equal((await ask(under, { model: 'm' })).status, 200)
  t.ok(Math.abs((await ledger.balance('example')) - (1 - (9 * 10 + 100) / 1e6)) < 1e-9)
})

t.test('responses: they are stored, continued, read and deleted', async t => {
  const under = await stage(t)
  const { response } = await ask(under, { model: 'm', store: true })
  const id = response.id as string
  t.equal((await under.request(`/v1/responses/${id}`)).status, 200)
  t.equal((await ask(under, { model: 'm', previous_response_id: id })).status, 200)
  t.equal((await under.request(`/v1/responses/${id}`, { method: 'DELETE' })).status, 200)
  t.equal((await under.request(`/v1/responses/${id}`)).status, 404)
  t.equal((await ask(under, { model: 'm', previous_response_id: id })).status, 400)
})

t.test('records, audit trail and admin tokens: roles and organizations hold', async t => {
  const under = await stage(t)
  const { requestId } = await ask(under, { model: 'm' })
  await under.record(requestId)
  const viewer = await under.token('viewer', 'globex')
  t.equal((await under.call('POST', '/keys', { name: 'x', org: 'globex' }, viewer)).status, 403)
  t.same((await under.call('GET', '/records', undefined, viewer)).body.data, [])
  t.equal((await under.call('GET', '/records')).body.data.length, 1)
  t.ok((await under.call('GET', '/audit')).body.data.some(({ action }: { action: string }) => action === 'admin-tokens.create'))
  t.equal((await under.call('DELETE', `/admin-tokens/${viewer.split('_')[1]}`)).status, 200)
  t.equal((await under.call('GET', '/records', undefined, viewer)).status, 401)
})

const bytes = Buffer.alloc(32)
const answers = { seal: () => bytes, open: () => bytes, isCurrent: () => true, mac: () => bytes }

t.test('sealers answer at once: no key is made, or let in, by one that does not', async t => {
  for (const mac of [async () => bytes, () => later(bytes), () => throwing(new Error('down')), () => 'text', () => undefined]) {
    const sealer = { keySource: 'a test', isShared: true, hasKey: true, ...answers, mac }
    const plugins = [memory({}), providing(Sealer, sealer as unknown as Sealer), responses({})]
    const unhandled = await unhandledDuring(async () => {
      await t.rejects(testGateway({ plugins }), { message: /returned a bad answer from `mac` of sealer: expected a Buffer, got / })
    })
    t.same(unhandled, [])
  }
  for (const [name, answer] of [
    ['seal', later(bytes)],
    ['open', later(bytes)],
    ['open', null],
    ['isCurrent', later(true)],
  ] as const) {
    const sealer = checkedSealer({ keySource: 'a test', isShared: true, hasKey: true, ...answers, [name]: () => answer } as Sealer, 'odd')
    t.throws(() => sealer[name]({ org: '', purpose: 'test' } as never, bytes), new RegExp(`bad answer from \`${name}\``))
    t.same([sealer.keySource, sealer.isShared, sealer.hasKey], ['a test', true, true])
  }
})

t.test('metric stores answer at once: one that does not changes no answer', async t => {
  const metrics = { record: () => later(undefined), window: () => later(undefined), latest: () => later(undefined) }
  const under = await testGateway({
    plugins: [
      memory({}),
      providing(MetricStore, metrics as unknown as MetricStore),
      localSealer({ masterKey: 'ab'.repeat(32) }),
      responses({}),
      performanceSort({}),
      saying('acme', hello),
      saying('globex', hello),
      listing({ model: 'm', endpoints: [{ provider: 'acme' }, { provider: 'globex' }] }),
    ],
  })
  t.teardown(under.stop)
  t.equal((await ask(under, { model: 'm' })).status, 200)
})
