import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { UndiciClient } from '../../../core/upstream/http-client.ts'

const final = 'HTTP/1.1 200 OK\r\ncontent-length: 30\r\n\r\nHTTP/1.1 100 Continue is text.'

/** A bare server: the test decides what happens to each connection. */
async function accepting(t: Test, connected: (socket: Socket, count: number) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket.on('error', () => {}))
    connected(socket, sockets.size)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

function client(t: Test): UndiciClient {
  const http = new UndiciClient()
  t.teardown(() => http.close())
  return http
}

async function textOf(http: UndiciClient, url: string): Promise<string> {
  const { status, body } = await http.send({ method: 'POST', url, headers: {}, body: '{}' }, { signal: new AbortController().signal })
  let text = `${status} `
  for await (const chunk of body) text += String(chunk)
  return text
}

t.test('requests do not wait for the TLS handshake of another', async t => {
  let connections = 0
  let all: (() => void) | undefined
  const seen = new Promise<void>(resolve => {
    all = resolve
  })
  const port = await accepting(t, () => {
    if (++connections === 5) all!()
  })
  const http = client(t)
  const controller = new AbortController()
  const url = `https://127.0.0.1:${port}/`
  const asked = Array.from({ length: 5 }, () =>
    http.send({ method: 'POST', url, headers: {}, body: '{}' }, { signal: controller.signal, connectTimeoutMs: 60_000 }),
  )
  await seen
  t.equal(connections, 5, 'each has a connection, and so a connect time-out, of its own')
  controller.abort(new Error('called off'))
  for (const each of await Promise.allSettled(asked)) t.match(each, { status: 'rejected', reason: { message: 'called off' } })
})

t.test('images do not wait for the TLS handshake of another', async t => {
  let connections = 0
  let all: (() => void) | undefined
  const seen = new Promise<void>(resolve => {
    all = resolve
  })
  const port = await accepting(t, () => {
    if (++connections === 3) all!()
  })
  const http = new UndiciClient({ media: { allowedHosts: [`127.0.0.1:${port}`] } })
  t.teardown(() => http.close())
  const controller = new AbortController()
  const asked = ['a', 'b', 'c'].map(name =>
    http.media([{ url: `https://127.0.0.1:${port}/${name}.png`, kind: 'image' }], controller.signal),
  )
  await seen
  controller.abort(new Error('called off'))
  for (const each of await Promise.allSettled(asked)) t.match(each, { status: 'rejected', reason: { message: 'called off' } })
})

t.test('each request that meets a stalled handshake times out by its own clock', async t => {
  let connections = 0
  const all = Promise.withResolvers<void>()
  const port = await accepting(t, () => {
    if (++connections === 4) all.resolve()
  })
  const http = client(t)
  const failures = await Promise.allSettled(
    Array.from({ length: 4 }, () =>
      http.send(
        { method: 'POST', url: `https://127.0.0.1:${port}/`, headers: {}, body: '{}' },
        { signal: new AbortController().signal, connectTimeoutMs: 30 },
      ),
    ),
  )
  for (const failure of failures) t.match(failure, { status: 'rejected', reason: { kind: 'timeout' } })
  // The server may hear of a connection after the client has given it up.
  await all.promise
  t.equal(connections, 4)
})

t.test('little of a reply is held for whoever does not read it', async t => {
  const piece = 'x'.repeat(8 * 1024)
  const port = await accepting(t, socket => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      for (let count = 0; count < 500; count++) socket.write(`2000\r\n${piece}\r\n`)
    })
  })
  const { body } = await client(t).send(
    { method: 'POST', url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' },
    { signal: new AbortController().signal },
  )
  body.on('error', () => {})
  for (
    let held = -1, quietTurns = 0;
    quietTurns < 100;
    quietTurns = body.readableLength > 0 && body.readableLength === held ? quietTurns + 1 : 0
  ) {
    held = body.readableLength
    await new Promise(resolve => setImmediate(resolve))
  }
  t.ok(body.readableLength <= 12 * 1024, `${body.readableLength} bytes`)
  const [chunk] = (await once(body, 'data')) as [Buffer]
  t.ok(chunk.buffer.byteLength <= 16 * 1024, `a chunk keeps ${chunk.buffer.byteLength} bytes alive`)
  body.destroy()
})

t.test('a head longer than the bytes that are kept of it', async t => {
  const header = `x-long: ${'h'.repeat(6000)}\r\n`
  const port = await accepting(t, socket => {
    socket.on('data', () => socket.write(`HTTP/1.1 100 Continue\r\n${header}\r\n${final.replace('\r\n', `\r\n${header}`)}`))
  })
  t.equal(await textOf(client(t), `http://127.0.0.1:${port}/`), '200 HTTP/1.1 100 Continue is text.')
})

for (const [name, interim] of [
  ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['100 Continue with headers', 'HTTP/1.1 100 Continue\r\nvia: 1.1 edge.example.com\r\nx-status: 100\r\n\r\n'],
  ['102 Processing', 'HTTP/1.1 102 Processing\r\n\r\n'],
  ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n'],
  ['several', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'],
] as const) {
  t.test(`${name} before a reply`, async t => {
    const bytes = interim + final
    for (const pieces of [[bytes], [interim, final], [...bytes]]) {
      let connections = 0
      const port = await accepting(t, socket => {
        connections++
        socket.setNoDelay(true)
        socket.on('data', async () => {
          for (const piece of pieces) {
            socket.write(piece)
            await new Promise(resolve => setImmediate(resolve))
          }
        })
      })
      const http = client(t)
      for (const round of ['first', 'second']) {
        t.equal(
          await textOf(http, `http://127.0.0.1:${port}/`),
          '200 HTTP/1.1 100 Continue is text.',
          `${pieces.length} writes, ${round} request`,
        )
        // The pool gives a connection out again one turn after the reply's end.
        await new Promise(resolve => setImmediate(() => setImmediate(resolve)))
      }
      t.equal(connections, 1, 'the connection is used again')
    }
  })
}

t.test('what a caller said is added to the address', async t => {
  const seen: string[] = []
  const server = createHttpServer((request, response) => {
    seen.push(request.url!)
    response.end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  const http = client(t)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const signal = new AbortController().signal
  for (const [path, query] of [
    ['/a', 'q=one'],
    ['/a', 'q=two'],
    ['/a', undefined],
    ['/a?key=1', 'q=%26'],
    ['', 'q='],
  ] as const) {
    const { body } = await http.send({ method: 'GET', url: url + path, headers: {}, ...(query !== undefined && { query }) }, { signal })
    await body.resume().toArray()
  }
  t.same(seen, ['/a?q=one', '/a?q=two', '/a', '/a?key=1&q=%26', '/?q='])
})

t.test('whether there was a connection when one fails', async t => {
  const reset = await accepting(t, socket => void socket.once('data', () => socket.resetAndDestroy()))
  const closed = await accepting(t, socket => void socket.once('data', () => socket.end()))
  const half = await accepting(t, socket => void socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 30\r\n\r\nhalf')))
  const garbage = await accepting(t, socket => void socket.once('data', () => socket.end('no such protocol\r\n\r\n')))
  const gone = createServer()
  await once(gone.listen(0, '127.0.0.1'), 'listening')
  const refused = (gone.address() as AddressInfo).port
  await new Promise(resolve => gone.close(resolve))
  const http = client(t)
  for (const [url, progress] of [
    [`http://127.0.0.1:${reset}/`, 'connected'],
    [`http://127.0.0.1:${closed}/`, 'connected'],
    [`http://127.0.0.1:${garbage}/`, 'connected'],
    [`http://127.0.0.1:${refused}/`, 'none'],
    ['http://no-such-host.invalid/', 'none'],
  ] as const)
    t.match(await textOf(http, url).catch((error: unknown) => error), { kind: 'network', progress }, url)
  const failed = new Promise(fail => {
    const request = { method: 'POST', url: `http://127.0.0.1:${half}/`, headers: {}, body: '{}' } as const
    http.exchange(request, { head() {}, chunk() {}, end: () => fail(undefined), fail })
  })
  t.match(await failed, { kind: 'network', progress: 'connected' })
})
