import { gzipSync } from 'node:zlib'
import { cut, reset, stall, turn, type FakeReply, type ReceivedRequest } from '../../../../core/testing/index.ts'
import { chat, messages } from './answers.ts'
import { secret, type ProviderUnderTest } from './every-provider.ts'

// Replies that no vendor should send, but that something between the gateway and a vendor may.

/** Part of every wrong reply. Tests search for it in places where none of the reply may appear. */
export const canary = 'Zebrafink'
const page = `<!doctype html><html><body><h1>${canary}</h1></body></html>`
export const longest = 4_096

interface Situation {
  readonly provider: ProviderUnderTest
  readonly stream: boolean
  readonly request: ReceivedRequest
}

export interface Oddity {
  readonly reply: (situation: Situation) => FakeReply
  /** 200: it is an answer, and understood. `broken`: a failure, with a status or behind what had been said. Default: 424. */
  readonly status?: 200 | 'broken'
  /** True if the caller sees the vendor's text. Default: true if the answer fails. */
  readonly shown?: boolean
  /** True if a retry may succeed. Default: false. Some dialects read more into such a reply than others. */
  readonly passes?: true | 'varies'
  /** True if there is such a thing in this provider's dialect. */
  readonly applies?: (provider: ProviderUnderTest, stream: boolean) => boolean
}

const html = { 'content-type': 'text/html' }
const json = { 'content-type': 'application/json' }
const redirect = (status: number, elsewhere: string): Oddity => ({
  reply: () => ({ status, headers: { location: `${elsewhere}/${canary}`, ...html }, body: page }),
})
const isText = ({ answer }: ProviderUnderTest, stream: boolean): boolean => !stream || typeof answer.stream === 'string'

/** By what they are; `elsewhere` is where redirects point. */
export const oddities = (elsewhere: string): Readonly<Record<string, Oddity>> => ({
  'a page under a 200': { reply: () => ({ headers: html, body: page }) },
  'an empty 200': { reply: () => ({}), shown: false, passes: 'varies' },
  'nothing but spaces': { reply: () => ({ headers: json, body: ' \n \n' }), shown: false, passes: 'varies' },
  'a 204': { reply: () => ({ status: 204 }), shown: false, passes: 'varies' },
  'an object of another shape': { reply: situation => ({ headers: typeFor(situation), body: JSON.stringify({ [canary]: true }) }) },
  'a list': { reply: situation => ({ headers: typeFor(situation), body: JSON.stringify([canary]) }) },
  null: { reply: situation => ({ headers: typeFor(situation), body: 'null' }), passes: 'varies' },
  'events of another shape': {
    reply: situation => ({ headers: typeFor(situation), body: `data: {"${canary}":1}\n\ndata: 7\n\ndata: null\n\n` }),
    passes: 'varies',
  },
  'an event that is not JSON': { reply: situation => ({ headers: typeFor(situation), body: `data: {"${canary}":\n\n` }) },
  'another dialect': {
    reply: ({ provider, stream }) => {
      const other = provider.answer === chat ? messages : chat
      return { headers: stream ? { 'content-type': other.streamType } : json, body: stream ? other.stream : other.whole }
    },
    passes: 'varies',
  },
  'a 301': redirect(301, elsewhere),
  'a 302': redirect(302, elsewhere),
  'a 307': redirect(307, elsewhere),
  'a 308': redirect(308, elsewhere),
  'a 304': { reply: () => ({ status: 304, headers: { location: elsewhere } }) },
  'a body that was cut': {
    reply: ({ provider }) => ({ headers: json, body: [half(provider.answer.whole), cut] }),
    shown: false,
    passes: true,
    applies: (_, stream) => !stream,
  },
  'half a body that ends well': {
    reply: ({ provider }) => ({ headers: json, body: half(provider.answer.whole) }),
    applies: (_, stream) => !stream,
  },
  'a stream that was cut': {
    reply: situation => ({ headers: typeFor(situation), body: [half(right(situation)), cut] }),
    status: 'broken',
    applies: (_, stream) => stream,
  },
  'a stream that broke': {
    reply: situation => ({ headers: typeFor(situation), body: [half(right(situation)), reset] }),
    status: 'broken',
    applies: (_, stream) => stream,
  },
  'half a stream that ends well': {
    reply: situation => ({ headers: typeFor(situation), body: half(right(situation)) }),
    status: 'broken',
    applies: (_, stream) => stream,
  },
  'a page that was compressed': {
    reply: () => ({ status: 502, headers: { ...html, 'content-encoding': 'gzip' }, body: gzipSync(page) }),
    passes: true,
  },
  'what calls itself compressed and is not': {
    reply: () => ({ status: 502, headers: { ...html, 'content-encoding': 'gzip' }, body: page }),
    shown: false,
    passes: true,
  },
  'a page of a megabyte': { reply: () => ({ status: 500, headers: html, body: page + 'x'.repeat(1024 * 1024) }), passes: true },
  'a sentence of a megabyte': {
    reply: () => ({ status: 500, headers: json, body: JSON.stringify({ error: { message: canary + 'x'.repeat(1024 * 1024) } }) }),
    passes: true,
  },
  'an error under a 200': {
    reply: () => ({ headers: json, body: JSON.stringify({ error: { message: canary, type: 'internal' } }) }),
    passes: 'varies',
  },
  'the key, told in an error': {
    reply: ({ request }) => ({
      status: 500,
      headers: json,
      body: JSON.stringify({ error: { message: `${canary}: ${credentialsIn(request)}` } }),
    }),
    passes: true,
  },
  'the key, told where an answer should be': {
    reply: ({ request }) => ({ headers: html, body: `<p>${canary} ${credentialsIn(request)}</p>` }),
  },
  'the key, across the place of the cut': {
    reply: () => ({ status: 500, headers: html, body: `${page}${' '.repeat(longest - page.length - 12)}${secret}` }),
    passes: true,
  },
  'nothing but comments': {
    reply: () => ({ headers: { 'content-type': 'text/event-stream' }, body: `: ${canary}\n\n: ${canary}\n\n` }),
    passes: 'varies',
  },
  'an answer of another content type': { reply: situation => ({ headers: html, body: right(situation) }), status: 200 },
  'an answer without a content type': { reply: situation => ({ body: right(situation) }), status: 200 },
  'an answer behind a byte order mark': {
    reply: situation => ({ headers: typeFor(situation), body: `\uFEFF${right(situation)}` }),
    status: 200,
    applies: isText,
  },
  'an answer whose lines end with CRLF': {
    reply: situation => ({ headers: typeFor(situation), body: String(right(situation)).replaceAll('\n', '\r\n') }),
    status: 200,
    applies: isText,
  },
  'an answer that was compressed': {
    reply: situation => ({ headers: { ...typeFor(situation), 'content-encoding': 'gzip' }, body: gzipSync(right(situation)) }),
    status: 200,
  },
  'an answer whose connection stays open': {
    reply: situation => ({ headers: typeFor(situation), body: [right(situation), stall] }),
    status: 200,
    applies: (_, stream) => stream,
  },
  'an answer without its last line whose connection stays open': {
    reply: situation => ({ headers: typeFor(situation), body: [String(right(situation)).replace('data: [DONE]\n\n', ''), stall] }),
    status: 200,
    applies: ({ answer }, stream) => stream && answer === chat,
  },
  'an answer that is sent twice': {
    reply: situation => ({ headers: typeFor(situation), body: Buffer.concat([bytes(right(situation)), bytes(right(situation))]) }),
    status: 200,
    applies: (_, stream) => stream,
  },
  'an answer that is sent again, and then the connection stays open': {
    reply: situation => ({ headers: typeFor(situation), body: [right(situation), turn, right(situation), stall] }),
    status: 200,
    applies: (_, stream) => stream,
  },
  'a whole answer to who asked for a stream': {
    reply: ({ provider }) => ({ headers: json, body: provider.answer.whole }),
    status: 200,
    applies: ({ answer, bridged }) => answer.streamType === 'text/event-stream' && !bridged,
  },
})

function right({ provider: { answer }, stream }: Situation): string | Uint8Array {
  return stream ? answer.stream : answer.whole
}

function typeFor({ provider: { answer }, stream }: Situation): Readonly<Record<string, string>> {
  return stream ? { 'content-type': answer.streamType } : json
}

function bytes(body: string | Uint8Array): Uint8Array {
  return Buffer.from(body)
}

function half(body: string | Uint8Array): Uint8Array {
  return Buffer.from(body).subarray(0, body.length / 2)
}

function credentialsIn({ headers }: ReceivedRequest): string {
  return [headers.authorization, headers['x-api-key'], headers['api-key'], headers['x-goog-api-key'], secret].join(' ')
}
