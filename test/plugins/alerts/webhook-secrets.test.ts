import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { definePlugin, type Registry } from '../../../core/index.ts'
import { AlertChannels, type AlertChannel } from '../../../core/admin.ts'
import { AlertStore, storeServiceNames } from '../../../core/stores.ts'
import alertWebhook from '../../../plugins/alerts/webhook/index.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import { adminGateway } from '../../kit/admin-gateway.ts'
import { bytesBeside } from '../stores/sql.ts'
import { alertOf, receiver } from './webhook-stage.ts'

const canaries = {
  operatorPath: 'canary-operator-path-11111',
  organizationPath: 'canary-organization-path-22222',
  changedPath: 'canary-changed-path-33333',
  operatorSecret: `whsec_${Buffer.from('canary of the operator, 32 bytes').toString('base64')}`,
  organizationSecret: `whsec_${Buffer.from('canary organization of 32 bytes!').toString('base64')}`,
}

t.test('addresses and secrets of targets appear nowhere', { timeout: 120_000 }, async t => {
  // It answers with what it was sent, as some services do.
  const echo = await receiver(t, 500, 404, 410, (response, count) => response.writeHead(400 + count).end(JSON.stringify(canaries)))
  const base = new URL(echo.url).origin
  const file = join(t.testdir({}), 'data', 'turnpike.db')
  let found: { readonly channels: Registry<AlertChannel>; readonly alerts: AlertStore }
  const taking = definePlugin({
    name: 'takes-channels',
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { channels: AlertChannels, alerts: AlertStore },
    setup(_, __, needs) {
      found = needs
    },
  })({})
  const targets = [
    { url: `${base}/${canaries.operatorPath}?token=${canaries.operatorPath}`, secret: canaries.operatorSecret },
    { url: `http://127.0.0.1:1/${canaries.operatorPath}`, secret: [canaries.operatorSecret] },
    { url: `https://hooks.invalid/${canaries.operatorPath}` },
  ]
  const plugins = [alertWebhook({ targets, allowPrivateAddresses: true }), sql({ file, services: [...storeServiceNames] }), taking]
  const under = await adminGateway({ plugins })
  let isStopped = false
  t.teardown(() => (isStopped ? undefined : under.stop()))
  const { call } = under
  const answers: string[] = []
  const ask = async (...request: Parameters<typeof call>): Promise<any> => {
    const { body, headers } = await call(...request)
    answers.push(JSON.stringify(body), JSON.stringify([...headers]))
    return body
  }
  await ask('POST', '/orgs', { id: 'acme', name: 'acme' })
  const ids: string[] = []
  for (const url of [
    `${base}/${canaries.organizationPath}`,
    `http://127.0.0.1:1/${canaries.organizationPath}`,
    `https://hooks.invalid/${canaries.organizationPath}`,
  ])
    ids.push((await ask('POST', '/alert-targets', { org: 'acme', name: 'x', url, secret: canaries.organizationSecret })).id)
  for (const id of ids) {
    await ask('POST', `/alert-targets/${id}/test`)
    await ask('PATCH', `/alert-targets/${id}`, { url: `https://${canaries.changedPath}@hooks.example.com/` })
    await ask('PATCH', `/alert-targets/${id}`, { secret: canaries.organizationPath })
    await ask('PATCH', `/alert-targets/${id}`, { url: [canaries.changedPath], secret: { [canaries.changedPath]: 1 } })
    await ask('PATCH', `/alert-targets/${id}`, { url: `${base}/${canaries.changedPath}` })
  }
  for (const id of ['one', 'two', 'three']) {
    const alert = alertOf(id)
    await found!.alerts.raise({ alert, channels: [] })
    await found!.channels.get('webhook')!.deliver(alert, 'all', AbortSignal.timeout(30_000))
  }
  await setTimeout(500)
  for (const path of [
    '/alert-targets',
    '/alert-messages',
    '/config',
    '/plugins',
    '/audit',
    '/alerts',
    '/records',
    `/alert-targets/${ids[0]!}`,
  ])
    await ask('GET', path)
  const { data } = await ask('GET', '/alert-messages?state=failed')
  for (const { id } of data) await ask('POST', `/alert-messages/${id}/resend`)
  await ask('DELETE', `/alert-targets/${ids[0]!}`)
  await setTimeout(200)
  isStopped = true
  await under.stop()
  t.ok(echo.got.length > 5 && answers.length > 30 && under.logs.length > 5)
  t.ok(echo.got.every(({ headers }) => headers['webhook-signature'] !== undefined))
  const stored = bytesBeside(file).toString('latin1')
  t.ok(stored.includes('alert_target'), 'the file is read')
  for (const [name, canary] of Object.entries(canaries))
    for (const text of [canary, Buffer.from(canary).toString('base64').slice(0, -3), encodeURIComponent(canary)]) {
      t.notOk(under.logs.join('\n').includes(text), `${name} is in no log line`)
      t.notOk(answers.join('\n').includes(text), `${name} is in no answer of the admin API`)
      t.notOk(stored.includes(text), `${name} is not in the files of the database`)
      t.notOk(JSON.stringify(under.records).includes(text), `${name} is in no record`)
    }
})
