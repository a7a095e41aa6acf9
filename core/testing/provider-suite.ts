import assert from 'node:assert/strict'
import type { ProviderAdapter, UpstreamHeaders } from '../contracts/adapter.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import { isSemantic, type GenerationEvent } from '../contracts/events.ts'
import { ProviderFailure, type FailureKind, type ProviderCall } from '../contracts/provider.ts'
import type { UpstreamRequestBody } from '../contracts/request.ts'
import { checkGenerationEvents } from './generation-events.ts'
import { providerCall } from './provider-call.ts'
import { inPieces, replay } from './replay.ts'

/** The part of a test framework that suites need: tap's `t` and node:test's are both of this shape. */
export interface SuiteContext {
  test(name: string, run: () => Promise<void>): unknown
}

/** A request and what the vendor answers to it, written by hand or taken from the vendor's documentation. */
export interface ProviderExample {
  readonly name: string
  readonly request: Omit<UpstreamRequestBody, 'stream'>
  readonly endpoint?: Partial<Endpoint>
  /** The JSON body that the vendor is to receive. */
  readonly sent?: unknown
  /** The reply as a stream, to its last byte, and the events it means. */
  readonly stream?: { readonly body: string | Uint8Array; readonly events: readonly GenerationEvent[] }
  /** The reply that does not stream, as parsed JSON. */
  readonly reply?: { readonly body: unknown; readonly events: readonly GenerationEvent[] }
}

/** An error of the vendor's and what it means. */
export interface FailureExample {
  readonly status: number
  readonly headers?: UpstreamHeaders
  readonly body: string
  readonly kind: FailureKind
}

export interface ProviderSuiteOptions {
  readonly adapter: ProviderAdapter
  readonly examples: readonly ProviderExample[]
  readonly failures?: readonly FailureExample[]
  /** Every key and token in the adapter's options. */
  readonly secrets?: readonly string[]
  readonly credentialId?: string | undefined
  /** A whole frame that the dialect does not know. Needed only where the framing is the adapter's own, or the dialect has no unknown events (`false`). */
  readonly unknownFrame?: string | false
}

/** What every adapter must pass, whoever wrote it. */
export function providerSuite(t: SuiteContext, options: ProviderSuiteOptions): void {
  for (const example of options.examples) {
    t.test(`${example.name}: prepares the same request again, and changes nothing`, () => prepares(options, example))
    if (example.stream) {
      const stream = { ...example.stream, body: Buffer.from(example.stream.body) }
      t.test(`${example.name}: decodes the same events however the bytes are cut`, () => decodes(options, example, stream))
      t.test(`${example.name}: never takes a stream that was cut short for a whole one`, () => noticesCuts(options, example, stream))
      t.test(`${example.name}: skips events that it does not know`, () => skipsUnknown(options, example, stream))
    }
    if (example.reply) {
      const { reply } = example
      t.test(`${example.name}: reads the reply that does not stream`, () => readsReply(options, example, reply))
      t.test(`${example.name}: takes no other JSON for a reply`, () => refusesOther(options, example))
    }
  }
  t.test('tells failures apart, and reads any body', async () => tellsFailures(options))
}

interface StreamExample {
  readonly body: Uint8Array
  readonly events: readonly GenerationEvent[]
}

function callFor({ credentialId }: ProviderSuiteOptions, { request, endpoint = {} }: ProviderExample, stream: boolean): ProviderCall {
  return providerCall({ ...request, stream }, { endpoint, credentialId })
}

async function prepares(options: ProviderSuiteOptions, example: ProviderExample): Promise<void> {
  for (const stream of [true, false]) {
    const call = callFor(options, example, stream)
    const before = structuredClone(call.request)
    const first = options.adapter.prepare(call)
    assert.deepEqual(options.adapter.prepare(call), first, 'prepare makes another request the second time')
    assert.deepEqual(call.request, before, 'prepare changes the request that it is given')
    for (const secret of options.secrets ?? []) assert.ok(!JSON.stringify(first).includes(secret), 'prepare puts a secret into the request')
    if (example.sent !== undefined && stream === Boolean(example.stream)) assert.deepEqual(JSON.parse(String(first.body)), example.sent)
  }
}

async function decodes(options: ProviderSuiteOptions, example: ProviderExample, { body, events }: StreamExample): Promise<void> {
  checkGenerationEvents(events)
  for (const length of [body.length, 1, 3, 7]) {
    const replayed = await replay(options.adapter, callFor(options, example, true), { pieces: inPieces(body, length) })
    if (replayed.failure) throw replayed.failure
    assert.deepEqual(replayed.events, events, `in pieces of ${length} bytes`)
  }
}

/** A stream may end early without loss, such as before a farewell: then it has said all that the whole one says. */
async function noticesCuts(options: ProviderSuiteOptions, example: ProviderExample, { body, events }: StreamExample): Promise<void> {
  const whole = events.filter(isSemantic)
  for (let length = 0; length < body.length; length++) {
    const replayed = await replay(options.adapter, callFor(options, example, true), { pieces: [body.subarray(0, length)] })
    if (replayed.failure || !replayed.events.some(({ type }) => type === 'finish')) continue
    assert.deepEqual(
      replayed.events.filter(isSemantic),
      whole,
      `after ${length} of ${body.length} bytes it finishes with a part of the answer`,
    )
  }
}

async function skipsUnknown(options: ProviderSuiteOptions, example: ProviderExample, { body, events }: StreamExample): Promise<void> {
  const { adapter, unknownFrame } = options
  const [end, frame] =
    adapter.framing === 'json-lines'
      ? ['\n', unknownFrame ?? '{"type":"demo.unknown"}\n']
      : ['\n\n', unknownFrame ?? ': a comment\n\nevent: demo.unknown\ndata: {"type":"demo.unknown"}\n\n']
  if (frame === false || (typeof adapter.framing === 'function' && unknownFrame === undefined)) return
  const text = Buffer.from(body).toString('utf8').replaceAll('\r\n', '\n')
  const mixed = frame + text.replaceAll(end, end + frame)
  const replayed = await replay(adapter, callFor(options, example, true), { pieces: [Buffer.from(mixed)] })
  if (replayed.failure) throw replayed.failure
  assert.deepEqual(replayed.events, events)
}

async function readsReply(
  options: ProviderSuiteOptions,
  example: ProviderExample,
  reply: NonNullable<ProviderExample['reply']>,
): Promise<void> {
  checkGenerationEvents(reply.events)
  const replayed = await replay(options.adapter, callFor(options, example, false), { pieces: [Buffer.from(JSON.stringify(reply.body))] })
  if (replayed.failure) throw replayed.failure
  assert.deepEqual(replayed.events, reply.events)
}

async function refusesOther(options: ProviderSuiteOptions, example: ProviderExample): Promise<void> {
  for (const body of ['', 'null', '[]', '{}', '7', '"text"', '<html>', '{"error":{"message":"no"}}']) {
    const replayed = await replay(options.adapter, callFor(options, example, false), { pieces: [Buffer.from(body)] })
    assert.ok(
      replayed.failure !== undefined || !replayed.events.some(({ type }) => type === 'finish'),
      `the body ${body} of a 200 counts as an answer`,
    )
  }
}

/** What a status may mean where the body says nothing more. */
const kinds: readonly (readonly [status: number, kinds: readonly FailureKind[]])[] = [
  [400, ['invalid-request']],
  [401, ['auth']],
  [404, ['not-found']],
  [413, ['invalid-request', 'context-length']],
  [429, ['rate-limit', 'quota', 'overloaded']],
  [500, ['unavailable', 'overloaded']],
  [502, ['unavailable', 'overloaded']],
  [503, ['unavailable', 'overloaded']],
  [504, ['unavailable', 'overloaded', 'timeout']],
]

const anyBodies = [
  '',
  'Bad gateway',
  '<html></html>',
  'null',
  '[]',
  '[{}]',
  '{}',
  '"text"',
  '{"error":null}',
  '{"error":"text"}',
  '{"error":{"message":7}}',
  '{"message":{}}',
  '{"detail":[{}]}',
]

function tellsFailures({ adapter, failures = [], secrets = [] }: ProviderSuiteOptions): void {
  const check = (status: number, headers: UpstreamHeaders, body: string, allowed: readonly FailureKind[]): ProviderFailure => {
    const what = `status ${status} with the body ${body || '(empty)'}`
    const failure = adapter.failure(status, headers, body)
    assert.ok(ProviderFailure.is(failure), `${what} makes no ProviderFailure`)
    assert.ok(allowed.includes(failure.kind), `${what} is ${failure.kind}; expected ${allowed.join(' or ')}`)
    assert.equal(failure.status, status, `${what} loses its status`)
    assert.ok(typeof failure.message === 'string' && failure.message !== '', `${what} has no message`)
    for (const secret of secrets) assert.ok(!failure.message.includes(secret), `${what} tells a secret`)
    return failure
  }
  for (const [status, allowed] of kinds) for (const body of anyBodies) check(status, {}, body, allowed)
  for (const { status, headers = {}, body, kind } of failures) check(status, headers, body, [kind])
  const limited = check(429, { 'retry-after': '7' }, '', ['rate-limit', 'overloaded'])
  assert.equal(limited.retryAfterMs, 7000, 'the header retry-after is not read')
}
