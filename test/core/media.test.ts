import type { lookup } from 'node:dns'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import {
  definePlugin,
  extensionOf,
  fileTypeOf,
  httpProvider,
  inlineDataOf,
  isTextFile,
  parseDataUrl,
  Providers,
  textFile,
  type JsonObject,
  type ProviderAdapter,
} from '../../core/index.ts'
import { fakeUpstream } from '../../core/testing/index.ts'
import { MediaError } from '../../core/upstream/media/media-error.ts'
import { MediaFetcher } from '../../core/upstream/media/media-fetcher.ts'
import { isPublicAddress } from '../../core/upstream/media/public-address.ts'
import { gateway } from '../gateway.ts'

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

/** What a fetch throws. */
async function problemOf(fetcher: MediaFetcher, url: string): Promise<string> {
  try {
    await fetcher.fetch(url, 'image', new AbortController().signal)
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

t.test('what is no image, too large, empty, missing or late', async t => {
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
  await t.rejects(fetcher.fetch(`${url}/silent`, 'image', gone.signal), { message: 'the client left' })
})

/** A vendor that takes images and files inline only. */
async function inlineVendor(t: Test, mediaHosts: readonly string[]) {
  const upstream = await fakeUpstream(() => ({ body: '{}' }))
  t.teardown(() => upstream.close())
  let sent: JsonObject | undefined
  const adapter: ProviderAdapter = {
    framing: 'sse',
    media: { images: 'inline', files: 'inline' },
    prepare({ request }) {
      sent = { input: request.input }
      return { method: 'POST', url: upstream.url, headers: {}, body: '{}' }
    },
    decoder: () => ({ frame: () => {} }),
    reply(_, emit) {
      emit({ type: 'text', text: 'seen' })
      emit({ type: 'finish', reason: 'stop' })
    },
    failure: () => {
      throw new Error('this vendor does not fail')
    },
  }
  const plugin = definePlugin({
    name: 'inline-vendor',
    options: { type: 'object', additionalProperties: false, properties: {} },
    setup: registrar => registrar.add(Providers, httpProvider('acme', adapter, registrar.http)),
  })({})
  const under = await gateway({ plugins: [plugin], settings: { mediaHosts } })
  t.teardown(under.stop)
  return { under, sent: () => sent }
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

t.test('what cannot be fetched is the caller’s 400, with the code of its kind', async t => {
  const { port, url } = await serving(t, (_, reply) => void reply.writeHead(404).end())
  const { under, sent } = await inlineVendor(t, [`127.0.0.1:${port}`])
  for (const [part, code] of [
    [{ type: 'input_image', image_url: `${url}/a.png` }, 'image_file_not_found'],
    [{ type: 'input_image', image_url: 'http://169.254.169.254/latest/meta-data' }, 'invalid_image_url'],
    [{ type: 'input_file', file_url: 'http://localhost/etc/passwd' }, 'invalid_value'],
  ] as const) {
    const reply = await under.request('/v1/responses', { body: { model: 'acme/m', input: [{ role: 'user', content: [part] }] } })
    t.equal(reply.status, 400)
    const { error } = (await reply.json()) as { error: JsonObject }
    t.equal(error['code'], code)
    t.notMatch(error['message'], /169\.254|passwd/, 'the address is not repeated')
  }
  const many = Array.from({ length: 65 }, (_, index) => ({ type: 'input_image', image_url: `${url}/${index}.png` }))
  const reply = await under.request('/v1/responses', { body: { model: 'acme/m', input: [{ role: 'user', content: many }] } })
  t.equal(reply.status, 400, 'there is a limit to how many are fetched')
  t.equal(sent(), undefined, 'the vendor saw none of it')
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
    t.throws(() => inlineDataOf(url), { kind: 'invalid-request', message: /no comma .*Expected data:<type>;base64,<data>/ }, url)
})

t.test('what files are, by their names and types', async t => {
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
  refused({ file_id: 'file_1' }, /keeps no files.*file_data/)
  refused({ filename: 'a.pdf', file_data: data }, /"a.pdf" is no text \(type unknown\)/)
  refused({ filename: 'a.txt', file_data: '/9j/' }, /no text/)
  refused({ filename: 'a.txt', file_data: 'data:text/plain;base64' }, /no comma/)
})
