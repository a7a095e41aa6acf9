import { constants, deflateRawSync, gzipSync } from 'node:zlib'
import { cut, reset, stall, type FakeReply, type Step } from '../../../core/testing/index.ts'
import type { WireUnderTest } from './wires.ts'

export type Mode = 'whole' | 'stream'

/** A fault between the gateway and a vendor. */
export interface Fault {
  /** As the table says it. */
  readonly name: string
  readonly reply: (wire: WireUnderTest, mode: Mode) => FakeReply
  /** Where the vendor is, if it is not the fake upstream. */
  readonly at?: 'no such host' | 'closed port' | 'TLS on a plain port' | 'silent port' | 'interim responses'
  /** Only where there is such a thing. Default: both. */
  readonly modes?: readonly Mode[]
  /** The vendor never answers, so that time-outs decide. */
  readonly silent?: true
  /** Only where there is such a thing. Default: all. */
  readonly on?: (wire: WireUnderTest) => boolean
  /** The text of a whole answer, if it is not `Hello.` */
  readonly says?: string
  /** The request offers functions, and a whole answer calls two. */
  readonly calls?: true
  /** Takes so much memory and time that only one request at a time is sent, and many only on one wire. */
  readonly heavy?: true
}

const json = { 'content-type': 'application/json' }
const html = { 'content-type': 'text/html' }
const page = '<!doctype html><html><body><h1>Bad Gateway</h1></body></html>'
const streams: readonly Mode[] = ['stream']
const both: readonly Mode[] = ['whole', 'stream']
const mebibyte = 1024 * 1024
/** Of one, two, three and four bytes in UTF-8, and one of several characters. */
const unicode = 'Grüße, 世界! 🌍 👩‍👩‍👧'

/** Made once: little to send, and much to unpack. */
let bomb: Buffer | undefined
let laterBomb: Buffer | undefined

function status(code: number, what: string, headers: Readonly<Record<string, string>> = {}): Fault {
  return {
    name: `status ${code}${what}`,
    reply: () => ({ status: code, headers: { ...json, ...headers }, body: JSON.stringify({ error: { message: 'It went wrong.' } }) }),
  }
}

export const faults: readonly Fault[] = [
  { name: 'a name that does not resolve', at: 'no such host', reply: () => ({}) },
  { name: 'connection refused', at: 'closed port', reply: () => ({}) },
  { name: 'TLS error', at: 'TLS on a plain port', reply: () => ({}) },
  { name: 'a TLS handshake that never ends', at: 'silent port', reply: () => ({}), silent: true },
  { name: 'connection reset before the head', reply: () => ({ before: [reset] }) },
  { name: 'no head at all', reply: () => ({ before: [stall] }), silent: true },
  {
    name: 'a head, then silence',
    reply: (wire, mode) => answering(wire, mode, [': hello\n\n'.slice(0, mode === 'whole' ? 0 : 9), stall]),
    silent: true,
  },
  { name: 'interim responses (100, 102, 103) before the answer', at: 'interim responses', reply: right },
  status(400, ''),
  { name: 'status 400 with a page', reply: () => ({ status: 400, headers: html, body: page }) },
  status(401, ''),
  status(402, ''),
  status(403, ''),
  status(404, ''),
  { name: 'status 404 with a page', reply: () => ({ status: 404, headers: html, body: page }) },
  status(408, ''),
  status(409, ''),
  status(413, ''),
  status(422, ''),
  status(429, ''),
  status(429, ', retry-after 7 s', { 'retry-after': '7' }),
  status(429, ', retry-after 31 years', { 'retry-after': '1000000000' }),
  { name: 'status 429 with a page', reply: () => ({ status: 429, headers: html, body: page }) },
  status(500, ''),
  { name: 'status 502 with a page', reply: () => ({ status: 502, headers: html, body: page }) },
  status(503, ', retry-after 1 s', { 'retry-after': '1' }),
  status(503, ', retry-after 60 s', { 'retry-after': '60' }),
  status(504, ''),
  status(529, ''),
  { name: 'a redirect', reply: () => ({ status: 302, headers: { location: 'https://example.com/' } }) },
  { name: 'a page under a 200', reply: () => ({ headers: html, body: page }) },
  { name: 'an empty 200', reply: (wire, mode) => ({ headers: typeOf(wire, mode) }) },
  {
    name: 'garbage that calls itself gzip',
    reply: (wire, mode) => ({ headers: { ...typeOf(wire, mode), 'content-encoding': 'gzip' }, body: page }),
  },
  {
    name: 'a gzip bomb of 70 MiB',
    heavy: true,
    reply: (wire, mode) => ({
      headers: { ...typeOf(wire, mode), 'content-encoding': 'gzip' },
      body: (bomb ??= gzipSync(`data: ${'x'.repeat(70 * mebibyte)}`)),
    }),
  },
  { name: 'half of the answer, well ended', reply: (wire, mode) => answering(wire, mode, [half(wire, mode)]) },
  { name: 'the answer cut in the middle', reply: (wire, mode) => answering(wire, mode, [half(wire, mode), cut]) },
  {
    name: 'the stream cut before its first word',
    modes: streams,
    reply: wire => answering(wire, 'stream', [': hello\n\n', cut]),
  },
  {
    name: 'the stream cut after its first word',
    modes: streams,
    reply: wire => answering(wire, 'stream', [...untilSpoken(wire), cut]),
  },
  {
    name: 'the stream ended after its first word',
    modes: streams,
    reply: wire => answering(wire, 'stream', untilSpoken(wire)),
  },
  {
    name: 'the connection reset after the first word',
    modes: streams,
    reply: wire => answering(wire, 'stream', [...untilSpoken(wire), reset]),
  },
  {
    name: 'silence after the first word',
    modes: streams,
    silent: true,
    reply: wire => answering(wire, 'stream', [...untilSpoken(wire), stall]),
  },
  { name: 'an error as the first event', modes: streams, reply: wire => answering(wire, 'stream', [wire.error]) },
  { name: 'an error after the first word', modes: streams, reply: wire => answering(wire, 'stream', [...untilSpoken(wire), wire.error]) },
  { name: 'malformed JSON', reply: (wire, mode) => answering(wire, mode, [mode === 'whole' ? '{"a":' : 'data: {"a":\n\n']) },
  {
    name: 'malformed JSON after the first word',
    modes: streams,
    reply: wire => answering(wire, 'stream', [...untilSpoken(wire), 'data: {"a":\n\n']),
  },
  {
    name: 'garbage in the gzip after the first word',
    modes: streams,
    reply: wire => zipped(wire, untilSpoken(wire), Buffer.from(page)),
  },
  {
    name: 'a gzip bomb of 70 MiB after the first word',
    modes: streams,
    heavy: true,
    reply: wire => zipped(wire, untilSpoken(wire), (laterBomb ??= deflateRawSync(`data: ${'x'.repeat(70 * mebibyte)}`))),
  },
  {
    name: 'a line of 33 MiB after the first word',
    modes: streams,
    heavy: true,
    reply: wire => answering(wire, 'stream', [...untilSpoken(wire), `data: ${'x'.repeat(33 * mebibyte)}`, '\n\n']),
  },
  {
    name: 'a line of 33 MiB',
    modes: streams,
    heavy: true,
    reply: wire => answering(wire, 'stream', [`data: ${'x'.repeat(33 * mebibyte)}`, '\n\n']),
  },
  {
    name: 'one byte at a time',
    reply: (wire, mode) => answering(wire, mode, bytesOf(mode === 'whole' ? wire.answer.whole : wire.answer.stream)),
  },
  {
    name: 'characters split between packets',
    says: unicode,
    reply: (wire, mode) => answering(wire, mode, bytesOf(spoken(mode === 'whole' ? wire.answer.whole : wire.answer.stream, unicode))),
  },
  {
    name: 'bytes that are no text',
    says: 'Hell\ufffd.',
    reply: (wire, mode) => answering(wire, mode, [latin1(spoken(mode === 'whole' ? wire.answer.whole : wire.answer.stream, 'Hell\xff.'))]),
  },
  { name: 'another content type', modes: both, reply: (wire, mode) => ({ ...right(wire, mode), headers: html }) },
  { name: 'the end twice', modes: streams, reply: wire => answering(wire, 'stream', [...framesOf(wire), framesOf(wire).at(-1)!]) },
  {
    name: 'the usage after the end',
    modes: streams,
    reply: wire => answering(wire, 'stream', [...withoutUsage(wire, 'stream'), wire.usage]),
  },
  {
    name: 'the pieces of two calls taking turns',
    modes: streams,
    on: ({ calls }) => calls !== undefined,
    calls: true,
    reply: wire => answering(wire, 'stream', [wire.calls!.interleaved]),
  },
  {
    name: 'a piece of a call before the call',
    modes: streams,
    on: ({ calls }) => calls !== undefined,
    calls: true,
    reply: wire => answering(wire, 'stream', [wire.calls!.early]),
  },
  {
    name: 'a piece of a call after its end',
    modes: streams,
    on: ({ calls }) => calls !== undefined,
    calls: true,
    reply: wire => answering(wire, 'stream', [wire.calls!.late]),
  },
  { name: 'no usage', reply: (wire, mode) => answering(wire, mode, withoutUsage(wire, mode)) },
  {
    name: 'garbage behind the end',
    reply: (wire, mode) => answering(wire, mode, mode === 'whole' ? [wire.answer.whole, '\nx'] : [...framesOf(wire), 'data: {"a":\n\n']),
  },
  {
    name: 'more text behind the end',
    modes: streams,
    reply: wire => answering(wire, 'stream', [...framesOf(wire), ...untilSpoken(wire).slice(-1)]),
  },
  {
    name: 'text without end behind the end',
    modes: streams,
    silent: true,
    reply: wire => answering(wire, 'stream', [...framesOf(wire), ...Array(1_000).fill(untilSpoken(wire).at(-1)!), stall]),
  },
  {
    name: 'the end, and the connection stays open',
    modes: streams,
    silent: true,
    reply: wire => answering(wire, 'stream', [...framesOf(wire), stall]),
  },
]

function right(wire: WireUnderTest, mode: Mode): FakeReply {
  return answering(wire, mode, [mode === 'whole' ? wire.answer.whole : wire.answer.stream])
}

function answering(wire: WireUnderTest, mode: Mode, body: readonly Step[]): FakeReply {
  return { headers: typeOf(wire, mode), body }
}

function typeOf({ answer }: WireUnderTest, mode: Mode): Readonly<Record<string, string>> {
  return mode === 'whole' ? json : { 'content-type': answer.streamType }
}

function bytesOf(body: string | Uint8Array): readonly Uint8Array[] {
  return Array.from(Buffer.from(body), byte => Uint8Array.of(byte))
}

/** The pieces in gzip that goes on with `rest`. */
function zipped(wire: WireUnderTest, pieces: readonly string[], rest: Uint8Array): FakeReply {
  const headers = { ...typeOf(wire, 'stream'), 'content-encoding': 'gzip' }
  return { headers, body: [gzipSync(pieces.join(''), { finishFlush: constants.Z_SYNC_FLUSH }), rest] }
}

/** The answer with another text in it. */
function spoken(body: string | Uint8Array, text: string): string {
  return Buffer.from(body).toString().replaceAll('Hello.', text)
}

function latin1(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

function half({ answer }: WireUnderTest, mode: Mode): Uint8Array {
  const body = Buffer.from(mode === 'whole' ? answer.whole : answer.stream)
  return body.subarray(0, body.length / 2)
}

function framesOf({ answer }: WireUnderTest): readonly string[] {
  return String(answer.stream)
    .split(/(?<=\n\n)/)
    .filter(frame => frame !== '')
}

/** The frames up to the first text. Gemini's one frame says everything at once; here it leaves its end out. */
function untilSpoken(wire: WireUnderTest): readonly string[] {
  const frames = framesOf(wire)
  const spoken = frames.findIndex(frame => frame.includes('Hello.'))
  return [...frames.slice(0, spoken), frames[spoken]!.replace('"finishReason":"STOP",', '')]
}

function withoutUsage(wire: WireUnderTest, mode: Mode): readonly string[] {
  if (mode === 'whole') return [stripped(wire.answer.whole)]
  return framesOf(wire).map(frame => frame.replace(/(?<=^data: )\{.*\}$/m, stripped))
}

function stripped(text: string): string {
  return JSON.stringify(JSON.parse(text), (key, value: unknown) => (key === 'usage' || key === 'usageMetadata' ? undefined : value))
}

/** Every fault on only one wire, a different one each time. */
export function onOneWire(wires: readonly WireUnderTest[]): readonly Fault[] {
  return faults.map((fault, index) => {
    const possible = wires.filter(wire => fault.on?.(wire) ?? true)
    const chosen = possible[fault.heavy ? 0 : index % possible.length]
    return { ...fault, on: wire => wire === chosen }
  })
}
