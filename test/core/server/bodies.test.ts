import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { GatewayError } from '../../../core/index.ts'
import { checkJsonLimits, maxDepth, maxElements, maxMembers, maxShapes, maxValues } from '../../../core/server/json-limits.ts'
import t from 'tap'
import { byEveryWay } from '../../kit/by-every-way.ts'
import { listeningGateway, type ListeningGateway } from '../../kit/gateway.ts'

const head = '{"model":"sandbox/echo","input":"hi"'

function list(count: number, make: (index: number) => string): string {
  return `[${Array.from({ length: count }, (_, index) => make(index)).join()}]`
}

function members(count: number, prefix = 'm'): string {
  return Array.from({ length: count }, (_, index) => `"${prefix}${index}":0`).join()
}

function refusal(json: string): { readonly param: string | undefined; readonly message: string } | undefined {
  try {
    checkJsonLimits(json)
    return undefined
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    t.equal(error.status, 400)
    return { param: error.param, message: error.message }
  }
}

t.test('the values of a body are counted before it is parsed', t => {
  const long = list(maxElements + 1, () => '0')
  const wide = `{${members(maxMembers + 1)}}`
  const depth = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const within: Readonly<Record<string, string>> = {
    'the longest list': list(maxElements, () => '0'),
    'the widest object': `{${members(maxMembers)}}`,
    'the deepest body': depth(maxDepth),
    'many objects of one shape': list(maxElements, () => '{"a":0,"b":"x","c":[]}'),
    'brackets and commas in strings': `{"a":"${'[{,'.repeat(100_000)}","b":"\\"${'[{,'.repeat(100_000)}\\\\"}`,
    'quotes and backslashes in strings': `{"a":"${'\\"'.repeat(100_000)}","b":"${'\\\\'.repeat(100_000)}"}`,
    'an empty list': '[]',
    nothing: '',
    'what is not JSON': ']],"[',
    'a string without an end': `{"a":"${'['.repeat(1_000)}`,
  }
  for (const [name, json] of Object.entries(within)) t.equal(refusal(json), undefined, name)

  const beyond: readonly (readonly [string, string, string | undefined, RegExp])[] = [
    ['an object at the top', wide, undefined, /^The body must not have more than 10000 members/],
    ['a list at the top', long, undefined, /^The body must not have more than 50000 elements/],
    ['a member', `${head},"metadata":${wide}}`, 'metadata', /'metadata'.*10000 members/],
    ['a list in lists', `${head},"input":[{},{"content":[0,${long}]}]}`, 'input[1].content[1]', /50000 elements/],
    [
      'a schema',
      `${head},"tools":[{"name":"a","parameters":{"type":"object", "properties" : ${wide}}}]}`,
      'tools[0].parameters.properties',
      /10000 members/,
    ],
    ['after strings that hold quotes', `{"a\\"[":"\\\\","b":["\\"",${wide}]}`, 'b[1]', /10000 members/],
    ['a name that is long', `{"${'n'.repeat(100)}":${wide}}`, `${'n'.repeat(64)}…`, /10000 members/],
    ['depth', depth(maxDepth + 1), undefined, /deeper than 128 levels/],
    ['depth without an end', '{"a":'.repeat(100_000), undefined, /deeper than 128 levels/],
    ['the sum', list(6, () => list(maxElements, () => '0')), undefined, new RegExp(`more than ${maxValues} members and elements`)],
    ['empty lists', list(40_000, () => list(6, () => '[]')), undefined, /more than 250000 members and elements/],
    ['the same name again and again', `{${'"same":0,'.repeat(maxMembers)}"same":0}`, undefined, /10000 members/],
    ['objects of other names each', list(maxShapes + 1, index => `{"n${index}":0}`), undefined, /too many different member names/],
    [
      'a few names in many orders',
      list(30_000, index => `{${Array.from(String(10_000 + index), digit => `"${digit}":0`).join()}}`),
      undefined,
      /too many different member names/,
    ],
    ['many wide objects', list(4, () => `{${members(9_000)}}`), undefined, /too many different member names/],
  ]
  for (const [name, json, param, message] of beyond) {
    const refused = refusal(json)
    t.match(refused?.message, message, name)
    t.equal(refused?.param, param, name)
  }
  t.end()
})

function send(
  under: ListeningGateway,
  body: Uint8Array,
  headers: Record<string, string | number>,
  agent: Agent | false = false,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${under.url}/v1/responses`, {
      method: 'POST',
      agent,
      headers: { authorization: `Bearer ${under.apiKey}`, 'content-type': 'application/json', ...headers },
    })
    sent.once('error', reject).once('response', async reply => {
      const body = JSON.parse(await text(reply)) as Answer['body']
      resolve({ status: reply.statusCode!, accepts: reply.headers['accept-encoding'], body })
    })
    sent.end(body)
  })
}

interface Answer {
  readonly status: number
  readonly accepts: string | undefined
  readonly body: { readonly status?: string; readonly error?: { readonly code: string; readonly message: string } }
}

const compressions: Readonly<Record<string, (body: string) => Buffer>> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  GZIP: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
}

byEveryWay('a body may be compressed, and its limit is that of what comes out', async t => {
  const maxBodyBytes = 100_000
  const under = await listeningGateway({ settings: { maxBodyBytes } })
  t.teardown(under.stop)
  const fits = `${head},"user":"${'x'.repeat(90_000)}"}`
  const bomb = `${head},"user":"${'x'.repeat(5_000_000)}"}`
  for (const [encoding, compress] of Object.entries(compressions)) {
    const [small, marked, large] = [fits, `\ufeff${fits}`, bomb].map(compress) as [Buffer, Buffer, Buffer]
    t.ok(large.length < maxBodyBytes, `${encoding}: the bomb is small`)
    for (const framing of ['content-length', 'transfer-encoding'] as const) {
      const ask = (body: Buffer): Promise<Answer> =>
        send(under, body, {
          'content-encoding': encoding,
          [framing]: framing === 'content-length' ? body.length : 'chunked',
        })
      const name = `${encoding}, ${framing}`
      t.match(await ask(small), { status: 200, body: { status: 'completed' } }, name)
      t.match(await ask(marked), { status: 200 }, `${name}: a byte order mark`)
      t.match(await ask(large), { status: 413, body: { error: { code: 'request_too_large' } } }, `${name}: a bomb`)
      t.match(await ask(small.subarray(0, -9)), { status: 400, body: { error: { code: 'invalid_encoding' } } }, `${name}: cut short`)
      t.match(await ask(Buffer.from(fits)), { status: 400, body: { error: { code: 'invalid_encoding' } } }, `${name}: not compressed`)
    }
  }
  t.match(await send(under, Buffer.from(`${head}}`), { 'content-encoding': 'identity' }), { status: 200 })
  for (const encoding of ['lzma', 'gzip, zstd'])
    t.match(
      await send(under, Buffer.from('x'), { 'content-encoding': encoding }),
      {
        status: 415,
        accepts: 'gzip, deflate, br, zstd',
        body: { error: { code: 'unsupported_media_type', message: /Use one of gzip, deflate, br, zstd/ } },
      },
      encoding,
    )
  t.equal((await under.request('/v1/responses', { body: `${head}}` })).status, 200, 'it goes on')
})

byEveryWay('a body that is too large is answered, however it is sent', async t => {
  const under = await listeningGateway({ settings: { maxBodyBytes: 1_000 } })
  t.teardown(under.stop)
  const body = Buffer.from(`${head},"user":"${'x'.repeat(3_000_000)}"}`)
  const large = { status: 413, body: { error: { code: 'request_too_large' } } }
  t.match(await send(under, body, { 'content-length': body.length }), large)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  for (const headers of [{}, { 'content-encoding': 'zstd' }]) {
    // Noise does not compress, so that the limit is met long before the body ends.
    const sent = 'content-encoding' in headers ? zstdCompressSync(randomBytes(3_000_000)) : body
    t.match(await send(under, sent, { 'transfer-encoding': 'chunked', ...headers }, agent), large)
    t.match(await send(under, Buffer.from(`${head}}`), {}, agent), { status: 200 }, 'its connection can be used again')
  }
})

byEveryWay('a byte order mark is skipped', async t => {
  const under = await listeningGateway()
  t.teardown(under.stop)
  const body = Buffer.from(`\ufeff${head}}`)
  for (const framing of [{ 'content-length': body.length }, { 'transfer-encoding': 'chunked' }])
    t.match(await send(under, body, framing), { status: 200, body: { status: 'completed' } })
  t.match(await send(under, Buffer.from('\ufeff'), {}), { status: 400, body: { error: { code: 'invalid_json', message: /empty/ } } })
})
