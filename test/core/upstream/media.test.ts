import type { lookup } from 'node:dns'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { definePlugin, Providers, type JsonObject } from '../../../core/index.ts'
import {
  extensionOf,
  fileTypeOf,
  httpProvider,
  inlineDataOf,
  isTextFile,
  parseDataUrl,
  textFile,
  type HttpClient,
  type ProviderAdapter,
  type UpstreamReply,
} from '../../../core/kit.ts'
import type { Settings } from '../../../core/framework/settings.ts'
import { fakeUpstream, providerCall } from '../../../core/testing/index.ts'
import { Base64Pieces } from '../../../core/upstream/media/base64-pieces.ts'
import { HeldMedia, type MediaShare } from '../../../core/upstream/media/held-media.ts'
import { MediaError } from '../../../core/upstream/media/media-error.ts'
import { MediaFetcher } from '../../../core/upstream/media/media-fetcher.ts'
import { MediaGathering } from '../../../core/upstream/media/media-gathering.ts'
import { isPublicAddress } from '../../../core/upstream/media/public-address.ts'
import { gateway, type GatewayUnderTest } from '../../kit/gateway.ts'
import { stop, text, witness } from '../../kit/stage.ts'

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

t.test('addresses that do not lie in the public internet', async t => {
  const outside = [
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'ff02::1',
    'not an address',
  ]
  for (const address of outside) t.notOk(isPublicAddress(address), address)
  for (const address of ['8.8.8.8', '93.184.215.14', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2001:4860:4860::8888'])
    t.ok(isPublicAddress(address), address)
})

/** Holds as much as it likes. */
function freeShare(): Promise<MediaShare> {
  return new HeldMedia(Infinity).enter(0, Infinity, new AbortController().signal)
}

/** The message of the error that a fetch throws. */
async function problemOf(fetcher: MediaFetcher, url: string): Promise<string> {
  try {
    await fetcher.fetch(url, 'image', new AbortController().signal, await freeShare())
    return 'none'
  } catch (error) {
    return error instanceof MediaError ? error.problem : String(error)
  }
}

/** A look-up that answers from a table, call after call. */
function resolving(answers: readonly (readonly string[])[]): typeof lookup {
  let call = 0
  const table = (_: string, __: unknown, callback: (error: null, found: { address: string; family: number }[]) => void): void =>
    callback(
      null,
      answers[Math.min(call++, answers.length - 1)]!.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  return table as unknown as typeof lookup
}

async function serving(t: Test, listener: RequestListener): Promise<{ port: number; url: string; asked: () => number }> {
  let asked = 0
  const server = createServer((request, reply) => {
    asked += 1
    listener(request, reply)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => (server.closeAllConnections(), server.close()))
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}`, asked: () => asked }
}

function fetching(t: Test, options: Partial<ConstructorParameters<typeof MediaFetcher>[0]> = {}): MediaFetcher {
  const fetcher = new MediaFetcher({ allowedHosts: [], ...options })
  t.teardown(() => fetcher.close())
  return fetcher
}

t.test('no spelling of a private address is connected to', async t => {
  const { port, asked } = await serving(t, (_, reply) => void reply.end(png))
  const hosts = [
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '0.0.0.0',
    '①②⑦.0.0.1',
  ]
  const fetcher = fetching(t)
  for (const host of hosts) t.equal(await problemOf(fetcher, `http://${host}:${port}/a.png`), 'address', host)
  for (const url of ['http://169.254.169.254/latest/meta-data', 'http://[fd00:ec2::254]/latest', 'http://100.100.100.200/'])
    t.equal(await problemOf(fetcher, url), 'address', url)
  for (const url of [
    'file:///etc/passwd',
    'ftp://example.com/a.png',
    'gopher://example.com',
    'a.png',
    '',
    'http://user:secret@example.com/',
  ])
    t.equal(await problemOf(fetcher, url), 'address', url)
  t.equal(asked(), 0, 'nobody was asked')
})

t.test('a name is checked in the connect itself, so that it cannot change in between', async t => {
  const { port, asked } = await serving(t, (_, reply) => void reply.end(png))
  const url = `http://images.example.com:${port}/a.png`
  t.equal(await problemOf(fetching(t, { lookup: resolving([['127.0.0.1']]) }), url), 'address')
  t.equal(
    await problemOf(fetching(t, { lookup: resolving([['93.184.215.14', '127.0.0.1']]) }), url),
    'address',
    'one of several is private',
  )
  t.equal(await problemOf(fetching(t, { lookup: resolving([[]]) }), url), 'address', 'a name without an address')
  const rebinding = fetching(t, { lookup: resolving([['192.0.2.1'], ['127.0.0.1']]) })
  t.equal(await problemOf(rebinding, url), 'address')
  t.equal(await problemOf(rebinding, url), 'address', 'every connect looks the name up and checks it')
  t.equal(asked(), 0, 'nobody was asked')
})

t.test('a redirect is checked as the first address was', async t => {
  const inside = await serving(t, (_, reply) => void reply.end(png))
  const outside = await serving(t, ({ url }, reply) => {
    const target = url === '/relative' ? '/image' : url === '/loop' ? '/loop' : `http://127.0.0.1:${inside.port}/secret`
    if (url === '/image') reply.end(png)
    else reply.writeHead(302, { location: target }).end()
  })
  const fetcher = fetching(t, { allowedHosts: [`127.0.0.1:${outside.port}`] })
  t.equal(await problemOf(fetcher, `${outside.url}/inside`), 'address')
  t.equal(inside.asked(), 0)
  t.equal(await problemOf(fetcher, `${outside.url}/relative`), 'none')
  t.equal(await problemOf(fetcher, `${outside.url}/loop`), 'download', 'redirects have an end')
})

t.test('no image, or too large, empty, missing or late', async t => {
  const { url, port } = await serving(t, (request, reply) => {
    switch (request.url) {
      case '/wrong-type':
        return void reply.setHeader('content-type', 'text/plain').end(png)
      case '/html':
        return void reply.setHeader('content-type', 'text/html').end('<html>')
      case '/announced':
        return void reply.writeHead(200, { 'content-length': 30_000_000 }).write('x')
      case '/endless': {
        const more = (): void => {
          while (!reply.destroyed && reply.write(Buffer.alloc(256 * 1024)));
        }
        reply.on('drain', more)
        return more()
      }
      case '/empty':
        return void reply.end()
      case '/404':
        return void reply.writeHead(404).end('no')
      case '/500':
        return void reply.writeHead(500).end('no')
      case '/cut':
        return void reply.writeHead(200, { 'content-length': 500 }).write(png, () => reply.destroy())
      default:
        return undefined
    }
  })
  const allowedHosts = [`127.0.0.1:${port}`]
  const fetcher = fetching(t, { allowedHosts })
  for (const [path, problem] of [
    ['/wrong-type', 'none'],
    ['/html', 'type'],
    ['/announced', 'size'],
    ['/endless', 'size'],
    ['/empty', 'empty'],
    ['/404', 'missing'],
    ['/500', 'download'],
    ['/cut', 'download'],
  ] as const)
    t.equal(await problemOf(fetcher, url + path), problem, path)
  t.equal(await problemOf(fetching(t, { allowedHosts, timeoutMs: 20 }), `${url}/silent`), 'download', 'a server that never answers')
  const gone = new AbortController()
  gone.abort(new Error('the client left'))
  await t.rejects(fetcher.fetch(`${url}/silent`, 'image', gone.signal, await freeShare()), { message: 'the client left' })
})

/** A dialect of a vendor that takes images and files inline only, and sees everything. */
function seeing(url: string): ProviderAdapter {
  return {
    framing: 'sse',
    media: { images: 'inline', files: 'inline' },
    prepare: () => ({ method: 'POST', url, headers: {}, body: '{}' }),
    decoder: () => ({ frame: () => {} }),
    reply(_, emit) {
      emit({ type: 'text', text: 'seen' })
      emit({ type: 'finish', reason: 'stop' })
    },
    failure: () => {
      throw new Error('this vendor does not fail')
    },
  }
}

async function serve(t: Test, adapter: ProviderAdapter, settings: Partial<Settings>): Promise<GatewayUnderTest> {
  const plugin = definePlugin({
    name: 'inline-vendor',
    options: { type: 'object', additionalProperties: false, properties: {} },
    setup: registrar => registrar.add(Providers, httpProvider('acme', adapter, registrar.http)),
  })({})
  const under = await gateway({ plugins: [plugin], settings })
  t.teardown(under.stop)
  return under
}

async function inlineVendor(t: Test, mediaHosts: readonly string[], settings: Partial<Settings> = {}) {
  const upstream = await fakeUpstream(() => ({ body: '{}' }))
  t.teardown(() => upstream.close())
  let sent: JsonObject | undefined
  const adapter: ProviderAdapter = {
    ...seeing(upstream.url),
    prepare({ request }) {
      sent = { input: request.input }
      return { method: 'POST', url: upstream.url, headers: {}, body: '{}' }
    },
  }
  return { under: await serve(t, adapter, { ...settings, mediaHosts }), sent: () => sent }
}

t.test('images and files are put into the request, in messages and in tool outputs', async t => {
  const { port, url, asked } = await serving(t, (request, reply) => {
    if (request.url === '/a.png') return void reply.end(png)
    if (request.url === '/b.pdf') return void reply.setHeader('content-type', 'application/pdf').end('%PDF-1.7 …')
    reply.writeHead(404).end()
  })
  const { under, sent } = await inlineVendor(t, [`127.0.0.1:${port}`])
  const image = { type: 'input_image', image_url: `${url}/a.png` }
  const reply = await under.request('/v1/responses', {
    body: {
      model: 'acme/m',
      input: [
        { role: 'user', content: [image, { type: 'input_text', text: 'and' }, { type: 'input_file', file_url: `${url}/b.pdf` }] },
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
        {
          type: 'function_call_output',
          call_id: 'c1',
          output: [image, { type: 'input_image', image_url: 'data:image/gif;base64,R0lGODlh' }],
        },
      ],
    },
  })
  t.equal(reply.status, 200, await reply.text())
  const inline = `data:image/png;base64,${png.toString('base64')}`
  t.match(sent(), {
    input: [
      {
        content: [
          { type: 'input_image', image_url: inline },
          { type: 'input_text' },
          {
            type: 'input_file',
            filename: 'b.pdf',
            file_data: `data:application/pdf;base64,${Buffer.from('%PDF-1.7 …').toString('base64')}`,
          },
        ],
      },
      {},
      { output: [{ image_url: inline }, { image_url: 'data:image/gif;base64,R0lGODlh' }] },
    ],
  })
  t.equal(asked(), 2, 'the same image is fetched once')
})

t.test('a failed fetch is the caller’s 400, with the code of its kind and the path of its part', async t => {
  const { port, url } = await serving(t, (request, reply) => {
    if (request.url === '/large.png') return void reply.writeHead(200, { 'content-length': 30_000_000 }).write(png)
    if (request.url === '/html') return void reply.setHeader('content-type', 'text/html').end('<html>')
    if (request.url === '/cut') return void reply.writeHead(200, { 'content-length': 500 }).write(png, () => reply.destroy())
    if (request.url === '/a.pdf') return void reply.setHeader('content-type', 'application/pdf').end('%PDF-')
    reply.writeHead(request.url === '/500' ? 500 : 404).end()
  })
  const { under, sent } = await inlineVendor(t, [`127.0.0.1:${port}`])
  const say = { type: 'input_text', text: 'Look.' }
  for (const [part, code, field] of [
    [{ type: 'input_image', image_url: `${url}/a.png` }, 'image_file_not_found', 'image_url'],
    [{ type: 'input_image', image_url: `${url}/500` }, 'failed_to_download_image', 'image_url'],
    [{ type: 'input_image', image_url: `${url}/cut` }, 'failed_to_download_image', 'image_url'],
    [{ type: 'input_image', image_url: `${url}/large.png` }, 'image_file_too_large', 'image_url'],
    [{ type: 'input_image', image_url: `${url}/html` }, 'unsupported_image_media_type', 'image_url'],
    [{ type: 'input_file', file_url: `${url}/none.pdf` }, 'invalid_value', 'file_url'],
  ] as const) {
    const reply = await under.request('/v1/responses', {
      body: {
        model: 'acme/m',
        input: [
          { role: 'user', content: 'Hello.' },
          { role: 'user', content: [say, part] },
        ],
      },
    })
    t.equal(reply.status, 400)
    const { error } = (await reply.json()) as { error: JsonObject }
    t.match(error, { code, param: `input[1].content[1].${field}` })
    t.notMatch(error['message'], url, 'the address is not repeated')
    const record = await under.record(reply.headers.get('x-request-id')!)
    t.match(record.attempts, [{ outcome: 'invalid-request' }], 'which speaks against no provider')
  }
  const inTool = await under.request('/v1/responses', {
    body: {
      model: 'acme/m',
      input: [
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: [say, { type: 'input_image', image_url: `${url}/a.png` }] },
      ],
    },
  })
  t.match([inTool.status, await inTool.json()], [400, { error: { param: 'input[1].output[1].image_url' } }])
  t.equal(sent(), undefined, 'the vendor saw none of it')
})

t.test('one request may name so many, and so many bytes together', async t => {
  const image = Buffer.concat([png, Buffer.alloc(300_000 - png.length)])
  const { port, url, asked } = await serving(t, (_, reply) => void reply.end(image))
  const { under, sent } = await inlineVendor(t, [`127.0.0.1:${port}`], { maxMediaCount: 8, maxMediaBytes: 1_000_000 })
  const ask = async (count: number) => {
    const content = Array.from({ length: count }, (_, index) => ({ type: 'input_image', image_url: `${url}/${index}.png` }))
    const reply = await under.request('/v1/responses', { body: { model: 'acme/m', input: [{ role: 'user', content }] } })
    return { status: reply.status, body: await reply.json() }
  }
  t.match(await ask(9), {
    status: 400,
    body: { error: { code: 'invalid_value', param: 'input', message: /names 9 images .* limit is 8/ } },
  })
  t.equal(asked(), 0, 'nothing was fetched')
  t.match(await ask(8), {
    status: 400,
    body: { error: { code: 'image_too_large', message: /larger than 0\.95 MiB together\. Send fewer/ } },
  })
  t.equal(sent(), undefined)
  t.equal((await ask(3)).status, 200)
})

t.test('an adapter is shown stand-ins, and the body holds what they stand for', async t => {
  const image = Buffer.concat([png, Buffer.alloc(500_000, 7)])
  const { port, url } = await serving(t, (request, reply) => {
    if (request.url === '/notes.txt') return void reply.setHeader('content-type', 'text/plain').end('Grüße')
    reply.end(request.url === '/small.png' ? png : image)
  })
  const upstream = await fakeUpstream(() => ({ body: '{}' }))
  t.teardown(() => upstream.close())
  const shown: string[] = []
  const adapter: ProviderAdapter = {
    ...seeing(upstream.url),
    prepare({ request }) {
      const body = JSON.stringify(
        request.input.map(item =>
          item.type !== 'message'
            ? item
            : item.content.map(part => {
                if (part.type === 'input_file') return textFile(part)
                if (part.type === 'input_image') shown.push(part.image_url!)
                return part
              }),
        ),
      )
      return { method: 'POST', url: upstream.url, headers: {}, body }
    },
  }
  const under = await serve(t, adapter, { mediaHosts: [`127.0.0.1:${port}`] })
  const content = [
    { type: 'input_image', image_url: `${url}/large.png` },
    { type: 'input_text', text: 'Größe?' },
    { type: 'input_image', image_url: `${url}/small.png` },
    { type: 'input_file', file_url: `${url}/notes.txt` },
    { type: 'input_image', image_url: `${url}/large.png` },
  ]
  const reply = await under.request('/v1/responses', { body: { model: 'acme/m', input: [{ role: 'user', content }] } })
  t.equal(reply.status, 200)
  t.ok(Math.max(...shown.map(({ length }) => length)) < 200, 'no content goes through strings')
  const [received] = upstream.requests
  t.equal(Number(received!.headers['content-length']), Buffer.byteLength(received!.text))
  t.match(received!.body, [
    [
      { image_url: `data:image/png;base64,${image.toString('base64')}` },
      { text: 'Größe?' },
      { image_url: `data:image/png;base64,${png.toString('base64')}` },
      { name: 'notes.txt', text: 'Grüße' },
      { image_url: `data:image/png;base64,${image.toString('base64')}` },
    ],
  ])
})

t.test('fetched media are released when the vendor has answered, or when anything failed', async t => {
  let released = 0
  const http = (reply: () => Promise<UpstreamReply>): HttpClient => ({
    send: reply,
    media: async () => ({
      contents: new Map([['https://example.com/a.png', { mediaType: 'image/png', base64: [Buffer.from('AAAA')], bytes: 3 }]]),
      release: () => void released++,
    }),
    async close() {},
  })
  const call = providerCall({
    model: 'm',
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_image', image_url: 'https://example.com/a.png' }] }],
  })
  const adapter = seeing('http://127.0.0.1/')
  const drain = async (client: HttpClient, dialect: ProviderAdapter = adapter): Promise<void> => {
    for await (const _ of httpProvider('acme', dialect, client).generate(call));
  }
  await drain(http(async () => ({ status: 200, headers: {}, body: Readable.from([Buffer.from('{}')]) })))
  t.equal(released, 1)
  await t.rejects(drain(http(() => Promise.reject(new Error('broken')))), /broken/)
  t.equal(released, 2)
  const failing = (): never => {
    throw new Error('cannot be said')
  }
  await t.rejects(drain(http(failing), { ...adapter, prepare: failing }), /cannot be said/)
  t.equal(released, 3)
})

t.test('base64 in pieces is that of the whole', async t => {
  const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, index) => (index * 31) % 256))
  for (const length of [1, 2, 3, 4, 7, 100, 999, 1_000]) {
    const encoded = new Base64Pieces()
    for (let from = 0; from < bytes.length; from += length) encoded.add(bytes.subarray(from, from + length))
    encoded.end()
    t.equal(Buffer.concat(encoded.pieces).toString('latin1'), bytes.toString('base64'), `${length} at a time`)
  }
})

/** True if a promise was settled by now. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  await new Promise(resolve => setImmediate(resolve))
  return (await Promise.race([promise, Promise.resolve(pending)])) === pending
}

t.test('all requests together have a limit, and wait in line', async t => {
  const { signal } = new AbortController()
  const held = new HeldMedia(100)
  const [first, second] = [await held.enter(40, 100, signal), await held.enter(40, 100, signal)]
  const third = held.enter(40, 100, signal)
  const small = held.enter(1, 100, signal)
  t.ok((await isPending(third)) && (await isPending(small)), 'nobody overtakes')
  t.equal(first.take(40, signal), undefined, 'room was made for it')
  t.equal(second.take(50, signal), undefined, 'there is room for more')
  const growing = second.take(20, signal)!
  t.ok(await isPending(growing))
  t.equal(first.take(60, signal), undefined, 'the oldest never waits')
  t.equal(held.bytes, 150)
  first.release()
  await growing
  t.ok(await isPending(third), '70 are held')
  second.settle()
  second.release()
  second.release()
  await Promise.all([third, small])
  t.equal(held.bytes, 41)
  const settled = await third
  settled.settle()
  t.equal(held.bytes, 1, 'room that was not needed is free again')
  settled.release()
  ;(await small).release()
  t.equal(held.bytes, 0)
  t.equal(settled.take(10, signal), undefined)
  t.equal(held.bytes, 0, 'what was released counts for nothing')
  ;(await held.enter(1_000, 1_000, signal)).release()
  t.equal(held.bytes, 0, 'one alone may enter, whatever its size')
})

t.test('a request that waits too long gets a 503, and one whose caller left stops waiting', async t => {
  const { signal } = new AbortController()
  const held = new HeldMedia(100, 1)
  const first = await held.enter(100, 100, signal)
  await t.rejects(held.enter(10, 100, signal), { message: /images and files of other requests/ })
  const leaving = new AbortController()
  const patient = new HeldMedia(100)
  const other = await patient.enter(100, 100, signal)
  const waiting = patient.enter(90, 100, leaving.signal)
  const behind = patient.enter(10, 100, signal)
  leaving.abort(new Error('the client left'))
  await t.rejects(waiting, { message: 'the client left' })
  other.release()
  await behind
  t.equal(patient.bytes, 10)
  first.release()
  t.equal(held.bytes, 0)
})

t.test('when one cannot be had, the others are not waited for, and nothing stays held', async t => {
  const stopped: string[] = []
  const fetcher: Pick<MediaFetcher, 'fetch'> = {
    fetch: async (url, kind, signal, share) => {
      await share.take(10, signal)
      if (url === 'b') throw new MediaError(kind, 'missing', 'is gone', { url })
      return await new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          stopped.push(url)
          reject(signal.reason)
        }),
      )
    },
  }
  const gathering = new MediaGathering(fetcher, { maxMediaCount: 9, maxMediaBytes: 100, maxHeldMediaBytes: 100 })
  const wanted = ['a', 'b', 'c', 'd', 'e'].map(url => ({ url, kind: 'image' as const }))
  await t.rejects(gathering.gather(wanted, new AbortController().signal), { message: 'is gone' })
  t.strictSame(stopped.sort(), ['a', 'c', 'd'], 'the last was not begun')
  t.equal(gathering.heldBytes, 0)
})

t.test('data: URLs', async t => {
  t.same(parseDataUrl('data:image/PNG;base64,AAAA'), { mediaType: 'image/png', base64: 'AAAA' })
  t.same(parseDataUrl('DATA:,a%20b'), { mediaType: 'text/plain', base64: Buffer.from('a b').toString('base64') })
  t.same(parseDataUrl('data:text/plain;charset=utf-8;base64,YQ=='), { mediaType: 'text/plain', base64: 'YQ==' })
  for (const url of ['https://example.com/a.png', 'data:image/png;base64', 'data:,%zz']) t.equal(parseDataUrl(url), undefined, url)
  t.equal(parseDataUrl('data:image/jpg;base64,/9j/')?.mediaType, 'image/jpeg', 'one wrong name is set right')
  t.same(inlineDataOf('data:text/csv,a'), parseDataUrl('data:text/csv,a'))
  for (const text of ['https://example.com/a.png', 'JVBERi0=', '']) t.equal(inlineDataOf(text), undefined, text)
  for (const url of ['data:image/png;base64', 'data:,%zz'])
    t.throws(() => inlineDataOf(url), { kind: 'invalid-request', message: /malformed.*Expected data:<type>;base64,<data>/ }, url)
})

t.test('the kind of a file, by its name and type', async t => {
  const names = ['Report v1.2#3.PDF', 'https://example.com/a/cat.jpg?token=a.b#c', 'https://example.com', 'gs://demo/notes.md', 'Makefile']
  t.strictSame(names.map(extensionOf), ['pdf', 'jpg', 'com', 'md', undefined])
  t.strictSame(names.map(fileTypeOf), ['application/pdf', 'image/jpeg', undefined, 'text/markdown', undefined])
  t.equal(fileTypeOf('odd.constructor'), undefined)
  for (const type of ['text/csv', 'application/json', 'application/ld+json', 'application/x-yaml', 'image/svg+xml'])
    t.equal(isTextFile(type), type !== 'image/svg+xml', type)
  t.strictSame([isTextFile('', 'a.py'), isTextFile('binary/octet-stream', 'a.csv'), isTextFile('', 'a.pdf')], [true, true, false])
  t.equal(isTextFile('application/pdf', 'a.txt'), false, 'a type goes before a name')
})

t.test('files for vendors that take text only', async t => {
  const file = (members: object): Parameters<typeof textFile>[0] => ({ type: 'input_file', ...members })
  const data = Buffer.from('Grüße').toString('base64')
  t.strictSame(textFile(file({ filename: 'a.txt', file_data: data })), { name: 'a.txt', text: 'Grüße' })
  t.strictSame(textFile(file({ file_data: `data:text/plain;base64,${data}` })), { name: 'file', text: 'Grüße' })
  const refused = (members: object, message: RegExp): unknown =>
    t.throws(() => textFile(file(members)), { kind: 'invalid-request', message })
  refused({ file_id: 'file_1' }, /does not store files.*file_data/)
  refused({ filename: 'a.pdf', file_data: data }, /"a.pdf" is not a text file \(unknown type\)/)
  refused({ filename: 'a.txt', file_data: '/9j/' }, /not a text file/)
  refused({ filename: 'a.txt', file_data: 'data:text/plain;base64' }, /malformed/)
})

t.test('an address that no public vendor could fetch is refused before anybody is asked, whoever would fetch it', async t => {
  const { plugin, calls } = witness('acme', () => [text('seen'), stop])
  const under = await gateway({ plugins: [plugin], settings: { mediaHosts: ['Images.internal:9000', '10.0.0.7'] } })
  t.teardown(under.stop)
  const ask = async (input: unknown, path = '/v1/responses', more: object = {}) => {
    const reply = await under.request(path, { body: { model: 'acme/m', input, ...more } })
    return { status: reply.status, body: await reply.json() }
  }
  const refused = [
    'file:///etc/passwd',
    'ftp://example.com/a.png',
    'javascript:alert(1)',
    'a.png',
    '',
    'http://localhost/a.png',
    'http://localhost./a.png',
    'http://LOCALHOST:8080/a.png',
    'http://metadata/computeMetadata/v1/',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://printer.local/a.png',
    'http://a.localhost/a.png',
    'https://wiki.corp/a.png',
    'http://router.home.arpa/',
    'http://127.0.0.1/a.png',
    'http://127.1/a.png',
    'http://2130706433/a.png',
    'http://0x7f000001/a.png',
    'http://0177.0.0.1/a.png',
    'http://①②⑦.0.0.1/a.png',
    'http://127.0.0.1./a.png',
    'http://%31%32%37.0.0.1/a.png',
    'http://0/a.png',
    'http://10.0.0.8/a.png',
    'http://172.16.0.1/a.png',
    'http://192.168.1.1/a.png',
    'http://100.100.100.200/latest/meta-data',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/a.png',
    'http://[::ffff:127.0.0.1]/a.png',
    'http://[::ffff:a9fe:a9fe]/a.png',
    'http://[64:ff9b::7f00:1]/a.png',
    'http://[fd00:ec2::254]/latest',
    'http://[fe80::1]/a.png',
    'https://user:secret@example.com/a.png',
    'https://images.internal:9001/a.png',
    '\t file:///etc/passwd',
    `https://example.com/${'a'.repeat(8_192)}`,
  ]
  for (const url of refused) {
    const image = await ask([
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look.' },
          { type: 'input_image', image_url: url },
        ],
      },
    ])
    t.match(image, { status: 400, body: { error: { code: 'invalid_image_url', param: 'input[0].content[1].image_url' } } }, url)
    if (url !== '') t.notOk(JSON.stringify(image.body).includes(url), 'the address is not repeated')
    const file = await ask([{ role: 'user', content: [{ type: 'input_file', file_url: url }] }])
    t.match(file, { status: 400, body: { error: { code: 'invalid_value', param: 'input[0].content[0].file_url' } } }, url)
  }
  const metadata = 'http://169.254.169.254/latest'
  const call = { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' }
  const result = { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_image', image_url: metadata }] }
  t.match(await ask([call, result]), { status: 400, body: { error: { param: 'input[1].output[0].image_url' } } })
  const screenshot = { type: 'computer_call_output', call_id: 'c1', output: { type: 'computer_screenshot', image_url: metadata } }
  t.match(await ask([screenshot]), { status: 400, body: { error: { param: 'input[0].output.image_url' } } })
  t.match(await ask([call, result], '/v1/responses', { stream: true }), { status: 400 })
  t.match(await ask([call, result], '/v1/responses/input_tokens'), { status: 400 })
  t.equal(calls.length, 0)

  const taken = [
    'https://example.com/a.png',
    'http://8.8.8.8/a.png',
    'http://[2606:4700::1111]/a.png',
    'https://images.internal:9000/a.png',
    'http://10.0.0.7:8080/a.png',
    'gs://demo-bucket/a.png',
    'DATA:image/png;base64,AAAA',
  ]
  for (const url of taken) t.equal((await ask([{ role: 'user', content: [{ type: 'input_image', image_url: url }] }])).status, 200, url)
  t.equal(calls.length, taken.length)
})
