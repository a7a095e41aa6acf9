import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { toNodeHandler, type H3 } from 'h3/node'
import t, { type Test } from 'tap'
import { Routes, type Reply, type Route } from '../../../core/index.ts'
import { adding } from '../../kit/stage.ts'
import { gateway, hello, saying, scripted, type GatewayUnderTest } from '../../kit/gateway.ts'

// Both ways into the gateway behave alike: straight from Node.js, and through h3.

const ways = ['node', 'h3'] as const
const hi = JSON.stringify({ model: 'sandbox/echo', input: 'hi' })

interface Open {
  readonly under: GatewayUnderTest
  readonly url: string
  readonly port: number
}

async function open(t: Test, way: (typeof ways)[number], options: Parameters<typeof gateway>[0] = {}): Promise<Open> {
  const under = await gateway(options)
  const { http } = under.gateway
  const server = createServer(way === 'node' ? http.listener : toNodeHandler(http.h3 as H3))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await under.stop()
  })
  const { port } = server.address() as AddressInfo
  return { under, port, url: `http://127.0.0.1:${port}` }
}

function route(path: string, handle: Route['handle']): ReturnType<typeof adding> {
  return adding<Route>(Routes, { method: 'POST', path, auth: 'none', handle })
}

/** Sends bytes, and resolves with all that comes back until `enough`. */
async function raw(port: number, bytes: string | Buffer, enough: (got: string) => boolean): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  let got = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    got += String(chunk)
    if (enough(got)) break
  }
  socket.destroy()
  return got
}

function head(under: GatewayUnderTest, headers: string, path = '/v1/responses', method = 'POST'): string {
  return `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${under.apiKey}\r\ncontent-type: application/json\r\n${headers}\r\n`
}

/** Counts the requests that h3 serves. Call it before the first one. */
function counted({ gateway }: GatewayUnderTest): { count: number } {
  const { h3 } = gateway.http
  const seen = { count: 0 }
  const { fetch } = h3
  h3.fetch = request => {
    seen.count++
    return fetch(request)
  }
  return seen
}

t.test('a request that matches a route exactly bypasses h3', async t => {
  const { under, url } = await open(t, 'node')
  const h3 = counted(under)
  for (const [method, path, status, passes] of [
    ['POST', '/v1/responses', 200, 0],
    ['POST', '/v1/responses?a=b', 200, 0],
    ['GET', '/v1/models', 200, 0],
    ['GET', '/v1/responses/health', 200, 0],
    ['POST', '/v1/responses/', 200, 1],
    ['HEAD', '/v1/models', 200, 1],
    ['GET', '/v1/responses', 405, 1],
    ['GET', '/v1/models/sandbox/echo', 200, 1],
    ['GET', '/v1/nothing', 404, 1],
  ] as const) {
    h3.count = 0
    const headers = { authorization: `Bearer ${under.apiKey}`, 'content-type': 'application/json' }
    const reply = await fetch(`${url}${path}`, { method, headers, ...(method === 'POST' && { body: hi }) })
    t.same([reply.status, h3.count], [status, passes], `${method} ${path}`)
    await reply.text()
  }
})

t.test('middleware added to h3 runs for every request', async t => {
  const additions: Readonly<Record<string, (h3: GatewayUnderTest['gateway']['http']['h3']) => void>> = {
    middleware: h3 => void h3.use(event => void event.res.headers.set('x-added', 'yes')),
    'a hook': h3 => {
      h3.config.onResponse = response => response.headers.set('x-added', 'yes')
    },
    'a route': h3 => void h3.get('/added', () => 'yes'),
    'a route for every method': h3 => void h3.all('/added', () => 'yes'),
    'a route by its method': h3 => void h3.on('POST', '/added', () => 'yes'),
    'another app': h3 => void h3.mount('/added', () => new Response('yes')),
    'a plugin': h3 => void h3.register(into => void into.put('/added', () => 'yes')),
  }
  for (const [name, add] of Object.entries(additions)) {
    const { under, url } = await open(t, 'node')
    const h3 = counted(under)
    add(under.gateway.http.h3)
    const reply = await fetch(`${url}/v1/responses/health`)
    t.same([reply.status, h3.count], [200, 1], name)
    if (name === 'middleware' || name === 'a hook') t.equal(reply.headers.get('x-added'), 'yes', name)
  }
})

for (const way of ways) {
  t.test(`${way}: a header that comes twice is both of its values`, async t => {
    const { under, port } = await open(t, way)
    const other = await under.gateway.issueKey({ name: 'other' })
    for (const extra of [`Authorization: Bearer ${other}\r\n`, `X-Api-Key: ${other}\r\n`, 'Content-Type: text/plain\r\n']) {
      const got = await raw(port, `${head(under, `connection: close\r\ncontent-length: ${hi.length}\r\n${extra}`)}${hi}`, () => false)
      t.match(got, extra.startsWith('Content') ? /^HTTP\/1\.1 415/ : /^HTTP\/1\.1 401/, extra)
    }
  })

  t.test(`${way}: a route reads the web request, its query and its body`, async t => {
    let left: AbortSignal | undefined
    const begun = Promise.withResolvers<void>()
    const described = route('/v1/describe', async ({ request, query }) => {
      const body = JSON.stringify({
        method: request.method,
        url: request.url,
        header: request.headers.get('x-demo'),
        asked: query.get('a'),
        text: await request.text(),
      })
      return { status: 200, body }
    })
    const waiting = route('/v1/wait', ({ request }) => {
      left = request.signal
      begun.resolve()
      return new Promise<Reply>(resolve => request.signal.addEventListener('abort', () => resolve({ status: 200 })))
    })
    const { url, port } = await open(t, way, { plugins: [described, waiting] })
    const init = { method: 'POST', headers: { 'x-demo': 'demo' }, body: 'words' }
    t.same(await (await fetch(`${url}/v1/describe?a=b%20c`, init)).json(), {
      method: 'POST',
      url: `${url}/v1/describe?a=b%20c`,
      header: 'demo',
      asked: 'b c',
      text: 'words',
    })
    const strange = `POST /v1/describe HTTP/1.1\r\nhost: a b\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`
    t.match(await raw(port, strange, () => false), /^HTTP\/1\.1 200/, 'a host that no URL can have')
    const leaving = new AbortController()
    const asked = fetch(`${url}/v1/wait`, { method: 'POST', signal: leaving.signal })
    await begun.promise
    leaving.abort()
    await t.rejects(asked)
    if (!left!.aborted) await once(left!, 'abort')
    t.ok(left!.aborted, 'it hears of a client that leaves')
  })

  t.test(`${way}: a body that was read twice is a 400, not a wait`, async t => {
    const twice = route('/v1/twice', async exchange => {
      await exchange.request.text()
      return { status: 200, body: JSON.stringify(await exchange.json()) }
    })
    const { url } = await open(t, way, { plugins: [twice] })
    const reply = await fetch(`${url}/v1/twice`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    t.equal(reply.status, 400)
  })

  t.test(`${way}: a malformed reply is a 500, and the log says what is wrong with it`, async t => {
    const replies: readonly (readonly [unknown, RegExp])[] = [
      [5, /expected an object with a status, got a value of type number/],
      ['hello', /got a value of type string/],
      [undefined, /got nothing/],
      [null, /got null/],
      [{}, /expected a status from 200 to 599, got nothing/],
      [{ status: 99 }, /got 99/],
      [{ status: '200' }, /got a value of type string/],
      [{ status: 200, body: { secret: 'words' } }, /expected the body to be a string or the stream .* type object/],
      [{ status: 200, headers: 'secret words' }, /expected headers to be an object of strings, got a value of type string/],
      [{ status: 200, headers: { 'x-demo': 'secret\nwords' } }, /names and values of headers to be valid HTTP/],
      [{ status: 200, headers: { 'secret words': 'x' } }, /names and values of headers to be valid HTTP/],
    ]
    const routes = replies.map(([reply], index) => route(`/v1/malformed${index}`, () => reply as Reply))
    const { under, url } = await open(t, way, { plugins: routes })
    for (const [index, [, reason]] of replies.entries()) {
      const reply = await fetch(`${url}/v1/malformed${index}`, { method: 'POST' })
      t.equal(reply.status, 500)
      t.match(await reply.json(), { error: { code: 'server_error' } })
      const line = under.logs.find(each => each.includes(reply.headers.get('x-request-id')!))
      t.match(line, reason)
      t.match(line, `POST /v1/malformed${index}`)
      t.match(line, '"plugin":"adding-')
      t.notMatch(line, 'secret')
    }
  })

  t.test(`${way}: an error that its surface cannot format is in the default format`, async t => {
    const errors: readonly Route['error'][] = [
      () => {
        throw new Error('secret words')
      },
      () => ({}) as Reply,
      () => ({ status: 500, headers: { 'x-demo': 'secret\nwords' } }),
    ]
    const plugins = errors.map((error, index) =>
      adding<Route>(Routes, { method: 'POST', path: `/v1/broken${index}`, auth: 'key', handle: () => ({ status: 200 }), error: error! }),
    )
    const { under, url } = await open(t, way, { plugins })
    for (const [index, status] of [401, 401, 500].entries()) {
      const reply = await fetch(`${url}/v1/broken${index}`, { method: 'POST' })
      t.equal(reply.status, status)
      t.match(await reply.json(), { error: { message: String } })
    }
    t.ok(under.logs.some(line => line.includes('could not format an error')))
    t.notMatch(under.logs.join(''), 'secret')
  })

  t.test(`${way}: a caller that is still sending gets the reply before its connection is closed`, async t => {
    const { under, port } = await open(t, way, { settings: { maxBodyBytes: 1_000 } })
    const bytes = 20_000_000
    const stranger = { apiKey: `${under.apiKey.slice(0, -1)}_` } as GatewayUnderTest
    for (const [who, status] of [
      [under, 413],
      [stranger, 401],
    ] as const)
      for (const connection of ['close', 'keep-alive']) {
        const socket = connect(port, '127.0.0.1')
        const failed = new Promise<never>((_, reject) => socket.once('error', reject))
        socket.write(head(who, `connection: ${connection}\r\ncontent-length: ${bytes}\r\n`))
        socket.write(Buffer.alloc(1_000_000))
        let got = ''
        socket.setEncoding('utf8').on('data', text => (got += text))
        while (!got.endsWith('}')) await Promise.race([once(socket, 'data'), failed])
        t.match(got, new RegExp(`^HTTP/1.1 ${status} `), `${status}, ${connection}: the whole reply is there before the body is`)
        await Promise.race([new Promise<void>(resolve => socket.write(Buffer.alloc(bytes - 1_000_000), () => resolve())), failed])
        if (connection === 'close') await Promise.race([once(socket, 'end'), failed])
        socket.destroy()
      }
    const next = `${head(under, `content-length: ${bytes}\r\n`)}${'x'.repeat(bytes)}${head(under, 'content-length: 2\r\n')}{}`
    const got = await raw(port, next, got => got.includes('HTTP/1.1 400'))
    t.match(got, /^HTTP\/1\.1 413[^]*HTTP\/1\.1 400/, 'its connection can be used again')
  })

  t.test(`${way}: requests in one piece are answered in turn`, async t => {
    const { under, port } = await open(t, way, { plugins: [saying('acme', hello)] })
    const ask = (model: string, stream: boolean): string => {
      const body = JSON.stringify({ model, input: 'hi', stream })
      return `${head(under, `content-length: ${body.length}\r\n`)}${body}`
    }
    const asked = [ask('acme/m', true), ask('sandbox/echo', false), ask('acme/m', true), ask('nobody/m', false)]
    const got = await raw(port, asked.join(''), got => got.includes('model_not_found'))
    t.same(
      [...got.matchAll(/HTTP\/1\.1 (\d+)|(event: response\.completed)/g)].map(([, status, done]) => status ?? done),
      ['200', 'event: response.completed', '200', '200', 'event: response.completed', '400'],
    )
  })

  t.test(`${way}: callers may wait to be asked for the body, send it in chunks, or speak HTTP/1.0`, async t => {
    const { under, port } = await open(t, way, { plugins: [saying('acme', hello)] })
    const expecting = connect(port, '127.0.0.1')
    expecting.write(head(under, `expect: 100-continue\r\nconnection: close\r\ncontent-length: ${hi.length}\r\n`))
    const [told] = (await once(expecting, 'data')) as [Buffer]
    t.match(String(told), /^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    expecting.write(hi)
    t.match(await text(expecting), /^HTTP\/1\.1 200/)

    const chunks = [...hi].map(character => `1\r\n${character}\r\n`).join('')
    t.match(
      await raw(port, `${head(under, 'connection: close\r\ntransfer-encoding: chunked\r\n')}${chunks}0\r\n\r\n`, () => false),
      /^HTTP\/1\.1 200/,
    )

    const body = JSON.stringify({ model: 'acme/m', input: 'hi', stream: true })
    const old = await raw(port, `${head(under, `content-length: ${body.length}\r\n`).replace('1.1', '1.0')}${body}`, () => false)
    t.match(old, /^HTTP\/1\.1 200[^]*event: response\.completed[^]*\n\n$/)
    t.notMatch(old, /transfer-encoding/i)
  })

  t.test(`${way}: an upload that breaks off leaves nothing behind`, async t => {
    const { under, port } = await open(t, way)
    const half = gzipSync(randomBytes(400_000)).subarray(0, 200_000)
    const headers = ['content-length: 400000\r\n', 'transfer-encoding: chunked\r\n', 'content-encoding: gzip\r\ncontent-length: 400000\r\n']
    for (const framing of headers) {
      const socket: Socket = connect(port, '127.0.0.1')
      const start = framing.includes('chunked') ? `${half.length.toString(16)}\r\n` : ''
      socket.write(`${head(under, framing)}${start}`)
      await new Promise<void>(resolve => socket.write(half, () => resolve()))
      socket.destroy()
    }
    const records = await under.recorded(headers.length)
    t.same(
      records.map(({ status }) => status),
      headers.map(() => 499),
    )
    t.equal((await under.request('/v1/responses', { body: { model: 'sandbox/echo', input: 'x'.repeat(100_000) } })).status, 200)
  })

  t.test(`${way}: 200 callers at once, half of whom leave`, async t => {
    const slow = scripted('slow', async function* () {
      yield { type: 'text', text: 'x'.repeat(100_000) }
      await new Promise(resolve => setImmediate(resolve))
      yield { type: 'finish', reason: 'stop' }
    })
    const { under, url } = await open(t, way, { plugins: [slow] })
    const asked = Array.from({ length: 200 }, async (_, index) => {
      const leaving = new AbortController()
      const reply = await fetch(`${url}/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${under.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'slow/m', input: 'hi', stream: index % 4 < 2 }),
        signal: leaving.signal,
      })
      if (index % 2 === 0) return leaving.abort()
      t.match(await reply.text(), /x{100000}/)
    })
    await Promise.all(asked)
    await under.recorded(200)
    t.equal(under.gateway.liveRuns, 0)
  })
}
