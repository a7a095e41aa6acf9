import { Readable } from 'node:stream'
import t from 'tap'
import { httpProvider, type HttpClient, type ProviderAdapter } from '../../../core/kit.ts'
import { httpEngine } from '../../../core/provider-kit/http-engine.ts'
import { providerCall } from '../../../core/testing/index.ts'
import { collectGarbage } from '../../kit/held-memory.ts'

const adapter: ProviderAdapter = {
  framing: 'sse',
  prepare: () => ({ method: 'POST', url: 'http://127.0.0.1/', headers: {}, body: '{}' }),
  decoder: () => ({ frame: (data, _, emit) => emit({ type: 'text', text: data }) }),
  reply: () => {},
  failure: () => {
    throw new Error('this vendor does not fail')
  },
}

t.test('the bytes of events that wait for a client are not kept', async t => {
  const chunks: WeakRef<Buffer>[] = []
  const body = new Readable({ read() {} })
  // A body that itself keeps nothing.
  const next = async (): Promise<IteratorResult<Buffer>> => {
    const value = Buffer.allocUnsafeSlow(20_000).fill('data: word\n\n')
    chunks.push(new WeakRef(value))
    return { done: false, value }
  }
  body.iterator = () => ({ next, [Symbol.asyncIterator]: () => body.iterator() }) as ReturnType<Readable['iterator']>
  const http = { send: async () => ({ status: 200, headers: {}, body }) } as unknown as HttpClient
  const events = httpProvider('demo', adapter, http).generate(providerCall({ model: 'demo', input: [], stream: true }))
  const read = events[Symbol.asyncIterator]()
  for (let count = 0; count < 3; count++) t.match((await read.next()).value, [{ type: 'text', text: 'word' }])
  await collectGarbage()
  t.equal(chunks.length, 3)
  t.same(
    chunks.map(chunk => chunk.deref()?.length),
    [undefined, undefined, undefined],
  )
  await read.return?.()
})

t.test('an object that is no adapter is refused when the plugin is set up', async t => {
  const http = { send: async () => Promise.reject(new Error('no network here')) } as unknown as HttpClient
  const provider = (given: object) => () => httpProvider('demo', given as ProviderAdapter, http)
  t.throws(provider({}), {
    message: 'httpProvider got an adapter with a bad `framing`: expected "sse", "json-lines" or a function, got undefined',
  })
  t.throws(provider({ ...adapter, framing: 'ndjson' }), { message: /got "ndjson"/ })
  t.throws(provider({ ...adapter, prepare: undefined }), { message: /a bad `prepare`: expected a function, got undefined/ })
  t.throws(() => httpProvider('demo', adapter, undefined as never), { message: 'httpProvider needs gateway.http as its third argument' })
  t.doesNotThrow(provider({ ...adapter, framing: () => ({ feed() {} }) }))

  const engine = { name: 'demo', prepare: () => ({}), pages: () => [] }
  const search = (given: object, client: unknown, options?: object) => () =>
    httpEngine(given as never, client as HttpClient, options as never)
  t.throws(search({ ...engine, pages: undefined }, http, { timeoutMs: 1 }), { message: /^httpEngine got an adapter with a bad `pages`/ })
  t.throws(search(engine, undefined, { timeoutMs: 1 }), { message: 'httpEngine needs gateway.http as its third argument' })
  t.throws(search(engine, http), { message: 'httpEngine got options: expected an object, got undefined' })
  t.throws(search(engine, http, {}), { message: /^httpEngine got options with a bad `timeoutMs`/ })
})

t.test('the traceparent of a call is sent, whatever the headers of the options say, and signed', async t => {
  const sent: Readonly<Record<string, string>>[] = []
  const http = {
    send: async ({ headers }: { headers: Record<string, string> }) => {
      sent.push(headers)
      return { status: 200, headers: {}, body: Readable.from([Buffer.from('data: word\n\n')]) }
    },
  } as unknown as HttpClient
  const signed: (string | undefined)[] = []
  const signing: ProviderAdapter = {
    ...adapter,
    authorize(request) {
      signed.push(request.headers['traceparent'])
      return request
    },
  }
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  for (const headers of [undefined, { 'x-demo': 'a' }]) {
    const provider = httpProvider('demo', signing, http, headers ? { headers } : {})
    for (const more of [{ traceparent }, {}]) {
      const call = { ...providerCall({ model: 'demo', input: [], stream: true }), ...more }
      for await (const _ of provider.generate(call));
    }
  }
  t.same(
    sent.map(headers => headers['traceparent']),
    [traceparent, undefined, traceparent, undefined],
  )
  t.same(signed, [traceparent, undefined, traceparent, undefined])
  t.equal(sent[2]!['x-demo'], 'a')
})
