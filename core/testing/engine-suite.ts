import assert from 'node:assert/strict'
import pTimeout from 'p-timeout'
import { ProviderFailure, type FailureKind } from '../contracts/provider.ts'
import type { FoundPage, SearchQuery } from '../contracts/search-engine.ts'
import type { PluginUse } from '../framework/plugin.ts'
import { searching, type Searching } from './searching.ts'
import { fakeUpstream, reset, stall, type FakeReply, type FakeUpstream, type ReceivedRequest } from './fake-upstream.ts'
import type { SuiteContext } from './provider-suite.ts'

/** A query and the vendor's answer, taken from the vendor's documentation. */
export interface EngineExample {
  /** Begins the name of its test. */
  readonly name: string
  /** Missing members are those of a plain query. */
  readonly query: Partial<SearchQuery>
  /** The request that the vendor should receive. */
  readonly sent: SentSearch
  /** As JSON. */
  readonly reply: unknown
  /** The result of the search, compared deeply. */
  readonly pages: readonly FoundPage[]
}

/** The request that the vendor should receive. */
export interface SentSearch {
  /** In upper case. */
  readonly method: 'GET' | 'POST'
  /** Without the query. */
  readonly path: string
  /** The parameters after the `?`, all of them. */
  readonly parameters?: Readonly<Record<string, string>>
  /** The headers that matter. */
  readonly headers?: Readonly<Record<string, string>>
  /** The JSON body, or the parameters of a form. */
  readonly body?: unknown
}

/** A reply of the vendor that is an error, and its meaning. */
export interface EngineFailure {
  /** The HTTP status. */
  readonly status: number
  /** As JSON. */
  readonly body: unknown
  /** That of the `ProviderFailure` which the engine must throw. */
  readonly kind: FailureKind
}

/** For `engineSuite`. */
export interface EngineSuiteOptions {
  /** The plugin for an engine at this address. Its key should be the first of `secrets`. */
  plugin(options: { readonly baseUrl: string; readonly timeoutMs?: number }): PluginUse
  /** The first one also serves other tests. */
  readonly examples: readonly EngineExample[]
  /** Replies that list no page, with the status 200 unless they say otherwise. */
  readonly empty: readonly {
    /** Default: 200. */
    readonly status?: number
    /** As JSON. */
    readonly body: unknown
  }[]
  /** The vendor's own errors. Common statuses are always tested. */
  readonly failures?: readonly EngineFailure[]
  /** Every key and token in its options. They must not appear in addresses or errors. */
  readonly secrets: readonly string[]
  /** How quickly it must stop after an abort. Default: 1000. */
  readonly stopMs?: number
}

/** Tests for every engine over HTTP. */
export function engineSuite(t: SuiteContext, options: EngineSuiteOptions): void {
  for (const example of options.examples) t.test(`${example.name}: asks and reads as the vendor documents it`, () => asks(options, example))
  t.test('finding nothing is an answer', () => findsNothing(options))
  t.test('drops results without an http address', () => dropsOthers(options))
  t.test('sends any query that a caller may write', () => sendsAnything(options))
  t.test('tells failures by their kind, and repeats nothing of the vendor', () => tellsFailures(options))
  t.test('does not take other replies for results', () => refusesOthers(options))
  t.test('does not follow redirects', () => staysPut(options))
  t.test('keeps concurrent searches apart', () => keepsApart(options))
  t.test('stops when the caller leaves or time is up', () => stops(options))
}

async function using(
  { plugin }: EngineSuiteOptions,
  script: readonly FakeReply[] | ((request: ReceivedRequest) => FakeReply),
  run: (engine: Searching, upstream: FakeUpstream) => Promise<void>,
  timeoutMs?: number,
): Promise<void> {
  await using upstream = await fakeUpstream(script)
  await using engine = await searching(plugin({ baseUrl: upstream.url, ...(timeoutMs && { timeoutMs }) }))
  await run(engine, upstream)
}

function json(body: unknown, status = 200): FakeReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

async function asks(options: EngineSuiteOptions, { query, sent, reply, pages }: EngineExample): Promise<void> {
  await using(options, [json(reply)], async (engine, upstream) => {
    assert.deepEqual(await engine.search(query), pages)
    const [request] = upstream.requests
    assert.ok(request && upstream.requests.length === 1, 'one search is one request')
    const url = new URL(request.url, upstream.url)
    assert.equal(`${request.method} ${url.pathname}`, `${sent.method} ${sent.path}`)
    assert.deepEqual(Object.fromEntries(url.searchParams), sent.parameters ?? {})
    for (const [name, value] of Object.entries(sent.headers ?? {})) assert.equal(request.headers[name], value, `the header ${name}`)
    const body = request.body ?? (request.text === '' ? undefined : Object.fromEntries(new URLSearchParams(request.text)))
    assert.deepEqual(body, sent.body)
    for (const secret of options.secrets) assert.ok(!request.url.includes(secret), 'a key does not belong into an address')
  })
}

async function findsNothing(options: EngineSuiteOptions): Promise<void> {
  for (const { status, body } of options.empty)
    await using(options, [json(body, status)], async engine => assert.deepEqual(await engine.search({}), []))
}

const badAddresses = ['javascript:alert(1)', 'file:///etc/passwd', 'ftp://example.com/a', '//example.com/a', 'http://', '', null, 7]

/** Replaces every address in an example by bad ones. */
async function dropsOthers(options: EngineSuiteOptions): Promise<void> {
  const [example] = options.examples
  if (!example) return
  for (const address of badAddresses) {
    const reply = JSON.parse(JSON.stringify(example.reply), (_, value) => (isAddress(value) ? address : value)) as unknown
    await using(options, [json(reply)], async engine => assert.deepEqual(await engine.search({}), [], `${address} is not an address`))
  }
}

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && /^https?:/.test(value)
}

const anyText = [
  'a',
  '  ',
  'x'.repeat(100_000),
  'word '.repeat(10_000),
  'a\r\nb\0c',
  '\ud800 alone',
  '"&=?#%+/\\',
  '搜索 🦊',
  'site:example.com -a',
]

async function sendsAnything(options: EngineSuiteOptions): Promise<void> {
  const [empty] = options.empty
  if (!empty) return
  await using(
    options,
    () => json(empty.body, empty.status),
    async (engine, upstream) => {
      for (const query of anyText) assert.deepEqual(await engine.search({ query }), [])
      const domains = Array.from({ length: 500 }, (_, index) => `host${index}.example.com`)
      for (const city of anyText)
        assert.deepEqual(
          await engine.search({
            allowedDomains: domains,
            blockedDomains: domains,
            userLocation: { country: 'XX', region: city, city, timezone: 'Europe/Berlin' },
          }),
          [],
        )
      assert.equal(upstream.requests.length, 2 * anyText.length)
    },
  )
}

const statuses: readonly (readonly [status: number, kind: FailureKind])[] = [
  [400, 'invalid-request'],
  [401, 'auth'],
  [402, 'quota'],
  [403, 'auth'],
  [404, 'not-found'],
  [429, 'rate-limit'],
  [500, 'unavailable'],
  [502, 'unavailable'],
  [503, 'overloaded'],
  [504, 'timeout'],
]

async function tellsFailures(options: EngineSuiteOptions): Promise<void> {
  const { secrets, failures = [] } = options
  const said = `The query "demo query" with the key ${secrets.join(' ')} failed.`
  const page: FakeReply = { headers: { 'content-type': 'text/html' }, body: `<html><body>${said}</body></html>` }
  const check = (reply: FakeReply, kind: FailureKind): Promise<void> =>
    using(options, [reply], async engine => {
      const failure = await failureOf(engine)
      assert.equal(failure.kind, kind, `status ${reply.status} with ${String(reply.body)}`)
      assert.equal(failure.status, reply.status)
      const shown = `${failure.message} ${failure.upstream ?? ''}`
      for (const text of [...secrets, 'demo query', '<html']) assert.ok(!shown.includes(text), `"${shown}" must not repeat ${text}`)
      if (reply.headers?.['retry-after']) assert.equal(failure.retryAfterMs, 7_000)
    })
  for (const [status, kind] of statuses) {
    await check({ ...page, status }, kind)
    await check(json({ error: { message: said }, message: said, detail: said }, status), kind)
  }
  await check({ status: 429, headers: { 'retry-after': '7' } }, 'rate-limit')
  for (const { status, body, kind } of failures) await check(json(body, status), kind)
  await using(options, [{ before: [reset] }], async engine => assert.equal((await failureOf(engine)).kind, 'network'))
}

async function refusesOthers(options: EngineSuiteOptions): Promise<void> {
  const bodies = [
    '',
    '<html></html>',
    'null',
    '[]',
    '{}',
    '"text"',
    '7',
    '{"error":"text"}',
    '{"results":{}}',
    '{"results"',
    ' '.repeat(9 * 1024 * 1024),
  ]
  for (const body of bodies)
    await using(options, [{ body }], async engine => {
      const failure = await failureOf(engine)
      assert.equal(failure.kind, 'protocol', `a reply with ${body.slice(0, 20) || 'nothing'}`)
    })
}

async function staysPut(options: EngineSuiteOptions): Promise<void> {
  for (const status of [301, 302, 307, 308])
    await using(options, [{ status, headers: { location: '/elsewhere' } }], async (engine, upstream) => {
      const failure = await failureOf(engine)
      assert.equal(failure.kind, 'protocol')
      assert.match(failure.message, /baseUrl/)
      assert.equal(upstream.requests.length, 1)
    })
}

async function keepsApart(options: EngineSuiteOptions): Promise<void> {
  const [example] = options.examples
  const [empty] = options.empty
  if (!example || !empty) return
  const reply = (request: ReceivedRequest): FakeReply =>
    `${request.url} ${request.text}`.includes('nothing') ? json(empty.body, empty.status) : json(example.reply)
  await using(options, reply, async engine => {
    const found = await Promise.all(['nothing', 'something', 'nothing', 'something'].map(query => engine.search({ query })))
    assert.deepEqual(found, [[], example.pages, [], example.pages])
  })
}

async function stops(options: EngineSuiteOptions): Promise<void> {
  const { stopMs = 1_000 } = options
  const soon = <T>(stopped: Promise<T>): Promise<T> =>
    pTimeout(stopped, { milliseconds: stopMs, message: `it did not stop within ${stopMs} ms` })
  await using(options, [{ before: [stall] }, { body: ['{', stall] }], async (engine, upstream) => {
    for (const index of [0, 1]) {
      const caller = new AbortController()
      const reason = new Error('the caller left')
      const left = assert.rejects(engine.search({}, caller.signal), reason, "it must throw the signal's reason")
      while (upstream.requests.length <= index) await new Promise(resolve => setImmediate(resolve))
      caller.abort(reason)
      await soon(left)
      assert.equal(await soon(upstream.requests[index]!.closed), 'early', 'the connection must be closed')
    }
    await soon(assert.rejects(engine.search({}, AbortSignal.abort(new Error('gone'))), /gone/))
    assert.equal(upstream.requests.length, 2, 'nothing is sent for a caller that has left')
  })
  const late = async (engine: Searching): Promise<void> => assert.equal((await soon(failureOf(engine))).kind, 'timeout')
  await using(options, [{ before: [stall] }], late, 50)
}

async function failureOf(engine: Searching): Promise<ProviderFailure> {
  const failure: unknown = await engine.search({ query: 'demo query' }).then(
    pages => assert.fail(`expected a failure, got ${pages.length} pages`),
    (error: unknown) => error,
  )
  assert.ok(ProviderFailure.is(failure), `expected a ProviderFailure, got ${String(failure)}`)
  return failure
}
