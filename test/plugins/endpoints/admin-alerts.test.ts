import t from 'tap'
import type { Alert } from '../../../core/admin.ts'
import { definePlugin, type PluginUse } from '../../../core/index.ts'
import { AlertStore } from '../../../core/stores.ts'
import { adminGateway, type AdminGateway } from '../../kit/admin-gateway.ts'
import { hello, saying } from '../../kit/gateway.ts'
import { listing } from '../../kit/stage.ts'

const dayMs = 86_400_000
const soon = (): string => new Date(Date.now() + dayMs).toISOString()

async function underTest(
  plugins: readonly PluginUse[] = [saying('acme', hello)],
): Promise<AdminGateway & { raise(id: string, members?: Partial<Alert>): Promise<void>; readonly store: AlertStore }> {
  let store: AlertStore | undefined
  const reading = definePlugin({
    name: 'reads-alerts',
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { alerts: AlertStore },
    setup: (_, __, { alerts }) => void (store = alerts),
  })
  const under = await adminGateway({ plugins: [...plugins, reading({})] })
  let at = Date.now() - 10_000
  return {
    ...under,
    store: store!,
    async raise(id, members = {}) {
      const alert: Alert = {
        id,
        at: at++,
        kind: 'cap',
        subject: 'key:demo',
        org: 'acme',
        severity: 'warning',
        title: `Alert ${id}`,
        message: 'A test.',
        facts: { percent: 80 },
        resolves: null,
        ...members,
      }
      await store!.raise({ alert, channels: ['chat'] })
    },
  }
}

t.test('alerts are listed, found and acknowledged, by those who may see them', async t => {
  const under = await underTest()
  t.teardown(under.stop)
  const { call, raise } = under
  await raise('a1')
  await raise('a2', { org: 'globex', kind: 'credit' })
  await raise('a3', { org: null, kind: 'provider', subject: 'provider:acme', severity: 'critical' })
  await raise('a4', { org: null, kind: 'provider', subject: 'provider:acme', severity: 'info', resolves: 'a3' })
  const ids = async (query: string, token?: string): Promise<readonly string[]> =>
    (await call('GET', `/alerts${query}`, undefined, token)).body.data.map(({ id }: { id: string }) => id)
  t.same(await ids(''), ['a4', 'a3', 'a2', 'a1'])
  t.match((await call('GET', '/alerts?limit=1')).body, {
    has_more: true,
    data: [{ object: 'alert', id: 'a4', kind: 'provider', org: null, state: 'resolved', resolves: 'a3', silenced_by: null }],
  })
  const { body: page } = await call('GET', '/alerts?limit=3')
  t.same(await ids(`?cursor=${page.next_cursor}`), ['a1'])
  t.same(await ids('?kind=provider&state=resolved'), ['a4', 'a3'])
  t.same(await ids('?org=acme&state=open'), ['a1'])
  t.same(await ids(`?from=${new Date(Date.now() + dayMs).toISOString()}`), [])
  for (const [query, param] of [
    ['?kind=party', 'kind'],
    ['?state=closed', 'state'],
    ['?from=yesterday', 'from'],
    ['?severity=info', 'severity'],
  ] as const)
    t.match(await call('GET', `/alerts${query}`), { status: 400, body: { error: { param } } }, query)

  const [viewer, editor, other] = await Promise.all([
    under.token('viewer', 'acme'),
    under.token('editor', 'acme'),
    under.token('editor', 'globex'),
  ])
  t.same(await ids('', viewer), ['a1'])
  t.same(await ids('?org=globex', viewer), [])
  t.same(await ids('?kind=provider', viewer), [])
  t.match(await call('POST', '/alerts/a1/acknowledge', undefined, viewer), { status: 403 })
  for (const id of ['a1', 'a3', 'nobody'])
    t.match(await call('POST', `/alerts/${id}/acknowledge`, undefined, other), { status: 404, body: { error: { code: 'not_found' } } }, id)
  t.match(await call('POST', '/alerts/a1/acknowledge', undefined, editor), {
    status: 200,
    body: { id: 'a1', state: 'acknowledged', acknowledged_at: /^20/, acknowledged_by: /./ },
  })
  t.match(await call('POST', '/alerts/a1/acknowledge'), { status: 200, body: { state: 'acknowledged' } })
  t.same(await ids('?state=acknowledged'), ['a1'])
  const { body: audit } = await call('GET', '/audit?target=a1')
  t.match(audit.data, [
    { action: 'alerts.acknowledge', target: 'a1', org: 'acme', changes: { state: { from: 'open', to: 'acknowledged' } } },
  ])
  t.equal(audit.data.length, 1)
})

t.test('silences hold back what they match', async t => {
  const under = await underTest()
  t.teardown(under.stop)
  const { call, raise, store } = under
  const made = await call('POST', '/silences', { kind: 'provider', subject: 'provider:acme', until: soon(), note: 'Maintenance' })
  t.match(made, {
    status: 201,
    body: {
      object: 'silence',
      kind: 'provider',
      subject: 'provider:acme',
      org: null,
      note: 'Maintenance',
      created_by: 'command-line',
      reach: 'all',
    },
  })
  await raise('a1', { kind: 'provider', subject: 'provider:acme', org: null })
  t.same(await store.take(['chat'], 1), [])
  t.match((await call('GET', '/alerts')).body.data, [{ id: 'a1', silenced_by: made.body.id }])
  t.match((await call('GET', '/silences')).body.data, [{ id: made.body.id }])
  t.match(await call('DELETE', `/silences/${made.body.id}`), { status: 200, body: { deleted: true } })
  t.match(await call('DELETE', `/silences/${made.body.id}`), { status: 404 })
  const { body: audit } = await call('GET', `/audit?target=${made.body.id}`)
  t.same(
    audit.data.map(({ action }: { action: string }) => action),
    ['silences.delete', 'silences.create'],
  )
})

t.test('an organization silences its own targets only', async t => {
  const under = await underTest()
  t.teardown(under.stop)
  const { call, raise, store } = under
  const [editor, other, viewer] = await Promise.all([
    under.token('editor', 'acme'),
    under.token('editor', 'globex'),
    under.token('viewer', 'acme'),
  ])
  t.match(await call('POST', '/silences', { until: soon() }, viewer), { status: 403 })
  const own = await call('POST', '/silences', { until: soon() }, editor)
  t.match(own, { status: 201, body: { org: 'acme', reach: 'org', kind: null } })
  t.match(await call('POST', '/silences', { until: soon(), org: 'globex' }, editor), { status: 400, body: { error: { param: 'org' } } })
  await raise('a1')
  await raise('a2', { org: 'globex' })
  await raise('a3', { org: null, kind: 'provider' })
  const taken = await store.take(['chat'], 1)
  t.same(
    taken.map(({ alert, audience }) => [alert.id, audience]),
    [
      ['a1', 'operators'],
      ['a2', 'all'],
      ['a3', 'all'],
    ],
  )
  const ofAll = await call('POST', '/silences', { until: soon(), org: 'acme', kind: 'credit' })
  const listed = async (token: string): Promise<readonly string[]> =>
    (await call('GET', '/silences', undefined, token)).body.data.map(({ id }: { id: string }) => id)
  t.same((await listed(editor)).toSorted(), [own.body.id, ofAll.body.id].toSorted())
  t.same(await listed(other), [])
  t.match(await call('DELETE', `/silences/${own.body.id}`, undefined, other), { status: 404 })
  t.match(await call('DELETE', `/silences/${ofAll.body.id}`, undefined, editor), { status: 403 })
  t.match(await call('DELETE', `/silences/${own.body.id}`, undefined, editor), { status: 200 })
})

t.test('the subject of a silence is something that there is', async t => {
  const under = await underTest([saying('acme', hello), listing({ model: 'm', aliases: ['n'], endpoints: [{ provider: 'acme' }] })])
  t.teardown(under.stop)
  const { call, raise } = under
  const answer = async (subject: string, token?: string): Promise<string> => {
    const { status, body } = await call('POST', '/silences', { subject, until: soon() }, token)
    return status === 201 ? 'made' : `${status}: ${body.error.message}`
  }
  await call('POST', '/orgs', { id: 'acme', name: 'Acme' })
  await call('POST', '/teams', { id: 'big@team', name: 'Big', org: 'acme' })
  const { id } = (await call('POST', '/keys', { name: 'demo', org: 'acme' })).body as { readonly id: string }
  await raise('a1', { kind: 'provider', subject: 'provider:elsewhere', org: null })
  const named = ['gateway', 'provider:acme', 'provider:elsewhere', 'model:acme/m', 'model:acme/other', 'certificate:any', `key:${id}`]
  for (const subject of [...named, 'org:acme', 'team:acme/big%40team']) t.equal(await answer(subject), 'made', subject)
  const misspelled = {
    'provder:acme': /^400: Invalid value for 'subject': expected gateway, provider:<id>.* Did you mean provider:acme\?$/,
    'gateway:acme': /expected gateway/,
    acme: /expected gateway/,
    'provider:': /expected gateway/,
    'provider:acne': /this gateway has no such provider\. Did you mean provider:acme\?$/,
    'model:acne/m': /this gateway has no such provider\. Did you mean model:acme\/m\?$/,
    'model:acme': /expected model:<provider>\/<model>/,
    'model:acme/n': /Did you mean model:acme\/m\?$/,
    'model:acme/x': /the subject model:acme\/other\.$/,
    'sink:nowhere': /this gateway has no such log sink/,
    'key:nobody': /there is no such API key/,
    'org:acne': /there is no such organization/,
    'team:big@team': /expected team:<org>\/<id>/,
    'team:acme/big@team': /Did you mean team:acme\/big%40team\?$/,
    'user:acme/nobody': /there is no such user/,
  }
  for (const [subject, message] of Object.entries(misspelled)) t.match(await answer(subject), message, subject)
  const other = await under.token('editor', 'globex')
  for (const subject of [`key:${id}`, 'org:acme', 'provider:elsewhere']) t.match(await answer(subject, other), /^400: .* no such/, subject)
})

t.test('silences that cannot be', async t => {
  const under = await underTest()
  t.teardown(under.stop)
  const { call } = under
  const refused = async (body: object, message: RegExp): Promise<void> => {
    const { status, body: reply } = await call('POST', '/silences', body)
    t.equal(status, 400)
    t.match(reply.error.message, message)
  }
  await refused({ until: soon() }, /needs a kind, a subject or an org/)
  await refused({ kind: 'cap' }, /until/)
  await refused({ kind: 'cap', until: '2020-01-01T00:00:00Z' }, /from now to a year from now/)
  await refused({ kind: 'cap', until: '2199-01-01T00:00:00Z' }, /from now to a year from now/)
  await refused({ kind: 'cap', until: 'tomorrow' }, /expected a time such as/)
  await refused({ kind: 'party', until: soon() }, /'kind': expected 'cap', [^ ]+(, '[a-z-]+')+, but got/)
  await refused({ kind: 'cap', until: soon(), for: 'ever' }, /for/)
  await refused({ kind: 'cap', until: soon(), note: 'x'.repeat(501) }, /note/)
  for (let count = 0; count < 100; count++) t.equal((await call('POST', '/silences', { kind: 'cap', until: soon() })).status, 201)
  t.match(await call('POST', '/silences', { kind: 'cap', until: soon() }), { status: 409 })
  const editor = await under.token('editor', 'acme')
  t.equal((await call('POST', '/silences', { until: soon() }, editor)).status, 201, 'an organization has its own hundred')
})
