import { setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Webhook } from 'standardwebhooks'
import { definePlugin, type Registry } from '../../../core/index.ts'
import { AlertChannels, type AlertChannel } from '../../../core/admin.ts'
import { AlertOutbox, AlertStore } from '../../../core/stores.ts'
import alertWebhook from '../../../plugins/alerts/webhook/index.ts'
import { adminGateway, type AdminGateway } from '../../kit/admin-gateway.ts'
import { alertOf, pathToken, receiver, secret } from './webhook-stage.ts'

interface TargetGateway extends AdminGateway {
  readonly outbox: AlertOutbox
  deliver(id: string, more?: Parameters<typeof alertOf>[1], audience?: 'all' | 'operators'): Promise<void>
}

type Options = Parameters<typeof alertWebhook>[0]

/** A gateway with the organizations `acme` and `globex`. */
async function underTest(t: Test, options: Options = { allowPrivateAddresses: true }): Promise<TargetGateway> {
  let found: { readonly channels: Registry<AlertChannel>; readonly alerts: AlertStore; readonly outbox: AlertOutbox }
  const taking = definePlugin({
    name: 'takes-channels',
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { channels: AlertChannels, alerts: AlertStore, outbox: AlertOutbox },
    setup(_, __, needs) {
      found = needs
    },
  })({})
  const under = await adminGateway({ plugins: [alertWebhook(options), taking] })
  t.teardown(under.stop)
  for (const org of ['acme', 'globex']) await under.call('POST', '/orgs', { id: org, name: org })
  return {
    ...under,
    outbox: found!.outbox,
    async deliver(id, more, audience = 'all') {
      const alert = alertOf(id, more)
      await found.alerts.raise({ alert, channels: [] })
      await found.channels.get('webhook')!.deliver(alert, audience, AbortSignal.timeout(30_000))
    },
  }
}

const publicUrl = 'https://hooks.example.com/services/T000/B000/demo-token-wxyz'

t.test('a target is created, shown without its secrets, changed and deleted', async t => {
  const { call } = await underTest(t)
  const { status, body } = await call('POST', '/alert-targets', { org: 'acme', name: 'On call', url: publicUrl, format: 'slack' })
  t.equal(status, 201)
  const shown = {
    object: 'alert_target',
    id: body.id,
    org: 'acme',
    source: 'api',
    name: 'On call',
    format: 'slack',
    host: 'hooks.example.com',
    url_end: 'wxyz',
    secret_ends: [],
    kinds: null,
    min_severity: 'info',
    orgs: ['acme'],
    disabled: false,
    waiting: 0,
    failed: 0,
    delivered_at: null,
    ended_at: null,
    created_at: body.created_at,
  }
  t.same(body, shown)
  t.same((await call('GET', `/alert-targets/${body.id}`)).body, shown)
  const changed = await call('PATCH', `/alert-targets/${body.id}`, { kinds: ['cap'], min_severity: 'critical', secret, disabled: true })
  const after = { ...shown, kinds: ['cap'], min_severity: 'critical', secret_ends: [secret.slice(-4)], disabled: true }
  t.same(changed.body, after)
  t.same((await call('GET', '/alert-targets')).body, { data: [after], has_more: false, next_cursor: null })
  t.same((await call('PATCH', `/alert-targets/${body.id}`, { secret: null, kinds: null })).body, { ...after, secret_ends: [], kinds: null })
  t.equal((await call('DELETE', `/alert-targets/${body.id}`)).body.deleted, true)
  t.equal((await call('GET', `/alert-targets/${body.id}`)).status, 404)
  const { data } = (await call('GET', '/audit')).body
  const actions = data.map(({ action }: { readonly action: string }) => action).filter((action: string) => action.startsWith('alert'))
  t.same(actions, ['alert-targets.delete', 'alert-targets.update', 'alert-targets.update', 'alert-targets.create'])
  t.notMatch(JSON.stringify(data), /demo-token|whsec/)
})

t.test('a secret is made for the format of the gateway, and shown once', async t => {
  const { url, got } = await receiver(t, 200)
  const { call } = await underTest(t)
  const { body } = await call('POST', '/alert-targets', { org: 'acme', name: 'x', url })
  t.match(body.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  t.equal((await call('GET', `/alert-targets/${body.id}`)).body.secret, undefined)
  t.match((await call('POST', `/alert-targets/${body.id}/test`)).body, {
    object: 'alert_test',
    delivered: true,
    status: 200,
    failure: null,
  })
  const { headers, text } = got[0]!
  t.match(new Webhook(body.secret).verify(text, headers as Record<string, string>), { type: 'alert.test', data: { org: 'acme' } })
  const unsigned = await call('POST', '/alert-targets', { org: 'acme', name: 'x', url, secret: null })
  t.same([unsigned.body.secret, unsigned.body.secret_ends], [undefined, []])
})

t.test('wrong settings are refused, and not quoted', async t => {
  const { call } = await underTest(t, {})
  const wrong = async (more: object, param: string): Promise<void> => {
    const { status, body } = await call('POST', '/alert-targets', { org: 'acme', name: 'x', url: publicUrl, ...more })
    t.equal(status, 400, JSON.stringify(more).slice(0, 100))
    t.equal(body.error.param, param)
    t.notMatch(body.error.message, /demo-token|bad-secret/)
  }
  for (const url of [
    'hooks.example.com',
    'ftp://hooks.example.com/demo-token',
    'http://hooks.example.com/demo-token',
    'https://user:demo-token@hooks.example.com/',
    'https://127.0.0.1/demo-token',
    'https://2130706433/demo-token',
    'https://[::1]/demo-token',
    'https://[::ffff:10.0.0.1]/demo-token',
    'https://169.254.169.254/demo-token',
    'https://metadata.google.internal/demo-token',
    'https://localhost/demo-token',
    'https://localhost./demo-token',
    'https://database/demo-token',
    `https://hooks.example.com/demo-token${'x'.repeat(2_000)}`,
    '',
    7,
    null,
  ])
    await wrong({ url }, 'url')
  for (const bad of ['bad-secret', 'whsec_', 'whsec_bad-secret', `${secret}=`, `whsec_${Buffer.alloc(23).toString('base64')}`])
    await wrong({ secret: bad }, 'secret')
  await wrong({ secret: [secret, secret, secret, secret] }, 'secret')
  await wrong({ secret: [7] }, 'secret[0]')
  await wrong({ format: 'email' }, 'format')
  await wrong({ kinds: ['weather'] }, 'kinds[0]')
  await wrong({ kinds: [] }, 'kinds')
  await wrong({ min_severity: 'high' }, 'min_severity')
  await wrong({ org: 'nobody' }, 'org')
  await wrong({ org: undefined }, 'org')
  await wrong({ name: '' }, 'name')
  await wrong({ headers: {} }, 'headers')
  const { body } = await call('POST', '/alert-targets', { org: 'acme', name: 'x', url: publicUrl })
  t.equal((await call('PATCH', `/alert-targets/${body.id}`, { url: 'https://10.0.0.1/' })).status, 400)
})

t.test('an organization has at most 20 targets', async t => {
  const { call } = await underTest(t)
  const create = (org: string): ReturnType<typeof call> => call('POST', '/alert-targets', { org, name: 'x', url: publicUrl })
  const statuses = (await Promise.all(Array.from({ length: 22 }, () => create('acme')))).map(({ status }) => status)
  t.same(statuses.toSorted(), [...Array.from({ length: 20 }, () => 201), 409, 409])
  t.equal((await create('globex')).status, 201)
  const first = (await call('GET', '/alert-targets?limit=15')).body
  const rest = (await call('GET', `/alert-targets?limit=15&cursor=${first.next_cursor}`)).body
  t.equal(new Set([...first.data, ...rest.data].map(({ id }: { readonly id: string }) => id)).size, 21)
  t.equal(rest.has_more, false)
})

t.test('a token of one organization sees and sets its own targets only', async t => {
  const operator = await receiver(t, 200)
  const { call, token, deliver, outbox } = await underTest(t, { targets: [{ url: operator.url, name: 'operator' }] })
  const [acme, globex, viewer] = [await token('editor', 'acme'), await token('editor', 'globex'), await token('viewer', 'acme')]
  const own = (await call('POST', '/alert-targets', { name: 'own', url: publicUrl }, acme)).body
  t.equal(own.org, 'acme')
  t.equal((await call('POST', '/alert-targets', { name: 'x', url: publicUrl, org: 'globex' }, acme)).status, 400)
  t.equal((await call('POST', '/alert-targets', { name: 'x', url: publicUrl }, viewer)).status, 403)
  const configured = (await call('GET', '/alert-targets')).body.data[0]
  t.match(configured, { source: 'config', org: null, name: 'operator', created_at: null, orgs: null })
  t.equal((await call('GET', '/alert-targets?org=acme', undefined, globex)).body.data.length, 0)
  for (const [method, path, body] of [
    ['GET', ''],
    ['PATCH', '', { name: 'stolen' }],
    ['DELETE', ''],
    ['POST', '/test'],
  ] as const)
    for (const [id, whose] of [
      [own.id, globex],
      [configured.id, acme],
    ])
      t.equal((await call(method, `/alert-targets/${id}${path}`, body, whose)).status, 404, `${method} ${path}`)
  t.same(
    (await call('GET', '/alert-targets', undefined, acme)).body.data.map(({ name }: { readonly name: string }) => name),
    ['own'],
  )
  await deliver('of-acme')
  await deliver('of-globex', { org: 'globex' })
  await deliver('of-the-gateway', { org: null })
  await deliver('silenced-by-acme', {}, 'operators')
  await operator.until(4)
  const sentTo = async (whose: string | undefined): Promise<readonly string[]> =>
    (await call('GET', '/alert-messages', undefined, whose)).body.data.map(({ alert }: { readonly alert: string }) => alert)
  t.same(await sentTo(acme), ['of-acme'])
  t.same(await sentTo(globex), [])
  t.equal((await sentTo(undefined)).length, 5)
  const [message] = await outbox.page({ target: configured.id }, { limit: 1 })
  t.equal((await call('POST', `/alert-messages/${message!.id}/resend`, undefined, acme)).status, 404)
  t.equal((await call('POST', `/alert-messages/${message!.id}/resend`)).status, 409)
  t.equal((await call('PATCH', `/alert-targets/${configured.id}`, { name: 'x' })).status, 409)
  t.equal((await call('DELETE', `/alert-targets/${configured.id}`)).status, 409)
})

t.test('private addresses are reached only if the config says so', async t => {
  const { url, got } = await receiver(t, 200)
  const { call } = await underTest(t, {})
  t.equal((await call('POST', '/alert-targets', { org: 'acme', name: 'x', url })).status, 400)
  const allowed = await underTest(t)
  const { id } = (await allowed.call('POST', '/alert-targets', { org: 'acme', name: 'x', url })).body
  t.equal((await allowed.call('POST', `/alert-targets/${id}/test`)).body.delivered, true)
  t.equal(got.length, 1)
})

t.test('a test says what came of it, is not repeated endlessly, and brings back a target that was gone', async t => {
  const { url, got } = await receiver(t, 410, 500, 200)
  const { call, deliver, outbox } = await underTest(t)
  const { id } = (await call('POST', '/alert-targets', { org: 'acme', name: 'x', url })).body
  await deliver('first')
  while ((await call('GET', `/alert-targets/${id}`)).body.ended_at === null) await setTimeout(10)
  const test = (): ReturnType<typeof call> => call('POST', `/alert-targets/${id}/test`)
  t.match((await test()).body, { delivered: false, status: 500, failure: 'answered with status 500' })
  await deliver('second')
  t.equal((await outbox.page({ state: 'waiting' }, { limit: 5 })).length, 0)
  t.match((await test()).body, { delivered: true, status: 200 })
  t.equal((await call('GET', `/alert-targets/${id}`)).body.ended_at, null)
  await deliver('third')
  for (let tests = 0; tests < 4; tests++) t.equal((await test()).status, 200)
  const refused = await test()
  t.equal(refused.status, 429)
  t.ok(Number(refused.headers.get('retry-after')) > 0)
  t.ok(got.length >= 7)
})

t.test('what failed is listed and sent again', async t => {
  const { url, got } = await receiver(t, 410, 200)
  const { call, deliver } = await underTest(t)
  const target = (await call('POST', '/alert-targets', { org: 'acme', name: 'x', url })).body.id
  await deliver('first')
  const failed = async (): Promise<readonly any[]> => (await call('GET', `/alert-messages?state=failed&target=${target}`)).body.data
  while ((await failed()).length === 0) await setTimeout(10)
  const [message] = await failed()
  t.match(message, {
    object: 'alert_message',
    target,
    org: 'acme',
    kind: 'cap',
    alert: 'first',
    tries: 1,
    failure: 'answered with status 410',
  })
  t.match((await call('POST', `/alert-messages/${message.id}/resend`)).body, { id: message.id, state: 'waiting', tries: 0 })
  while (got.length < 2) await setTimeout(10)
  t.equal(got[1]!.headers['webhook-id'], message.id)
  t.equal((await call('POST', '/alert-messages/nobody/resend')).status, 404)
})

t.test('targets and their messages go with their organization', async t => {
  const { call, deliver, outbox } = await underTest(t)
  const target = (await call('POST', '/alert-targets', { org: 'globex', name: 'x', url: publicUrl })).body.id
  await deliver('first', { org: 'globex' })
  t.equal((await outbox.page({ org: 'globex' }, { limit: 5 })).length, 1)
  t.equal((await call('DELETE', '/orgs/globex')).status, 200)
  t.equal((await call('GET', `/alert-targets/${target}`)).status, 404)
  t.equal((await outbox.page({ org: 'globex' }, { limit: 5 })).length, 0)
})

t.test('bad options', async t => {
  const bad = async (targets: NonNullable<Options['targets']>, message: RegExp): Promise<void> => {
    const error = (await adminGateway({ plugins: [alertWebhook({ targets })] }).then(
      () => t.fail('it started'),
      (thrown: unknown) => thrown,
    )) as Error
    t.match(error.message, message)
    t.notMatch(error.message, pathToken)
  }
  await bad([{ url: `ftp://example.com/${pathToken}` }], /targets\[0\]\.url/)
  await bad([{ url: `https://user:${pathToken}@example.com/` }], /user name or a password/)
  await bad([{ url: 'https://example.com/', secret: pathToken }], /bad secret in its option targets\[0\]: expected whsec_/)
  await bad([{ url: `https://example.com/${pathToken}` }, { url: `https://example.com/${pathToken}` }], /same url/)
  await bad([{ url: 'https://example.com/', format: 'email' as 'json' }], /format must be one of json, slack, teams, discord/)
})
