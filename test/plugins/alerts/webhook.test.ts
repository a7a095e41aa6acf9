import { readFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { createServer, type AddressInfo } from 'node:net'
import t from 'tap'
import type { Alert } from '../../../core/admin.ts'
import { alertOf, pathToken, receiver, recipientOf, secret, stage, verified } from './webhook-stage.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

t.test('an alert arrives once, in the format of the gateway, and its signature can be verified', async t => {
  const { url, got } = await receiver(t, 204)
  const { tell, outbox } = stage(t, [recipientOf(url)])
  await tell(alertOf('demo'), alertOf('demo'))
  t.equal(got.length, 1)
  const [{ headers, body }] = got as [(typeof got)[0]]
  t.same(verified(got[0]!), body)
  t.match(body, {
    type: 'alert.cap',
    timestamp: '2026-01-01T00:00:00.000Z',
    data: { id: 'demo', kind: 'cap', subject: 'key:demo', org: 'acme', severity: 'warning', facts: { percent: 80 }, resolves: null },
  })
  t.match(headers, { 'content-type': 'application/json', 'user-agent': 'Turnpike' })
  t.match(headers['webhook-id'], /^msg_[0-9a-f]{32}$/)
  t.throws(() => verified({ ...got[0]!, text: got[0]!.text.replace('80', '10') }), 'a changed body')
  t.throws(() => verified({ ...got[0]!, headers: { ...headers, 'webhook-id': 'msg_other' } }), 'another id')
  t.equal(outbox.find(String(headers['webhook-id']))?.state, 'delivered')
})

t.test('while a secret is rotated, both sign', async t => {
  const { url, got } = await receiver(t, 204)
  const old = `whsec_${Buffer.from('the demo secret that is going away').toString('base64')}`
  const { tell } = stage(t, [recipientOf(url, { secrets: [secret, old] }), recipientOf(`${url}/unsigned`, { id: 'cfg_two', secrets: [] })])
  await tell(alertOf('demo'))
  for (const each of [secret, old]) t.match(verified(got[0]!, each), { type: 'alert.cap' })
  t.throws(() => verified(got[0]!, `whsec_${Buffer.from('a secret that nobody has set here').toString('base64')}`))
  t.equal(got[1]!.headers['webhook-signature'], undefined)
})

t.test('a try that failed is made again, later each time, with the same id and a new time', async t => {
  const { url, got } = await receiver(t, 500, 302, 404, 200)
  const { tell, pass, outbox } = stage(t, [recipientOf(url)])
  await tell(alertOf('demo'))
  await pass(4 * second)
  t.equal(got.length, 1)
  for (const [index, wait] of [2 * second, 31 * second, 2 * minute + second].entries()) {
    await pass(wait)
    t.equal(got.length, index + 2)
  }
  await pass(24 * hour)
  t.equal(got.length, 4)
  t.equal(new Set(got.map(({ headers }) => headers['webhook-id'])).size, 1)
  t.equal(new Set(got.map(({ text }) => text)).size, 1)
  t.equal(new Set(got.map(({ headers }) => headers['webhook-timestamp'])).size, 4)
  const [message] = outbox.page({}, { limit: 2 })
  t.match(message, { state: 'delivered', tries: 4, failure: null })
})

t.test('a target that fails for a day is given up, and its message can be sent again', async t => {
  const { url, got } = await receiver(t, 503)
  const { tell, pass, outbox, logs, sender } = stage(t, [recipientOf(url)])
  await tell(alertOf('demo'))
  let passed = 0
  for (; passed < 25 * hour; passed += 30 * second) await pass(30 * second)
  t.ok(got.length >= 10 && got.length <= 13, `${got.length} tries`)
  const [message] = outbox.page({ state: 'failed' }, { limit: 2 })
  t.match(message, { tries: got.length, failure: 'answered with status 503' })
  t.ok(message!.endedAt! - message!.at > 20 * hour && message!.endedAt! - message!.at <= 24 * hour)
  t.equal(logs.filter(line => line.includes('gave up')).length, 1)
  const before = got.length
  t.equal(outbox.resend(message!.id), true)
  sender.wake()
  await sender.idle()
  t.equal(got.length, before + 1)
  t.equal(got.at(-1)!.headers['webhook-id'], message!.id)
  t.equal(outbox.find(message!.id)?.state, 'waiting')
  t.notOk(logs.some(line => line.includes(pathToken)))
})

t.test('a target is not asked sooner than it wants', async t => {
  const { url, got } = await receiver(t, response => response.writeHead(429, { 'retry-after': '600' }).end(), 200)
  const { tell, pass } = stage(t, [recipientOf(url)])
  await tell(alertOf('first'))
  await tell(alertOf('second'))
  await pass(5 * minute)
  t.equal(got.length, 1, 'other messages wait, too')
  await pass(5 * minute + second)
  t.equal(got.length, 3)
})

t.test('a target that asks for days is asked again after an hour', async t => {
  const { url, got } = await receiver(t, response => response.writeHead(429, { 'retry-after': '99999999' }).end(), 200)
  const { tell, pass } = stage(t, [recipientOf(url)])
  await tell(alertOf('first'), alertOf('second'))
  await pass(59 * minute)
  t.equal(got.length, 1)
  await pass(minute + second)
  t.equal(got.length, 3)
})

t.test('a target that is gone gets no more', async t => {
  const { url, got } = await receiver(t, 410)
  const { tell, pass, outbox, logs } = stage(t, [recipientOf(url)])
  await tell(alertOf('first'))
  await tell(alertOf('second'))
  await pass(24 * hour)
  t.equal(got.length, 1)
  t.match(outbox.page({}, { limit: 5 }), [{ state: 'failed', failure: 'answered with status 410' }])
  t.equal(logs.filter(line => line.includes('410 Gone')).length, 1)
  outbox.resume('cfg_one')
  await tell(alertOf('third'))
  t.equal(got.length, 2)
})

t.test('hostile targets', async t => {
  const failure = async (url: string, more = {}): Promise<string | null> => {
    const { tell, outbox } = stage(t, [recipientOf(url, more)], { timeoutMs: 300 })
    await tell(alertOf('demo'))
    const [message] = outbox.page({}, { limit: 1 })
    t.equal(message!.state, 'waiting')
    return message!.failure
  }

  t.test('one that never answers', async t => {
    const { url } = await receiver(t, () => {})
    t.equal(await failure(url), 'did not answer within 0.3 s')
  })

  t.test('one that accepts a connection and says nothing', async t => {
    const server = createServer(() => {})
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => void server.close())
    t.equal(await failure(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), 'did not answer within 0.3 s')
  })

  t.test('one whose reply never ends', async t => {
    let written = 0
    let closed = (): void => {}
    const isClosed = new Promise<void>(resolve => (closed = resolve))
    const { url } = await receiver(t, response => {
      response.writeHead(200)
      const more = (): void => {
        if (response.destroyed) return
        written += 1_024
        response.write('x'.repeat(1_024), () => setImmediate(more))
      }
      response.on('close', closed)
      more()
    })
    const { tell, outbox } = stage(t, [recipientOf(url)], { timeoutMs: 60_000 })
    await tell(alertOf('demo'))
    t.match(outbox.page({}, { limit: 1 }), [{ state: 'delivered' }], 'its status has arrived')
    await isClosed
    t.ok(written < 16 * 1_024 * 1_024, `${written} bytes`)
  })

  t.test('one that sends somewhere else', async t => {
    const other = await receiver(t, 200)
    const { url } = await receiver(t, response => response.writeHead(307, { location: other.url }).end())
    t.equal(await failure(url), 'answered with status 307, and redirects are not followed')
    t.equal(other.got.length, 0)
    const metadata = await receiver(t, response => response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end())
    t.equal(await failure(metadata.url), 'answered with status 302, and redirects are not followed')
  })

  t.test('one that closes the connection', async t => {
    const { url } = await receiver(t, response => response.destroy())
    t.equal(await failure(url), 'cannot be reached (UND_ERR_SOCKET)')
  })

  t.test('one that is not there', async t => {
    t.equal(await failure('http://127.0.0.1:1/hook'), 'cannot be reached (ECONNREFUSED)')
    t.match(await failure('http://hooks.invalid/hook'), /^cannot be reached \((ENOTFOUND|EAI_AGAIN)\)$/)
  })

  t.test('one without a certificate that is trusted', async t => {
    const file = (name: string): Buffer => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url))
    const server = createTlsServer({ cert: file('certificate.pem'), key: file('plain-key.pem') })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => void server.close())
    t.match(
      await failure(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`),
      /^cannot be reached \([A-Z_]*(?:CERT|LEAF)[A-Z_]*\)$/,
    )
  })

  t.test('names that lead to this machine, or to the metadata of a cloud, for an organization', async t => {
    const { url, got, port } = await receiver(t, 200)
    const own = { id: 'at_1', org: 'acme', allowPrivate: false }
    const names = ['localhost', 'localhost.', '[::ffff:127.0.0.1]', '[::1]', '0.0.0.0', '[::]'].map(host => `http://${host}:${port}/`)
    const networks = ['169.254.169.254', '10.0.0.1', '[fd00::1]', '[fe80::1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]'].map(
      host => `http://${host}/`,
    )
    for (const each of [url, ...names, ...networks])
      t.equal(await failure(each, own), 'cannot be reached: its name leads to no public address', each)
    t.equal(
      await failure('http://hooks.invalid/hook', own),
      'cannot be reached: its name leads to no public address',
      'and it does not tell',
    )
    t.equal(got.length, 0)
  })
})

t.test('a target that hangs holds up no other', async t => {
  const slow = await receiver(t, () => {})
  const quick = await receiver(t, 200)
  const { tell } = stage(t, [recipientOf(slow.url), recipientOf(quick.url, { id: 'cfg_two' })], { timeoutMs: 400 })
  const all = tell(alertOf('first'), alertOf('second'), alertOf('third'))
  await quick.until(3)
  t.ok(slow.got.length <= 1)
  await all
})

t.test('200 alerts at once: 20, and a digest of the others', async t => {
  const { url, got } = await receiver(t, 200)
  const { tell, pass } = stage(t, [recipientOf(url)])
  const kinds = ['cap', 'credit', 'key-unused'] as const
  await tell(...Array.from({ length: 200 }, (_, index) => alertOf(`a${index}`, { kind: kinds[index % 3]!, org: null })))
  t.equal(got.length, 20)
  t.same(
    got.map(({ body }) => body.data.filled_limit),
    Array.from({ length: 20 }, (_, index) => ({ 14: 'organizations', 19: 'target' })[index] ?? null),
  )
  await pass(59 * minute)
  t.equal(got.length, 20)
  await pass(minute + second)
  t.equal(got.length, 21)
  t.match(got.at(-1)!.body, {
    type: 'alert.digest',
    data: { kind: 'digest', total: 180, counts: { cap: 60, credit: 60, 'key-unused': 60 } },
  })
  await tell(...Array.from({ length: 30 }, (_, index) => alertOf(`b${index}`, { org: null })))
  t.equal(got.length, 40, '19 more: the digest counts')
})

t.test('caps of organizations leave the operator room for an outage', async t => {
  const { url, got } = await receiver(t, 200)
  const { tell, pass } = stage(t, [recipientOf(url)])
  const some = (name: string, more: Partial<Alert> = {}): readonly Alert[] =>
    Array.from({ length: 30 }, (_, index) => alertOf(`${name}${index}`, more))
  await tell(...some('a'))
  t.equal(got.length, 8, 'a flood from one organization')
  t.match(got.at(-1)!.body.data, { fills_limit: true, filled_limit: 'organization', message: /^8\.00 of 10\.00 USD/ })
  await tell(alertOf('credit', { org: 'globex' }))
  t.match(got[8]!.body.data, { id: 'credit', fills_limit: false, filled_limit: null }, 'another organization')
  for (const org of ['globex', 'initech', 'hooli', 'umbrella', 'stark']) await tell(...some(org, { org }))
  t.equal(got.length, 15)
  t.match(got.at(-1)!.body.data, { fills_limit: true, filled_limit: 'organizations' })
  await tell(alertOf('down', { kind: 'provider', org: null, severity: 'critical' }), ...some('b'))
  t.match(
    got.slice(15).map(({ body }) => body.data.id),
    ['down'],
  )
  await tell(...some('c', { kind: 'errors', org: null }))
  t.equal(got.length, 20)
  t.match(got.at(-1)!.body.data, { fills_limit: true, filled_limit: 'target' })
  await pass(60 * minute + second)
  t.match(got.slice(20), [{ body: { data: { kind: 'digest', total: 22 + 144 + 30 + 26, counts: { cap: 196, errors: 26 } } } }])
})

t.test('a target that hears only of organizations has all the room for them', async t => {
  const { url, got } = await receiver(t, 200)
  const { tell } = stage(t, [recipientOf(url, { orgs: ['acme'] })])
  await tell(...Array.from({ length: 30 }, (_, index) => alertOf(`a${index}`)))
  t.equal(got.length, 20)
})

t.test('who hears of what', async t => {
  const [all, severe, keys, globex] = [await receiver(t), await receiver(t), await receiver(t), await receiver(t)]
  const { tell } = stage(t, [
    recipientOf(all.url, { id: 'all' }),
    recipientOf(severe.url, { id: 'severe', minSeverity: 'critical' }),
    recipientOf(keys.url, { id: 'keys', kinds: ['key-unused', 'key-expiring'] }),
    recipientOf(globex.url, { id: 'globex', orgs: ['globex'] }),
  ])
  const down = { kind: 'provider', subject: 'provider:acme', org: null, severity: 'critical' } as const
  await tell(
    alertOf('cap'),
    alertOf('unused', { kind: 'key-unused', org: 'globex' }),
    alertOf('down', down),
    alertOf('back', { ...down, severity: 'info', resolves: 'down' }),
    alertOf('calm', { ...down, severity: 'info', resolves: 'unheard' }),
  )
  const ids = ({ got }: typeof all): readonly string[] => got.map(({ body }) => body.data.id)
  t.same(ids(all), ['cap', 'unused', 'down', 'back', 'calm'])
  t.same(ids(severe), ['down', 'back'], 'who heard the alarm hears the all-clear')
  t.same(ids(keys), ['unused'])
  t.same(ids(globex), ['unused'])
})

t.test('targets of an organization', async t => {
  const { tell, targets, outbox } = stage(t, [])
  const settings = { format: 'json', secrets: [], kinds: null, minSeverity: 'info', disabled: false, createdAt: 1 } as const
  await targets.add({ ...settings, id: 'at_1', org: 'acme', name: 'one', url: 'https://hooks.invalid/1' }, 20)
  await targets.add({ ...settings, id: 'at_2', org: 'globex', name: 'two', url: 'https://hooks.invalid/2' }, 20)
  await targets.add({ ...settings, id: 'at_3', org: 'acme', name: 'three', url: 'https://hooks.invalid/3', disabled: true }, 20)
  await tell(alertOf('own'), alertOf('gateway', { org: null }))
  t.same(
    outbox.page({}, { limit: 10 }).map(({ target, alert }) => [target, alert]),
    [['at_1', 'own']],
  )
})
