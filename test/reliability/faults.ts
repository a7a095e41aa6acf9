import { gzipSync } from 'node:zlib'
import { cut, reset, stall, type FakeReply, type Step } from '../../core/testing/index.ts'
import type { WireUnderTest } from './wires.ts'

export type Mode = 'whole' | 'stream'

/** What goes wrong between the gateway and a vendor. */
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
}

const json = { 'content-type': 'application/json' }
const html = { 'content-type': 'text/html' }
const page = '<!doctype html><html><body><h1>Bad Gateway</h1></body></html>'
const streams: readonly Mode[] = ['stream']
const both: readonly Mode[] = ['whole', 'stream']
const mebibyte = 1024 * 1024

/** Made once: little to send, and much to unpack. */
let bomb: Buffer | undefined

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
  status(404, ''),
  status(409, ''),
  status(413, ''),
  status(429, ', retry-after 7 s', { 'retry-after': '7' }),
  status(500, ''),
  { name: 'status 502 with a page', reply: () => ({ status: 502, headers: html, body: page }) },
  status(503, ', retry-after 1 s', { 'retry-after': '1' }),
  status(503, ', retry-after 60 s', { 'retry-after': '60' }),
  status(504, ''),
  { name: 'a redirect', reply: () => ({ status: 302, headers: { location: 'https://example.com/' } }) },
  { name: 'a page under a 200', reply: () => ({ headers: html, body: page }) },
  { name: 'an empty 200', reply: (wire, mode) => ({ headers: typeOf(wire, mode) }) },
  {
    name: 'garbage that calls itself gzip',
    reply: (wire, mode) => ({ headers: { ...typeOf(wire, mode), 'content-encoding': 'gzip' }, body: page }),
  },
  {
    name: 'a gzip bomb of 70 MiB',
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
    name: 'a line of 33 MiB',
    modes: streams,
    reply: wire => answering(wire, 'stream', [`data: ${'x'.repeat(33 * mebibyte)}`, '\n\n']),
  },
  {
    name: 'one byte at a time',
    reply: (wire, mode) => answering(wire, mode, bytesOf(mode === 'whole' ? wire.answer.whole : wire.answer.stream)),
  },
  { name: 'another content type', modes: both, reply: (wire, mode) => ({ ...right(wire, mode), headers: html }) },
  { name: 'the end twice', modes: streams, reply: wire => answering(wire, 'stream', [...framesOf(wire), framesOf(wire).at(-1)!]) },
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
