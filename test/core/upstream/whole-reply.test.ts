import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { UndiciClient } from '../../../core/upstream/http-client.ts'
import { wholeReply, type WholeReply } from '../../../core/upstream/whole-reply.ts'

async function ask(t: Test, answer: RequestListener, maxBytes = 1024, signal = new AbortController().signal): Promise<WholeReply> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const http = new UndiciClient()
  t.teardown(async () => {
    await http.close()
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return wholeReply(http, { method: 'POST', url, headers: {}, body: '{}' }, { signal, maxBytes })
}

t.test('a reply has its status, headers and text', async t => {
  const reply = await ask(t, (_, response) => {
    response.writeHead(418, { 'x-request-id': 'req_1' })
    response.write('short ')
    setImmediate(() => response.end('and stout'))
  })
  t.match(reply, { status: 418, headers: { 'x-request-id': 'req_1' }, text: 'short and stout' })
})

t.test('a compressed reply is decompressed', async t => {
  const reply = await ask(t, (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('much text')))
  t.equal(reply.text, 'much text')
})

t.test('a reply that is too large is refused, also when it is small on the wire', async t => {
  const large = 'x'.repeat(4_000_000)
  const refused = { kind: 'protocol', message: /larger than/ }
  await t.rejects(
    ask(t, (_, response) => response.end(large)),
    refused,
  )
  await t.rejects(
    ask(t, (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(large))),
    refused,
  )
})

t.test('a connection that breaks is a network failure', async t => {
  await t.rejects(
    ask(t, (_, response) => response.destroy()),
    { kind: 'network', message: /connection/ },
  )
  await t.rejects(
    ask(t, (_, response) => response.writeHead(200, { 'content-length': 100 }).write('part', () => response.destroy())),
    { kind: 'network', message: /connection/ },
  )
})

t.test('an abort rejects with its reason, before and during the reply', async t => {
  const reason = new Error('called off')
  await t.rejects(
    ask(t, () => {}, 1024, AbortSignal.abort(reason)),
    reason,
  )
  const controller = new AbortController()
  const left = Promise.withResolvers<void>()
  const asked = ask(
    t,
    (request, response) => {
      request.socket.on('close', () => left.resolve())
      response.write('part', () => controller.abort(reason))
    },
    1024,
    controller.signal,
  )
  await t.rejects(asked, reason)
  await left.promise
  t.pass('the vendor sees that nobody waits')
})
