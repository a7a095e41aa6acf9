import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import t, { type Test } from 'tap'
import { dictated, create, ended, gatewayWith, until } from './background-stage.ts'
import { send } from '../reading.ts'

const secret = `whsec_${Buffer.from('a demo secret of a webhook, as it is').toString('base64')}`

interface Got {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Receiver {
  readonly url: string
  readonly got: Got[]
}

/** A webhook that answers with these statuses, and with the last one from then on. 0: it never does. */
async function receiver(t: Test, ...statuses: readonly number[]): Promise<Receiver> {
  const got: Got[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => void (body += text))
    request.on('end', () => {
      got.push({ headers: request.headers, body })
      const status = statuses[got.length - 1] ?? statuses.at(-1)!
      if (status !== 0) response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.closeAllConnections())
  t.teardown(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=demo-path-secret`, got }
}

t.test('the webhook hears of each end, without content, and can verify it', async t => {
  const { url, got } = await receiver(t, 204)
  const acme = dictated()
  const under = await gatewayWith({ webhook: { url, secret, allowPrivate: true } }, { plugins: [acme.plugin] })
  t.teardown(under.stop)
  const cancelled = (await create(under)).body
  t.equal(cancelled['status'], 'queued')
  await send(under, 'POST', `/${cancelled.id}/cancel`)
  await until(() => got.length === 1)
  acme.say('a secret answer')
  acme.end()
  const completed = (await create(under, { metadata: { of: 'demo' } })).body
  await until(() => got.length === 2)
  const client = new OpenAI({ apiKey: 'demo', webhookSecret: secret })
  for (const [index, [id, status]] of (
    [
      [cancelled.id, 'cancelled'],
      [completed.id, 'completed'],
    ] as const
  ).entries()) {
    const { headers, body } = got[index]!
    const event = await client.webhooks.unwrap(body, headers as Record<string, string>)
    t.match(event, { type: `response.${status}`, object: 'event', data: { id, status } })
    t.same(Object.keys(event).toSorted(), ['created_at', 'data', 'id', 'object', 'type'])
    t.same(Object.keys(event.data).toSorted(), ['id', 'status'])
    t.equal(headers['webhook-id'], event.id)
    t.notMatch(body, /secret answer|demo/)
    t.equal(headers['authorization'], undefined)
    const forged = { ...(headers as Record<string, string>), 'webhook-signature': 'v1,AAAA' }
    await t.rejects(client.webhooks.unwrap(body, forged))
  }
})

t.test('a notice that fails is sent again, with the same webhook-id', async t => {
  const { url, got } = await receiver(t, 500, 302, 200)
  const acme = dictated()
  acme.end()
  const under = await gatewayWith({ webhook: { url, secret, allowPrivate: true } }, { plugins: [acme.plugin] })
  t.teardown(under.stop)
  const { body } = await create(under)
  await ended(under, body.id)
  await until(() => got.length === 2)
  t.equal(new Set(got.map(({ headers }) => headers['webhook-id'])).size, 1)
  t.equal(new Set(got.map(each => each.body)).size, 1)
  t.notOk(
    under.logs.some(line => line.includes('demo-path-secret')),
    'the log does not name the address',
  )
  t.ok(under.logs.some(line => line.includes('could not tell the webhook')))
})

t.test('a notice that gets no reply holds up no other', async t => {
  const { url, got } = await receiver(t, 0, 204)
  const acme = dictated()
  acme.end()
  const under = await gatewayWith({ webhook: { url, secret, allowPrivate: true } }, { plugins: [acme.plugin] })
  t.teardown(under.stop)
  await create(under)
  await until(() => got.length === 1)
  await create(under)
  await until(() => got.length === 2)
  t.equal(new Set(got.map(({ headers }) => headers['webhook-id'])).size, 2)
})

t.test('a webhook that is gone is not asked again', async t => {
  const { url, got } = await receiver(t, 410)
  const acme = dictated()
  acme.end()
  const under = await gatewayWith({ webhook: { url, secret, allowPrivate: true } }, { plugins: [acme.plugin] })
  t.teardown(under.stop)
  await create(under)
  await until(() => under.logs.some(line => line.includes('gave up telling the webhook')))
  t.equal(got.length, 1)
})

t.test('a name that leads to a private address is not asked', async t => {
  const acme = dictated()
  acme.end()
  const port = new URL((await receiver(t, 200)).url).port
  // A public name, as far as it tells.
  const url = `https://localtest.example.com:${port}/hook`
  const under = await gatewayWith({ webhook: { url, secret } }, { plugins: [acme.plugin] })
  t.teardown(under.stop)
  await create(under)
  await until(() => under.logs.some(line => line.includes('could not tell the webhook')))
  t.notOk(under.logs.some(line => line.includes('localtest')))
})
