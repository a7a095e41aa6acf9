import t from 'tap'
import { policyFields } from '../../../core/admin.ts'
import { Routes, type Route } from '../../../core/index.ts'
import redaction from '../../../plugins/guardrails/redaction/index.ts'
import { adminGateway, type AdminGateway } from '../../kit/admin-gateway.ts'
import { adding, listing } from '../../kit/stage.ts'
import { hello, saying } from '../../kit/gateway.ts'

async function withAccounts(options?: Parameters<typeof adminGateway>[0]): Promise<AdminGateway> {
  const under = await adminGateway(options)
  for (const org of ['acme', 'globex']) {
    await under.call('POST', '/orgs', { id: org, name: org })
    await under.call('POST', '/teams', { id: 'research', name: 'Research', org })
    await under.call('POST', '/users', { id: 'ada', name: 'Ada', org, team: 'research' })
  }
  return under
}

t.test('accounts are created, listed, changed and deleted, from the bottom up', async t => {
  const under = await adminGateway()
  t.teardown(under.stop)
  const { call } = under
  const org = await call('POST', '/orgs', { name: 'Acme', spend_cap_usd: 100, spend_period: 'month', metadata: { plan: 'gold' } })
  t.equal(org.status, 201)
  t.match(org.body, {
    object: 'org',
    name: 'Acme',
    policy: {},
    spend_cap_usd: 100,
    spend_period: 'month',
    spent_usd: 0,
    credit_balance_usd: null,
  })
  const { id } = org.body
  t.same((await call('GET', `/orgs/${id}`)).body, org.body)
  t.match((await call('POST', '/orgs', { id, name: 'Again' })).body, { error: { code: 'conflict', param: 'id' } })
  const team = await call('POST', '/teams', { id: 'research', name: 'Research', org: id, policy: { zdr: { value: true, enforced: true } } })
  t.match(team, { status: 201, body: { object: 'team', id: 'research', org: id, policy: { zdr: { value: true, enforced: true } } } })
  const user = await call('POST', '/users', { id: 'ada@example.com', name: 'Ada', org: id, team: 'research' })
  t.match(user, { status: 201, body: { object: 'user', org: id, team: 'research' } })
  const key = await call('POST', '/keys', { name: 'laptop', org: id, user: 'ada@example.com' })
  t.match(key, {
    status: 201,
    body: { key: /^tp_/, org: id, team: 'research', user: 'ada@example.com', policy_source: { zdr: 'team', logging: 'key' } },
  })
  t.equal(key.headers.get('cache-control'), 'no-store')
  const changed = await call('PATCH', '/teams/research', {
    spend_cap_usd: 5,
    policy: { zdr: null, logging: { value: false, enforced: true } },
  })
  t.match(changed, { status: 200, body: { spend_cap_usd: 5, name: 'Research' } })
  t.same(changed.body.policy, { logging: { value: false, enforced: true } })
  for (const path of [`/orgs/${id}`, '/teams/research', `/users/${encodeURIComponent('ada@example.com')}`]) {
    const refused = await call('DELETE', path)
    t.equal(refused.status, 409, path)
    t.match(refused.body.error.message, /still has .*keys/)
  }
  t.match((await call('DELETE', `/keys/${key.body.id}`)).body, { id: key.body.id, deleted: true })
  t.equal((await call('GET', `/keys/${key.body.id}`)).status, 404)
  t.equal((await call('DELETE', '/teams/research')).status, 409, 'a user is left')
  for (const path of ['/users/ada@example.com', '/teams/research', `/orgs/${id}`]) {
    t.match((await call('DELETE', path)).body, { deleted: true })
    t.equal((await call('GET', path)).status, 404)
    t.equal((await call('DELETE', path)).status, 404)
  }
})

t.test('a key with everything comes back as it was set, and null takes a setting away', async t => {
  const under = await withAccounts()
  t.teardown(under.stop)
  const { call } = under
  const settings = {
    name: 'full',
    org: 'acme',
    team: 'research',
    policy: { logging: { value: true }, redaction: { value: true, settings: { detectors: ['email'] } } },
    models: ['sandbox/*'],
    providers: ['sandbox'],
    allow_unpriced: true,
    spend_cap_usd: 5,
    spend_period: 'week',
    limits: [
      { tokens: 100_000, window_s: 60 },
      { requests: 10, window_s: 1, exact: true },
    ],
    max_concurrency: 4,
    expires_at: '2036-01-31T12:00:00.000Z',
    disabled: false,
    metadata: { owner: 'ada' },
  }
  const { status, body } = await call('POST', '/keys', settings)
  t.equal(status, 201)
  t.match(body, { ...settings, user: null, guardrails: [], last_used_at: null, spent_usd: 0 })
  const nothing = Object.fromEntries(
    ['models', 'providers', 'allow_unpriced', 'spend_cap_usd', 'spend_period', 'limits', 'max_concurrency', 'expires_at', 'metadata'].map(
      name => [name, null],
    ),
  )
  const bare = (await call('PATCH', `/keys/${body.id}`, { ...nothing, policy: { redaction: null } })).body
  t.match(bare, {
    models: null,
    providers: null,
    allow_unpriced: false,
    spend_cap_usd: null,
    limits: [],
    max_concurrency: null,
    expires_at: null,
    metadata: {},
  })
  t.same(bare.policy, { logging: { value: true } })
  const { key: rotated } = (await call('POST', `/keys/${body.id}/rotate`, { grace_seconds: 60 })).body
  const status2 = async (key: string) => (await under.request('/v1/models', { headers: { authorization: `Bearer ${key}` } })).status
  t.same([await status2(body.key), await status2(rotated)], [200, 200])
  await call('PATCH', `/keys/${body.id}`, { disabled: true })
  t.same([await status2(body.key), await status2(rotated)], [401, 401])
})

t.test('a locked field cannot be changed, and a new key cannot go against a lock', async t => {
  const under = await withAccounts()
  t.teardown(under.stop)
  const { call } = under
  for (const field of policyFields) {
    const own = (await call('POST', '/keys', { name: 'before', org: 'acme', user: 'ada', policy: { [field]: { value: false } } })).body
    for (const [level, path] of [
      ['organization', '/orgs/acme'],
      ['team', '/teams/research?org=acme'],
      ['user', '/users/ada?org=acme'],
    ] as const) {
      await call('PATCH', path, { policy: { [field]: { value: true, enforced: true } } })
      const changed = await call('PATCH', `/keys/${own.id}`, { policy: { [field]: { value: true } } })
      t.match(changed, {
        status: 409,
        body: { error: { code: 'policy_locked', param: `policy.${field}`, message: new RegExp(`^The ${level} enforces "${field}": on`) } },
      })
      t.equal(
        (await call('PATCH', `/keys/${own.id}`, { name: 'renamed', policy: { [field]: { value: false } } })).status,
        200,
        'no change of the field',
      )
      t.equal((await call('POST', '/keys', { name: 'new', org: 'acme', user: 'ada', policy: { [field]: { value: false } } })).status, 409)
      t.equal(
        (await call('POST', '/keys', { name: 'new', org: 'acme', user: 'ada', policy: { [field]: { value: true } } })).status,
        201,
        'it agrees',
      )
      t.match((await call('GET', `/keys/${own.id}/policy`)).body, {
        [field]: { value: true, policy_source: path.split('/')[1]!.slice(0, -1), locked_by: path.split('/')[1]!.slice(0, -1) },
      })
      await call('PATCH', path, { policy: { [field]: null } })
      t.match((await call('GET', `/keys/${own.id}/policy`)).body, { [field]: { value: false, policy_source: 'key', locked_by: null } })
    }
  }
})

t.test('credit is added, spent and taken away, and every step is an entry', async t => {
  const price = { input: 10, output: 100 }
  const under = await withAccounts({
    plugins: [saying('vendor', hello), listing({ model: 'm', endpoints: [{ provider: 'vendor', price }] })],
  })
  t.teardown(under.stop)
  const { call } = under
  t.equal((await call('GET', '/orgs/acme')).body.credit_balance_usd, null)
  t.match(await call('POST', '/orgs/acme/credits', { amount_usd: -1 }), { status: 400, body: { error: { param: 'amount_usd' } } })
  t.match(await call('POST', '/orgs/acme/credits', { amount_usd: 10, note: 'Invoice 7' }), {
    status: 201,
    body: { amount_usd: 10, balance_usd: 10 },
  })
  const { key } = (await call('POST', '/keys', { name: 'k', org: 'acme' })).body
  const reply = await under.request('/v1/responses', { body: { model: 'm', input: 'hi' }, headers: { authorization: `Bearer ${key}` } })
  t.equal(reply.status, 200)
  const { costUsd } = await under.record(reply.headers.get('x-request-id')!)
  const { body } = await call('GET', '/orgs/acme/credits?limit=1')
  t.ok(Math.abs(body.balance_usd - 10 + costUsd!) < 1e-9)
  t.match(body.data, [{ amount_usd: -costUsd!, request_id: reply.headers.get('x-request-id'), note: null }])
  const rest = (await call('GET', `/orgs/acme/credits?limit=1&cursor=${body.next_cursor}`)).body
  t.match(rest, { data: [{ amount_usd: 10, note: 'Invoice 7' }], has_more: false, next_cursor: null })
  const most = { status: 400, body: { error: { param: 'amount_usd' } } }
  for (const amount of [1_000_000_000, 9_000_000])
    t.match(await call('POST', '/orgs/acme/credits', { amount_usd: amount }), most, 'more than a store can count')
  const [one, two] = await Promise.all([5e6, 5e6].map(amount => call('POST', '/orgs/acme/credits', { amount_usd: amount })))
  t.same([one!.status, two!.status].toSorted(), [201, 400], 'nor do two at once')
  const { data: trail } = (await call('GET', '/audit?limit=1')).body
  const { credit_balance_usd: changed, amount_usd: amount } = trail[0].changes
  t.match([trail[0].action, amount.to], ['credits.create', 5e6])
  t.ok(Math.abs(changed.to - changed.from - 5e6) < 1e-6, 'the trail says what this credit has changed')
  t.equal((await call('GET', '/orgs/acme')).status, 200)
})

t.test('records are found by either id, filtered, paged, exported and summed up', async t => {
  const under = await withAccounts({ plugins: [saying('vendor', hello)] })
  t.teardown(under.stop)
  const { call } = under
  const { key, id } = (await call('POST', '/keys', { name: 'k', org: 'acme', user: 'ada' })).body
  const headers = { authorization: `Bearer ${key}` }
  const asked = []
  for (let index = 0; index < 5; index++)
    asked.push(await under.request('/v1/responses', { body: { model: 'vendor/m', input: 'hi' }, headers }))
  const failed = await under.request('/v1/responses', { body: { model: 'nobody/m', input: 'hi' }, headers })
  const decided = await under.request('/v1/systemone', {
    body: { model: 'sandbox/dm', state: 's', questions: { q: { type: 'noul', instructions: '?' } } },
    headers,
  })
  await under.recorded(7)
  const { id: responseId } = (await asked[0]!.json()) as { id: string }
  const byAnswer = (await call('GET', `/records/${responseId}`)).body
  t.match(byAnswer, {
    id: asked[0]!.headers.get('x-request-id'),
    answer_id: responseId,
    key: id,
    org: 'acme',
    team: 'research',
    user: 'ada',
    status: 200,
    model: 'm',
    provider: 'vendor',
  })
  t.same((await call('GET', `/records/${byAnswer.id}`)).body, byAnswer)
  t.notOk('request' in byAnswer)
  t.equal((await call('GET', `/records/${((await decided.json()) as { id: string }).id}`)).body.path, '/v1/systemone')
  t.same((await call('GET', `/records?id=${responseId}`)).body.data, [byAnswer])
  t.same(
    (await call('GET', `/records?status=400&key=${id}`)).body.data.map((record: any) => record.id),
    [failed.headers.get('x-request-id')],
  )
  const seen: string[] = []
  for (let cursor = ''; ;) {
    const { body } = await call('GET', `/records?limit=2&key=${id}${cursor && `&cursor=${cursor}`}`)
    seen.push(...body.data.map((record: any) => record.id))
    if (!body.has_more) break
    cursor = body.next_cursor
  }
  t.equal(new Set(seen).size, 7)
  t.equal(seen.length, 7)
  const lines = String((await call('GET', `/records/export?key=${id}`)).body)
    .trim()
    .split('\n')
  t.same(
    lines.map(line => JSON.parse(line).id),
    seen,
  )
  const usage = (await call('GET', '/usage?bucket=day&group_by=provider,key')).body
  t.match(
    usage.data.find((row: any) => row.provider === 'vendor'),
    { key: id, requests: 5, errors: 0, input_tokens: 15, output_tokens: 10 },
  )
  const zoned = (await call('GET', '/usage?bucket=day&time_zone=Asia/Kathmandu&group_by=provider')).body.data
  t.match(
    zoned.find((row: any) => row.provider === 'vendor'),
    { at: /T18:15:00.000Z$/, requests: 5 },
    'days begin at midnight in Kathmandu',
  )
  const answered = (await call('GET', '/usage?bucket=total&group_by=provider&top=1&latency=true')).body.data
  t.match(
    answered.find((row: any) => row.provider === 'vendor'),
    { requests: 5, p50_ms: Number, p95_ms: Number },
  )
  t.match(
    answered.find((row: any) => row.others),
    { provider: null, requests: 2, others: true },
  )
  t.match((await call('GET', `/records?status=error&key=${id}`)).body, { data: [{ status: 400 }], has_more: false })
  t.match((await call('GET', `/keys/${id}`)).body, { last_used_at: /^20/ })
  await call('DELETE', `/keys/${id}`)
  t.equal((await call('GET', `/keys/${id}`)).status, 404)
  t.equal((await call('GET', `/records/${byAnswer.id}`)).body.key, id, 'the records of a deleted key stay')
  t.equal((await under.request('/v1/models', { headers })).status, 401)
})

t.test('the playground runs as a key, with its rules, and is recorded and audited', async t => {
  const under = await withAccounts({ plugins: [saying('vendor', hello), saying('other', hello)] })
  t.teardown(under.stop)
  const { call } = under
  const { id } = (await call('POST', '/keys', { name: 'k', org: 'acme', models: ['vendor/*', 'sandbox/*'] })).body
  const played = await call('POST', '/playground/responses', { key: id, request: { model: 'vendor/m', input: 'hi' } })
  t.match(played, { status: 200, body: { object: 'response', status: 'completed' } })
  t.match(await under.record(played.headers.get('x-request-id')!), { keyId: id, path: '/v1/responses', status: 200 })
  const streamed = await call('POST', '/playground/responses', { key: id, request: { model: 'vendor/m', input: 'hi', stream: true } })
  t.match(streamed.body, /event: response\.completed/)
  t.equal((await call('POST', '/playground/responses', { key: id, request: { model: 'other/m', input: 'hi' } })).status, 403)
  const questions = { q: { type: 'noul', instructions: '?' } }
  t.equal((await call('POST', '/playground/systemone', { key: id, request: { model: 'sandbox/dm', state: 's', questions } })).status, 200)
  await call('PATCH', `/keys/${id}`, { disabled: true })
  t.equal((await call('POST', '/playground/responses', { key: id, request: { model: 'vendor/m', input: 'hi' } })).status, 401)
  t.equal((await call('POST', '/playground/responses', { key: 'nobody', request: {} })).status, 404)
  const { data } = (await call('GET', `/audit?target=${id}`)).body
  t.same(
    data
      .map(({ action }: any) => action)
      .reverse()
      .slice(0, 3),
    ['keys.create', 'playground.responses', 'playground.responses'],
  )
  t.notMatch(JSON.stringify(data), /"hi"/)
  const forged = await under.request('/v1/models', { headers: { authorization: 'Bearer ticket_0123' } })
  t.equal(forged.status, 401)
})

t.test('the playground tries every route that says how', async t => {
  const got: [string, unknown][] = []
  const route: Route = {
    method: 'POST',
    path: '/v1/speak/**:model',
    auth: 'key',
    async handle(exchange) {
      got.push([`${decodeURIComponent(exchange.params['model']!)}?${exchange.query}`, await exchange.json()])
      return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"said":"hi"}' }
    },
    trial: {
      name: 'speech',
      title: 'Speech',
      kind: 'generation',
      path: '/v1/speak/{model}:now?alt=sse',
      example: { text: 'hi' },
      texts: ['said'],
    },
  }
  const under = await withAccounts({ plugins: [adding(Routes, route)] })
  t.teardown(under.stop)
  const { call } = under
  const { data } = (await call('GET', '/playground')).body
  t.match(
    data.map(({ name }: { readonly name: string }) => name),
    ['responses', 'systemone', 'decisions', 'speech'],
  )
  t.match(data.at(-1), { title: 'Speech', kind: 'generation', path: '/v1/speak/{model}:now?alt=sse', texts: ['said'], thoughts: [] })
  const { id } = (await call('POST', '/keys', { name: 'k', org: 'acme' })).body
  const request = { model: 'acme/a b$&', text: 'hi' }
  t.match(await call('POST', '/playground/speech', { key: id, request }), { status: 200, body: { said: 'hi' } })
  t.same(got, [[`${request.model}:now?alt=sse`, { text: 'hi' }]], 'the model is in the path, and not in the body')
  t.match(await call('POST', '/playground/nobody', { key: id, request }), { status: 404, body: { error: { message: /nobody/ } } })
  const viewer = await under.token('viewer')
  t.equal((await call('POST', '/playground/speech', { key: id, request }, viewer)).status, 403)
  const actions = (await call('GET', `/audit?target=${id}`)).body.data.map(({ action }: { readonly action: string }) => action)
  t.same(actions, ['playground.speech', 'keys.create'])
  await t.rejects(withAccounts({ plugins: [adding(Routes, { ...route, trial: { ...route.trial!, name: 'Two Words' } })] }), /a bad `trial`/)
})

t.test('every change is audited, without secrets', async t => {
  const under = await withAccounts()
  t.teardown(under.stop)
  const { call } = under
  const { key, id } = (await call('POST', '/keys', { name: 'k', org: 'acme' })).body
  const editor = await under.token('editor', 'acme')
  await call('PATCH', `/keys/${id}`, { name: 'renamed', spend_cap_usd: 5 }, editor)
  const { key: rotated } = (await call('POST', `/keys/${id}/rotate`, {}, editor)).body
  const { data } = (await call('GET', '/audit?limit=100')).body
  const [rotation, change, token, creation] = data
  t.match(rotation, { action: 'keys.rotate', target: id, actor: editor.split('_')[1] })
  t.match(change, { action: 'keys.update', target: id, org: 'acme' })
  t.same(change.changes, { name: { from: 'k', to: 'renamed' }, spend_cap_usd: { from: null, to: 5 } })
  t.match(token, { action: 'admin-tokens.create', target: editor.split('_')[1], actor: 'command-line', org: 'acme' })
  t.match(creation, { action: 'keys.create', actor: 'command-line' })
  for (const secret of [key, rotated, editor]) t.notMatch(JSON.stringify(data), secret.split('_')[2])
  t.equal(data.length, 10)
  t.same(
    (await call('GET', '/audit?org=globex')).body.data.map(({ org }: any) => org),
    ['globex', 'globex', 'globex'],
  )
  await call('POST', '/keys', { name: 'k' })
  const [own, org] = (await call('GET', '/audit?org=default')).body.data
  t.match(own, { action: 'keys.create' })
  t.match(org, { action: 'orgs.create', target: 'default' }, 'the organization that the key needed')
})

t.test('bad input is a 400 or 404 that names the member', async t => {
  const under = await withAccounts()
  t.teardown(under.stop)
  const { call } = under
  const { id } = (await call('POST', '/keys', { name: 'k', org: 'acme' })).body
  const key = (more: object) => ({ name: 'k', org: 'acme', ...more })
  const cases: readonly (readonly [method: string, path: string, body: unknown, status: number, param: string | null, message: RegExp])[] =
    [
      ['POST', '/orgs', {}, 400, 'name', /Missing required parameter: 'name'/],
      ['POST', '/orgs', { name: 'x', nmae: 1 }, 400, 'nmae', /Unknown parameter: 'nmae'. Did you mean name\?/],
      ['POST', '/orgs', { name: ' ' }, 400, 'name', /must match/],
      ['POST', '/orgs', { name: 'a\u0000b' }, 400, 'name', /must match/],
      ['POST', '/keys', key({ name: 'red \u001b[31m' }), 400, 'name', /must match/],
      ['POST', '/orgs', { name: 'x', id: '../x' }, 400, 'id', /must match/],
      ['POST', '/orgs', { name: 'x', spend_cap_usd: -1 }, 400, 'spend_cap_usd', /must be >= 0/],
      ['POST', '/orgs', { name: 'x', spend_period: 'year' }, 400, 'spend_period', /expected 'day', 'week', 'month'/],
      ['POST', '/orgs', { name: 'x', policy: { zdr: { value: true, enforce: true } } }, 400, 'policy.zdr.enforce', /Did you mean enforced/],
      ['POST', '/orgs', { name: 'x', policy: { zrd: { value: true } } }, 400, 'policy.zrd', /Did you mean zdr/],
      ['POST', '/orgs', '{', 400, null, /not valid JSON/],
      ['POST', '/teams', { name: 'x', org: 'nobody' }, 400, 'org', /No organization has the id "nobody"/],
      ['POST', '/users', { name: 'x', org: 'acme', team: 'nobody' }, 400, 'team', /has no team "nobody"/],
      ['POST', '/keys', key({ team: 'nobody' }), 400, 'team', /No team has the id "nobody"/],
      ['POST', '/keys', key({ user: 'nobody' }), 400, 'user', /No user has the id/],
      ['POST', '/keys', key({ policy: { zdr: { value: true, enforced: true } } }), 400, 'policy.zdr.enforced', /Unknown parameter/],
      ['POST', '/keys', key({ limits: [{ tokens: 1, window_s: 0 }] }), 400, 'limits[0].window_s', /must be >= 1/],
      ['POST', '/keys', key({ limits: [{ tokens: 1, window_s: 1, exact: 'yes' }] }), 400, 'limits[0].exact', /expected a boolean/],
      ['POST', '/keys', key({ limits: [{ window_s: 1 }] }), 400, 'limits[0]', /exactly one of 'tokens', 'requests', but got none/],
      ['POST', '/keys', key({ limits: [{ tokens: 1, requests: 1, window_s: 1 }] }), 400, 'limits[0]', /exactly one of/],
      ['POST', '/keys', key({ limits: [{ requests: 0, window_s: 1 }] }), 400, 'limits[0].requests', /must be >= 1/],
      ['POST', '/keys', key({ expires_at: 'tomorrow' }), 400, 'expires_at', /expected a time such as/],
      ['POST', '/keys', key({ expires_at: '2026-02-31' }), 400, 'expires_at', /expected a time such as/],
      ['POST', '/keys', key({ expires_at: '2026-02-28T24:00:00Z' }), 400, 'expires_at', /expected a time such as/],
      ['POST', '/keys', key({ expires_at: '2026-02-28T12:00:00' }), 400, 'expires_at', /expected a time such as/],
      ['POST', '/keys', key({ guardrails: ['none'] }), 400, 'guardrails[0]', /no guardrail "none" is loaded/],
      ['POST', '/keys', key({ max_concurrency: 0 }), 400, 'max_concurrency', /must be >= 1/],
      ['POST', '/keys', key({ metadata: { a: 1 } }), 400, 'metadata.a', /expected a string/],
      ['PATCH', `/keys/${id}`, { org: 'globex' }, 400, 'org', /Unknown parameter: 'org'/],
      ['PATCH', '/users/ada?org=acme', { team: 'nobody' }, 400, 'team', /has no team "nobody"/],
      ['PATCH', '/teams/research?org=acme', { team: 'x' }, 400, 'team', /Unknown parameter: 'team'/],
      ['PATCH', '/keys/nobody', {}, 404, 'id', /No key has the id "nobody"/],
      ['PATCH', `/keys/tp_abcdef012345_${'0a1b'.repeat(12)}`, {}, 404, 'id', /No key has the id "tp_abcdef012345_…"/],
      ['POST', `/keys/${id}/rotate`, { grace_seconds: -1 }, 400, 'grace_seconds', /must be >= 0/],
      ['GET', '/users/ada', undefined, 409, 'org', /Several organizations have a user "ada": acme, globex. Name one with \?org=/],
      ['GET', '/orgs/nobody', undefined, 404, 'id', /No organization has the id/],
      ['GET', '/keys?limit=0', undefined, 400, 'limit', /from 1 to 100/],
      ['GET', '/keys?limit=1&limit=2', undefined, 400, 'limit', /expected it once/],
      ['GET', '/keys?cursor=zzz', undefined, 400, 'cursor', /next_cursor/],
      ['GET', '/keys?team', undefined, 400, 'team', /expected a value/],
      ['GET', '/keys?colour=red', undefined, 400, 'colour', /Unknown parameter: 'colour'/],
      ['GET', '/records?from=yesterday', undefined, 400, 'from', /expected a time/],
      ['GET', '/records?from=2025-02-29', undefined, 400, 'from', /expected a time/],
      ['GET', '/records?status=ok', undefined, 400, 'status', /expected a number/],
      ['GET', '/records?min_cost_usd=-1', undefined, 400, 'min_cost_usd', /expected a number of 0 or more/],
      ['GET', '/records?from=2026-02-01&to=2026-01-01', undefined, 400, 'from', /before 'to'/],
      ['GET', '/records?from=2026-02-01&to=2026-02-01', undefined, 400, 'from', /before 'to'/],
      ['GET', '/records/export?from=2026-02-01&to=2026-01-01', undefined, 400, 'from', /before 'to'/],
      ['GET', '/audit?from=2026-02-01&to=2026-01-01', undefined, 400, 'from', /before 'to'/],
      ['POST', '/orgs', [], 400, null, /^Invalid type for the body: expected an object, but got an array\.$/],
      ['POST', '/keys', 'null', 400, null, /^Invalid type for the body: expected an object, but got null\.$/],
      ['PATCH', '/teams/research?org=acme', '5', 400, null, /^Invalid type for the body: expected an object, but got 5\.$/],
      ['POST', '/admin-tokens', '"x"', 400, null, /^Invalid type for the body: expected an object, but got 'x'\.$/],
      ['GET', '/records/nobody', undefined, 404, 'id', /No record has the id/],
      ['GET', '/usage?bucket=year', undefined, 400, 'bucket', /expected one of minute, hour, day, total/],
      ['GET', '/usage?bucket=day&time_zone=Mars/Olympus', undefined, 400, 'time_zone', /a name such as Europe\/Berlin/],
      ['GET', '/usage?bucket=hour&time_zone=Europe/Berlin', undefined, 400, 'time_zone', /only with bucket=day/],
      ['GET', '/usage?bucket=day&time_zone=Europe/Berlin&from=2000-01-01', undefined, 400, 'from', /at most 3660 days/],
      ['GET', '/usage?top=0', undefined, 400, 'top', /from 1 to 100/],
      ['GET', '/usage?latency=yes', undefined, 400, 'latency', /true, false/],
      ['GET', '/records?status=4xx', undefined, 400, 'status', /a number/],
      ['GET', '/usage?group_by=model,colour', undefined, 400, 'group_by', /separated by commas/],
      ['GET', '/usage?from=2026-02-01&to=2026-01-01', undefined, 400, 'from', /before 'to'/],
      ['GET', '/metrics/endpoints?interval=1', undefined, 400, 'interval', /a whole number and a unit/],
      ['POST', '/admin-tokens', { name: 'x', role: 'root' }, 400, 'role', /expected 'owner', 'editor', 'viewer'/],
      ['POST', '/admin-tokens', { name: 'x', role: 'viewer', org: 'nobody' }, 400, 'org', /No organization/],
      ['DELETE', '/admin-tokens/nobody', undefined, 404, 'id', /No admin token/],
      ['PUT', '/keys', {}, 405, null, /Use GET, POST, HEAD/],
      ['GET', '/kyes', undefined, 404, null, /Did you mean \/admin\/v1\/keys\?/],
    ]
  for (const [method, path, body, status, param, message] of cases) {
    const answer = await call(method, path, body)
    const name = `${method} ${path} ${JSON.stringify(body)}`
    t.equal(answer.status, status, name)
    t.equal(answer.body.error?.param, param, name)
    t.match(answer.body.error?.message, message, name)
  }
  const { next_cursor: cursor } = (await call('GET', '/orgs?limit=1')).body
  t.equal((await call('GET', `/keys?cursor=${cursor}`)).status, 400, 'the cursor of another list')
})

t.test('the gateway shows its providers, models, plugins and options without secrets', async t => {
  const under = await withAccounts({
    plugins: [
      saying('vendor', hello, { credentials: [{ id: 'k1', account: 'a1' }] }),
      listing({ model: 'm', endpoints: [{ provider: 'vendor' }] }),
      listing({
        model: 'dear',
        endpoints: [{ provider: 'vendor', price: { input: 1, output: 2, cacheRead: 0.5 }, capabilities: { parallelTools: true } }],
      }),
    ],
  })
  t.teardown(under.stop)
  const { call } = under
  t.match(
    (await call('GET', '/providers')).body.data.find(({ id }: any) => id === 'vendor'),
    { credentials: [{ id: 'k1', account: 'a1', rests_for_ms: 0 }], circuits: [], queue: null },
  )
  t.match(
    (await call('GET', '/models')).body.data.find(({ id }: any) => id === 'm'),
    { endpoints: [{ provider: 'vendor', is_priced: false }] },
  )
  t.match((await call('GET', '/models?search=VENDOR/D')).body.data, [
    {
      id: 'dear',
      created_at: null,
      endpoints: [{ kind: 'generation', price: { input: 1, output: 2, cache_read: 0.5 }, capabilities: { parallel_tools: true } }],
    },
  ])
  t.ok((await call('GET', '/plugins')).body.data.some(({ name }: any) => name === 'admin'))
  const { body } = await call('GET', '/config')
  const sealer = body.plugins.find(({ name }: any) => name === 'local-sealer')
  t.match(sealer.options.masterKey, { value: '***', source: 'config' })
  t.notMatch(JSON.stringify(body), 'abababab')
  await under.request('/v1/responses', { body: { model: 'm', input: 'hi' } })
  t.match((await call('GET', '/metrics/endpoints?interval=1h')).body, {
    interval_s: 3600,
    data: [{ provider: 'vendor', model: 'm', requests: 1 }],
  })
  const document = (await call('GET', '/admin/openapi.json')).body
  t.match(document, { openapi: '3.1.0', paths: { '/admin/v1/keys/{id}': { patch: { security: [{ adminToken: [] }] } } } })
  const one = { get: { responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Key' } } } } } } }
  t.match(document, { paths: { '/admin/v1/keys/{id}': one } })
  const { schemas } = (document as { components: { schemas: Record<string, { properties: object; required: string[] }> } }).components
  t.match(schemas, {
    Key: { properties: { object: { const: 'key' }, spend_cap_usd: { type: ['number', 'null'] }, guardrails: { type: 'array' } } },
    Record: { properties: { created_at: { type: 'string' }, key: { type: ['string', 'null'] }, elapsed_ms: { type: 'number' } } },
    User: { properties: { object: { enum: ['org', 'team', 'user'] }, team: { type: ['string', 'null'] } } },
  })
  t.notOk(schemas['Key']!.required.includes('hash') || schemas['Organization']!.required.includes('team'))
  for (const [path, method] of [
    ['/admin/v1/teams/{id}', 'delete'],
    ['/admin/v1/orgs/{id}', 'delete'],
    ['/admin/v1/users/{id}', 'get'],
  ])
    t.hasProps(document.paths[path!][method!].responses, ['404', '409', '429', '503'], `${method} ${path}`)
})

t.test('with logging off, no prompt and no answer is anywhere', async t => {
  const canary = 'CANARY-7f3a'
  const answer = [{ type: 'text', text: canary } as const, ...hello.slice(2)]
  const under = await withAccounts({ plugins: [saying('vendor', answer)] })
  t.teardown(under.stop)
  const { call } = under
  const { id, key } = (await call('POST', '/keys', { name: 'k', org: 'acme' })).body
  const headers = { authorization: `Bearer ${key}` }
  const requests = [
    { model: 'vendor/m', input: canary },
    { model: 'nobody/m', input: canary },
    { model: 'sandbox/fail', input: canary },
    { model: 'vendor/m', input: [{ type: canary }] },
    { model: 'vendor/m', input: canary, metadata: { a: canary }, previous_response_id: 'resp_1' },
  ]
  for (const request of requests) {
    await under.request('/v1/responses', { body: request, headers })
    await call('POST', '/playground/responses', { key: id, request })
  }
  await call('POST', '/playground/responses', `{"key":"${id}","request":"${canary}"}`)
  await call('POST', '/playground/responses', `{"key":"${id}",${canary}`)
  await call('POST', '/playground/systemone', {
    key: id,
    request: { model: 'sandbox/dm', state: canary, questions: { q: { type: 'noul', instructions: canary } } },
  })
  await under.recorded(2 * requests.length + 1)
  const { data } = (await call('GET', '/records?limit=100')).body
  const shown = [data, ...(await Promise.all(data.map((record: any) => call('GET', `/records/${record.id}?content=true`))))]
  for (const path of ['/records/export', '/audit?limit=100', '/usage?group_by=model', '/config', '/plugins', '/keys', '/metrics/endpoints'])
    shown.push((await call('GET', path)).body)
  t.equal(data.length, 2 * requests.length + 1)
  t.notMatch(JSON.stringify(shown), canary)
  t.notMatch(under.logs.join(), canary)
  t.notMatch(JSON.stringify(under.records), canary)
})

t.test('every list is paged, in its own order, and takes only its own cursors', async t => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const under = await adminGateway({
    plugins: [
      ...names.map(name => saying(name, hello)),
      listing(...names.map(name => ({ model: `model-${name}`, endpoints: [{ provider: name }] }))),
    ],
  })
  t.teardown(under.stop)
  const { call } = under
  for (const name of names) {
    await under.token('viewer')
    await under.request('/v1/responses', { body: { model: `model-${name}`, input: 'hi' } })
  }
  for (const path of ['/admin-tokens', '/providers', '/models', '/plugins', '/metrics/endpoints']) {
    const all = (await call('GET', `${path}?limit=100`)).body
    t.match(all, { has_more: false, next_cursor: null }, path)
    t.ok(all.data.length >= 5, `${path}: ${all.data.length}`)
    const seen = []
    let cursor = ''
    for (;;) {
      const { body } = await call('GET', `${path}?limit=2${cursor && `&cursor=${cursor}`}`)
      seen.push(...body.data)
      if (!body.has_more) break
      t.equal(body.data.length, 2)
      cursor = body.next_cursor
    }
    t.same(seen, all.data, path)
    t.equal((await call('GET', `/keys?cursor=${cursor}`)).status, 400, path)
    t.equal((await call('GET', `${path}?limit=101`)).status, 400, path)
  }
  const { body } = await call('GET', '/admin-tokens?limit=2')
  await call('DELETE', `/admin-tokens/${body.data[1].id}`)
  const rest = (await call('GET', `/admin-tokens?cursor=${body.next_cursor}`)).body
  t.equal(rest.data.length, 3, 'none is left out if the last entry of a page is deleted')
})

t.test('an owner of one organization manages its tokens only', async t => {
  const under = await withAccounts()
  t.teardown(under.stop)
  const { call } = under
  const owner = await under.token('owner', 'acme')
  await under.token('viewer', 'globex')
  await under.token('viewer')
  const created = await call('POST', '/admin-tokens', { name: 'x', role: 'editor' }, owner)
  t.match(created, { status: 201, body: { token: /^ta_/, role: 'editor', org: 'acme' } }, 'the organization of the token by default')
  const { data } = (await call('GET', '/admin-tokens', undefined, owner)).body
  t.same(
    data.map(({ org }: any) => org),
    ['acme', 'acme'],
  )
  const refused = await call('POST', '/admin-tokens', { name: 'x', role: 'viewer', org: null }, owner)
  t.match(refused, { status: 403, body: { error: { message: /Tokens for all organizations/ } } })
  t.equal((await call('POST', '/admin-tokens', { name: 'x', role: 'viewer', org: 'globex' }, owner)).status, 400)
  for (const { id, org } of (await call('GET', '/admin-tokens')).body.data)
    if (org !== 'acme') t.equal((await call('DELETE', `/admin-tokens/${id}`, undefined, owner)).status, 404)
  t.match((await call('GET', '/audit?limit=1', undefined, owner)).body.data, [{ action: 'admin-tokens.create', org: 'acme' }])
  t.match((await call('DELETE', `/admin-tokens/${created.body.id}`, undefined, owner)).body, { deleted: true })
})

t.test('a user moves to another team together with its keys', async t => {
  const under = await withAccounts()
  t.teardown(under.stop)
  const { call } = under
  await call('POST', '/teams', { id: 'support', name: 'Support', org: 'acme', policy: { logging: { value: false, enforced: true } } })
  const { id } = (await call('POST', '/keys', { name: 'k', org: 'acme', user: 'ada' })).body
  const other = (await call('POST', '/keys', { name: 'k', org: 'acme', team: 'research' })).body.id
  const policyOf = async () => (await call('GET', `/keys/${id}`)).body
  t.match(await call('PATCH', '/users/ada?org=acme', { team: 'support' }), { status: 200, body: { team: 'support' } })
  t.match(await policyOf(), { team: 'support', policy_source: { logging: 'team' } })
  t.equal((await call('GET', `/keys/${other}`)).body.team, 'research', 'a key of the team itself stays')
  t.match(await call('PATCH', '/users/ada?org=acme', { team: null }), { status: 200, body: { team: null } })
  t.match(await policyOf(), { team: null, policy_source: { logging: 'key' } })
  const { data } = (await call('GET', `/audit?target=${id}`)).body
  t.match(data, [{ action: 'keys.update', changes: { team: { from: 'support', to: null } } }, { action: 'keys.update' }, {}])
})

t.test('after ten wrong tokens of one address, more like them get a 429, and valid tokens go on working', async t => {
  let now = 1_000_000
  const under = await adminGateway({ clock: { now: () => now, elapsed: () => now } })
  t.teardown(under.stop)
  const [used, fresh] = [await under.token('owner'), await under.token('owner')]
  const { app } = under.gateway.admin!
  const get = (token: string, ip = '192.0.2.7') => {
    const request = new Request('http://127.0.0.1/admin/v1/keys', { headers: { authorization: `Bearer ${token}` } })
    return app.h3.fetch(Object.assign(request, { ip }))
  }
  t.equal((await get(used)).status, 200)
  const { body: made } = await under.call('POST', '/keys', { name: 'k' })
  const mixedUp = await get(made.key)
  t.equal(mixedUp.status, 401)
  t.match(await mixedUp.json(), { error: { message: /^This is an API key\. The admin API accepts admin tokens/ } })
  const wrong = `${fresh.slice(0, -1)}x`
  for (let tries = 0; tries < 10; tries++) t.equal((await get(wrong)).status, 401)
  const refused = await get(wrong)
  t.equal(refused.status, 429)
  t.equal(refused.headers.get('retry-after'), '60')
  for (const token of [used, fresh]) t.equal((await get(token)).status, 200)
  t.equal((await get('another-token')).status, 401, 'with another beginning')
  t.equal((await get(wrong, '192.0.2.8')).status, 401, 'from another address')
  now += 60_000
  t.equal((await get(wrong)).status, 401)
})

t.test('a body may start with a byte order mark', async t => {
  const under = await adminGateway()
  t.teardown(under.stop)
  t.equal((await under.call('POST', '/orgs', `\ufeff{"name":"Acme"}`)).status, 201)
})

t.test('settings that no guardrail can use are refused when they are set', async t => {
  const under = await adminGateway({ plugins: [redaction({})] })
  t.teardown(under.stop)
  const { call } = under
  await call('POST', '/orgs', { id: 'acme', name: 'Acme' })
  const { id } = (await call('POST', '/keys', { name: 'k' })).body
  const custom = (pattern: string) => ({ custom: [{ name: 'ticket', pattern }] })
  const cases: readonly (readonly [settings: object, member: string, message: RegExp])[] = [
    [{ detectors: ['emial'] }, '.detectors[0]', /cannot use 'policy\.redaction\.settings'\. .*expected 'secret'/],
    [{ detector: ['email'] }, '.detector', /Did you mean detectors\?/],
    [{ restore: 'yes' }, '.restore', /expected a boolean/],
    [custom('(?=a)b'), '.custom[0].pattern', /linear time/],
    [custom('a*'), '.custom[0].pattern', /empty text/],
    [{ custom: [{ name: '1', pattern: 'a' }] }, '.custom[0].name', /must match/],
  ]
  for (const [settings, member, message] of cases) {
    const policy = { redaction: { value: true, settings } }
    for (const [method, path, body] of [
      ['POST', '/keys', { name: 'k', policy }],
      ['PATCH', `/keys/${id}`, { policy }],
      ['POST', '/orgs', { name: 'x', policy }],
      ['PATCH', '/orgs/acme', { policy: { redaction: { ...policy.redaction, enforced: true } } }],
    ] as const) {
      const { status, body: reply } = await call(method, path, body)
      t.equal(status, 400, `${method} ${path} ${JSON.stringify(settings)}`)
      t.match(reply.error, { param: `policy.redaction.settings${member}`, message })
    }
  }
  const good = { redaction: { value: true, settings: { ...custom('T-\\d+'), detectors: ['email'] } } }
  t.equal((await call('PATCH', `/keys/${id}`, { policy: good })).status, 200)
  t.same((await call('GET', `/keys/${id}`)).body.policy, good)
})

t.test('a cap counts what was spent in its period before it was set', async t => {
  const price = { input: 10, output: 100 }
  const under = await withAccounts({
    plugins: [saying('vendor', hello), listing({ model: 'm', endpoints: [{ provider: 'vendor', price }] })],
  })
  t.teardown(under.stop)
  const { call } = under
  const { key, id } = (await call('POST', '/keys', { name: 'k', org: 'acme', user: 'ada' })).body
  const ask = () => under.request('/v1/responses', { body: { model: 'm', input: 'hi' }, headers: { authorization: `Bearer ${key}` } })
  for (let index = 0; index < 3; index++) t.equal((await ask()).status, 200)
  await under.recorded(3)
  const { spent_usd: spent } = (await call('GET', `/keys/${id}`)).body
  t.ok(spent > 0)
  for (const path of [`/keys/${id}`, '/users/ada?org=acme', '/teams/research?org=acme', '/orgs/acme'])
    for (const period of ['month', 'day', null]) {
      const { body } = await call('PATCH', path, { spend_cap_usd: 100, spend_period: period })
      t.ok(Math.abs(body.spent_usd - spent) < 1e-9, `${path} by ${period}: ${body.spent_usd}`)
    }
  await call('PATCH', `/keys/${id}`, { spend_cap_usd: spent })
  t.equal((await ask()).status, 402)
  await call('PATCH', `/keys/${id}`, { spend_cap_usd: null })
  t.equal((await ask()).status, 200)
  t.match((await call('GET', '/orgs/globex')).body, { spent_usd: null })
})
