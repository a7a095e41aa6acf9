import t from 'tap'
import { ProviderFailure, type FailureKind } from '../../../core/index.ts'
import { adminGateway, type AdminGateway } from '../../kit/admin-gateway.ts'
import { deciding } from '../../kit/decision-stage.ts'
import { hello, saying, scripted } from '../../kit/gateway.ts'
import { listing } from '../../kit/stage.ts'

function failing(id: string, kind: FailureKind): ReturnType<typeof scripted> {
  return scripted(id, async function* () {
    throw new ProviderFailure({ kind, message: 'no' })
  })
}

type Row = Readonly<Record<string, any>>

async function usage(under: AdminGateway, query: string): Promise<readonly Row[]> {
  return (await under.call('GET', `/usage?bucket=total&${query}`)).body.data
}

async function respond(under: AdminGateway, body: object, headers?: Readonly<Record<string, string>>): Promise<Response> {
  return await under.request('/v1/responses', { body: { input: 'hi', ...body }, ...(headers && { headers }) })
}

t.test('errors count for the model and provider that failed, and attempts for each that was asked', async t => {
  const endpoints = [{ provider: 'down' }, { provider: 'up' }]
  const under = await adminGateway({
    plugins: [
      failing('down', 'unavailable'),
      failing('strict', 'invalid-request'),
      saying('up', hello),
      listing({ model: 'm', endpoints }),
    ],
  })
  t.teardown(under.stop)
  for (let index = 0; index < 4; index++) t.equal((await respond(under, { model: 'm' })).status, 200)
  t.equal((await respond(under, { model: 'down/m' })).status, 424)
  t.equal((await respond(under, { model: 'strict/n' })).status, 400)
  t.equal((await respond(under, { model: 'nobody/m' })).status, 400)
  const { key } = (await under.call('POST', '/keys', { name: 'other', models: ['other'] })).body
  t.equal((await respond(under, { model: 'm' }, { authorization: `Bearer ${key}` })).status, 403)
  await under.recorded(8)

  const [all] = await usage(under, 'latency=true')
  t.match(all, { requests: 8, errors: 4, caller_errors: 2, policy_errors: 1, vendor_errors: 1, gateway_errors: 0 })
  const byProvider = new Map((await usage(under, 'group_by=provider&latency=true')).map(row => [row['provider'], row]))
  const down = byProvider.get('down')!
  t.match(down, { requests: 1, errors: 1, vendor_errors: 1, input_tokens: 0, cost_usd: 0, p50_ms: null, attempt_p50_ms: null })
  t.ok(down['attempts'] > 1)
  t.same([down['failed_attempts'], down['faults']], [down['attempts'], down['attempts']])
  t.match(byProvider.get('up'), { requests: 4, errors: 0, attempts: 4, failed_attempts: 0, input_tokens: 12, attempt_p50_ms: Number })
  t.match(byProvider.get('strict'), { requests: 1, caller_errors: 1, attempts: 1, failed_attempts: 1, faults: 0 })
  t.match(byProvider.get(null), { requests: 2, policy_errors: 1, caller_errors: 1, attempts: 0 })

  const failed = (await under.call('GET', '/records?provider=down&status=424')).body.data
  t.match(failed, [{ model: 'm', provider: 'down', requested_model: 'down/m' }])
  t.equal(failed.length, 1)
  const asked = (await under.call('GET', '/records?provider=down&status=200')).body.data
  t.match(asked[0], { provider: 'up', attempts: [{ provider: 'down', outcome: 'unavailable' }] })
  t.equal(
    String((await under.call('GET', '/records/export?provider=up&model=m')).body)
      .trim()
      .split('\n').length,
    asked.length,
  )
})

t.test('names that no catalog lists fold into one row, whether they are answered or fail', async t => {
  const under = await adminGateway({ plugins: [saying('up', hello), failing('dead', 'network')] })
  t.teardown(under.stop)
  for (let index = 0; index < 150; index++) await respond(under, { model: `${index % 2 === 0 ? 'up' : 'dead'}/zz${index}` })
  await under.recorded(150)
  const rows = await usage(under, 'group_by=model')
  t.equal(rows.length, 101)
  t.match(
    rows.find(({ model }) => model === 'other'),
    { requests: 50 },
  )
  t.match((await under.call('GET', '/records?model=zz149')).body.data, [
    { model: 'zz149', provider: 'dead', attempts: [{ listed: false }] },
  ])
})

t.test('with logging off, the text of an unknown decision model is kept nowhere', async t => {
  const under = await adminGateway({ plugins: [deciding('acme').plugin] })
  t.teardown(under.stop)
  const canary = 'my password is canary-5512'
  const ids: string[] = []
  for (const logging of [false, true]) {
    const { key } = (await under.call('POST', '/keys', { name: 'k', policy: { logging: { value: logging } } })).body
    for (const model of [canary, `acme/${canary}`, 'acme/one', 'auto']) {
      const body = { model, state: 's', questions: { q: { type: 'noul', instructions: '?' } } }
      const reply = await under.request('/v1/systemone', { body, headers: { authorization: `Bearer ${key}` } })
      t.equal(reply.status, model === 'acme/one' ? 200 : 400)
      ids.push(reply.headers.get('x-request-id')!)
    }
  }
  const models = await Promise.all(ids.map(async id => (await under.record(id)).requestedModel))
  t.same(models, [null, null, 'acme/one', null, canary, `acme/${canary}`, 'acme/one', 'auto'])
  const off = await Promise.all(ids.slice(0, 4).map(id => under.call('GET', `/records/${id}?content=true`)))
  t.notMatch(JSON.stringify([off, under.logs, await usage(under, 'group_by=model')]), 'canary')
})

t.test('usage shows what a session cost', async t => {
  const under = await adminGateway({
    plugins: [saying('up', hello), listing({ model: 'm', endpoints: [{ provider: 'up', price: { input: 1, output: 1 } }] })],
  })
  t.teardown(under.stop)
  const { key, id } = (await under.call('POST', '/keys', { name: 'agent' })).body
  const as = { authorization: `Bearer ${key}` }
  for (let turn = 0; turn < 3; turn++) await respond(under, { model: 'm' }, { ...as, 'x-session-id': 'mine' })
  await respond(under, { model: 'm', session_id: 'yours' }, as)
  await respond(under, { model: 'm' }, as)
  const records = await under.recorded(5)
  const session = records[0]!.session!

  const rows = await usage(under, 'group_by=session')
  t.same(new Map(rows.map(row => [row['session'], row['requests']])).get(session), 3)
  t.equal(rows.length, 2, 'without requests of no session')
  const expected = { requests: 3, cost_usd: records.filter(each => each.session === session).reduce((sum, each) => sum + each.costUsd!, 0) }
  t.match(await usage(under, `session=${session}`), [expected])
  t.match(await usage(under, `session=mine&key=${id}`), [expected], "by the client's own name")
  t.match(await usage(under, 'group_by=session&top=1'), [
    { session, requests: 3 },
    { session: null, others: true, requests: 1 },
  ])
  t.same((await under.call('GET', `/records?session=mine&key=${id}`)).body.data.length, 3)
  t.same(
    (await under.call('GET', `/records?session=${session}`)).body.data.map((record: Row) => record['session']),
    [session, session, session],
  )
  t.equal(
    String((await under.call('GET', `/records/export?session=${session}`)).body)
      .trim()
      .split('\n').length,
    3,
  )
  for (const [path, status, param, message] of [
    ['/usage?session=mine', 400, 'session', /add 'key'/],
    ['/records?session=mine', 400, 'session', /add 'key'/],
    ['/usage?session=mine&key=nobody', 404, 'id', /No API key|No key/],
    ['/usage?group_by=session&bucket=minute', 400, 'bucket', /hour, day or total/],
    ['/usage?group_by=session&latency=true', 400, 'latency', /not known by session/],
  ] as const) {
    const refused = await under.call('GET', path)
    t.match({ status: refused.status, ...refused.body.error }, { status, param, message }, path)
  }
  t.notMatch(JSON.stringify([records, under.logs]), /mine|yours/, 'the names are kept nowhere')
})
