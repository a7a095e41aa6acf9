import { once } from 'node:events'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import t from 'tap'
import { InspectorServer } from '../../../config/dev/inspector-server.ts'
import { Inspector } from '../../../config/dev/inspector/inspector.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { testRecord } from '../../../core/testing/index.ts'

const inspector = new Inspector(new Masks())
inspector.closed(testRecord({ id: 'req_1' }))
const server = await InspectorServer.open(inspector, 0)
t.teardown(() => server.close())
const address = new URL(server.url)
const { host, port } = address
const secret = address.hash.slice(1)
const bearer = `authorization: Bearer ${secret}`

/** Sends exactly these lines, as a hostile page or program may, and returns the status and the body. */
async function send(lines: readonly string[]): Promise<{ readonly status: number; readonly text: string }> {
  const socket = connect(Number(port), '127.0.0.1')
  let reply = ''
  socket.setEncoding('utf8').on('data', text => void (reply += text))
  socket.write(`${lines.join('\r\n')}\r\nconnection: close\r\n\r\n`)
  await once(socket, 'close')
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(reply)?.[1]), text: reply }
}

t.test('the page and the requests are for the developer', async t => {
  const page = await fetch(address)
  t.equal(page.status, 200)
  const html = await page.text()
  t.notMatch(html, secret)
  t.match(page.headers.get('content-security-policy'), /default-src 'none'/)
  t.equal(page.headers.get('cache-control'), 'no-store')
  for (const [, path] of html.matchAll(/(?:src|href)="([^"]+)"/g)) t.equal((await fetch(new URL(path!, address))).status, 200, path!)
  t.same((await send(['GET /api/requests HTTP/1.1', `host: ${host}`, bearer])).status, 200)
  t.same((await send(['GET /api/requests HTTP/1.1', `host: localhost:${port}`, bearer])).status, 200)
  t.same(
    (await send(['GET /api/requests HTTP/1.1', `host: ${host}`, `origin: http://${host}`, 'sec-fetch-site: same-origin', bearer])).status,
    200,
  )
  t.match(await send(['GET /api/requests/req_1 HTTP/1.1', `host: ${host}`, bearer]), { status: 200, text: /"steps":\[\]/ })
  t.match(await send(['GET /api/requests/req_2 HTTP/1.1', `host: ${host}`, bearer]), { status: 404 })
})

t.test('other names, other origins and other pages get a 403', async t => {
  const refused: readonly (readonly string[])[] = [
    ['GET /api/requests HTTP/1.1', 'host: attacker.example.com', bearer],
    ['GET /api/requests HTTP/1.1', `host: attacker.example.com:${port}`, bearer],
    ['GET / HTTP/1.1', `host: ${host}.attacker.example.com`],
    ['GET / HTTP/1.1', 'host: 127.0.0.1'],
    ['GET / HTTP/1.1', `host: 127.0.0.1:${Number(port) + 1}`],
    ['GET / HTTP/1.1', `host: 0.0.0.0:${port}`],
    ['GET / HTTP/1.1', `host: attacker@${host}`],
    ['GET / HTTP/1.1', 'host: '],
    ['GET / HTTP/1.0'],
    [`GET http://${host}/api/requests HTTP/1.1`, 'host: attacker.example.com', bearer],
    [`GET http://${host}/api/requests HTTP/1.1`, `host: ${host}`, bearer],
    [`GET http://attacker.example.com/api/requests HTTP/1.1`, `host: ${host}`, bearer],
    ['GET /api/requests HTTP/1.1', `host: ${host}`, `host: ${host}`, bearer],
    ['GET /api/requests HTTP/1.1', `host: ${host}`, 'origin: https://attacker.example.com', bearer],
    ['GET /api/requests HTTP/1.1', `host: ${host}`, 'origin: null', bearer],
    ['GET /api/requests HTTP/1.1', `host: ${host}`, `origin: http://localhost:${port}`, bearer],
    ['GET /api/requests HTTP/1.1', `host: ${host}`, 'sec-fetch-site: cross-site', bearer],
    ['GET / HTTP/1.1', `host: ${host}`, 'sec-fetch-site: cross-site'],
    ['GET /app/main.ts HTTP/1.1', `host: ${host}`, 'sec-fetch-site: same-site'],
    ['DELETE /api/requests HTTP/1.1', `host: ${host}`, 'origin: https://attacker.example.com', bearer],
    ['OPTIONS /api/requests HTTP/1.1', `host: ${host}`, 'origin: https://attacker.example.com', 'access-control-request-method: DELETE'],
  ]
  for (const lines of refused) {
    const { status, text } = await send(lines)
    // Node.js itself refuses two of the same header.
    t.ok(
      status === 403 || (status === 400 && lines.filter(line => line.startsWith('host:')).length !== 1),
      `${lines.join(' | ')}: ${status}`,
    )
    t.notMatch(text, 'access-control-allow')
    t.notMatch(text, 'req_1')
  }
  t.equal(inspector.list().requests.length, 1, 'nothing was forgotten')
})

t.test('without the secret of the run there is only the empty page', async t => {
  for (const given of [
    [],
    ['authorization: Bearer'],
    ['authorization: Bearer wrong'],
    [`authorization: Basic ${secret}`],
    [`cookie: secret=${secret}`],
  ])
    for (const method of ['GET', 'DELETE'])
      t.equal((await send([`${method} /api/requests HTTP/1.1`, `host: ${host}`, ...given])).status, 401)
  t.equal((await send([`GET /api/requests?secret=${secret} HTTP/1.1`, `host: ${host}`])).status, 401)
  for (const path of [
    '/app/../inspector-server.ts',
    '/app/%2e%2e/inspector-server.ts',
    '/app/tsconfig.json',
    '/app/',
    '//app/main.ts',
    '/nothing',
  ])
    t.equal((await send([`GET ${path} HTTP/1.1`, `host: ${host}`])).status, 404, path)
  t.equal((await send(['POST / HTTP/1.1', `host: ${host}`, 'content-length: 0'])).status, 405)
  t.equal((await send(['PUT /api/requests HTTP/1.1', `host: ${host}`, bearer, 'content-length: 0'])).status, 405)
})

t.test('no other interface of this machine reaches it', async t => {
  const others = Object.values(networkInterfaces()).flatMap(each => each ?? [])
  for (const { address: other } of others.filter(({ internal, family }) => !internal && family === 'IPv4')) {
    const socket = connect(Number(port), other)
    const [error] = await once(socket, 'error')
    t.equal(error.code, 'ECONNREFUSED')
  }
})

t.test('a port that is taken is named, unless nobody asked for it', async t => {
  await t.rejects(InspectorServer.open(inspector, Number(port)), {
    message: /another program uses it\. Name another port with --inspector-port/,
  })
  const [first, second] = [await InspectorServer.open(inspector, undefined), await InspectorServer.open(inspector, undefined)]
  t.not(first.url, second.url)
  first.close()
  second.close()
})

t.test('the newest secret can forget all', async t => {
  t.equal((await send(['DELETE /api/requests HTTP/1.1', `host: ${host}`, bearer])).status, 200)
  t.same(inspector.list().requests, [])
})
