import t from 'tap'
import { sseFramer, type Framer } from '../../../core/kit.ts'
import { jsonLinesFramer } from '../../../core/upstream/sse.ts'
import { longStrings } from '../../kit/held-memory.ts'

/** The frames of a body that arrives in pieces of one length. */
function frames(framer: Framer, text: string | Uint8Array, length: number): readonly (readonly [string, string | undefined])[] {
  const bytes = Buffer.from(text as string)
  const seen: (readonly [string, string | undefined])[] = []
  const push = (data: string, event?: string): void => void seen.push([data, event])
  for (let start = 0; start < bytes.length; start += length) framer.feed(bytes.subarray(start, start + length), push)
  framer.end?.(push)
  return seen
}

type Case = readonly [name: string, text: string, expected: readonly (readonly [string, string?])[]]

const events: readonly Case[] = [
  ['one event', 'data: a\n\n', [['a']]],
  ['a named event', 'event: x\ndata: a\n\n', [['a', 'x']]],
  ['the name holds for one event only', 'event: x\ndata: a\n\ndata: b\n\n', [['a', 'x'], ['b']]],
  ['CRLF', 'event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n', [['a', 'x'], ['b']]],
  ['CR', 'data: a\r\rdata: b\r\rdata: c', [['a'], ['b']]],
  ['mixed line ends', 'data: a\r\n\ndata: b\n\r\n', [['a'], ['b']]],
  ['comments', ': hello\n\n:\ndata: a\n: inside\n\n', [['a']]],
  ['a byte order mark', '\uFEFFdata: a\n\n', [['a']]],
  ['no space after the colon', 'event:x\ndata:a\n\n', [['a', 'x']]],
  ['one space belongs to the field, two do not', 'data:  a \n\n', [[' a ']]],
  ['several data lines', 'data: a\ndata: b\n\n', [['a\nb']]],
  ['an empty data line', 'data:\n\n', [['']]],
  ['no data, no event', 'event: x\n\ndata: a\n\n', [['a']]],
  ['other fields', 'id: 7\nretry: 100\nstrange: 1\nalone\ndata: a\n\n', [['a']]],
  ['characters of several bytes', 'data: Grüße 🙂 漢字\n\n', [['Grüße 🙂 漢字']]],
  ['line and paragraph separators are no line ends', 'data: a\u2028b\u2029c\u0085d\n\n', [['a\u2028b\u2029c\u0085d']]],
  ['an unfinished event at the end', 'data: a\n\ndata: {"half":', [['a']]],
  ['an event whose blank line is missing', 'data: a\n\ndata: b\n', [['a']]],
  ['nothing', '', []],
]

t.test('server-sent events, however the bytes are cut', async t => {
  for (const [name, text, expected] of events)
    for (const length of [1, 2, 3, 7, 1000])
      t.same(
        frames(sseFramer(), text, length),
        expected.map(([data, event]) => [data, event]),
        `${name}, in pieces of ${length}`,
      )
})

t.test('a byte that is no UTF-8 spoils one character only', async t => {
  const bytes = Buffer.concat([Buffer.from('data: a'), Buffer.from([0xff]), Buffer.from('b\n\ndata: c\n\n')])
  for (const length of [1, 1000])
    t.same(frames(sseFramer(), bytes, length), [
      ['a\uFFFDb', undefined],
      ['c', undefined],
    ])
})

for (const [name, framer, start] of [
  ['an event', sseFramer, 'data: '],
  ['a line', jsonLinesFramer, ''],
] as const) {
  t.test(`${name} that never ends is refused`, async t => {
    const endless = framer()
    let bytes = 0
    const feed = (): void => {
      for (const chunk = Buffer.alloc(64 * 1024, 'a'); bytes < 32 * 1024 * 1024; bytes += chunk.length) endless.feed(chunk, () => {})
    }
    endless.feed(Buffer.from(start), () => {})
    t.throws(feed, { name: 'ProviderFailure', kind: 'protocol', message: new RegExp(`${name} larger than 8 MiB`) })
    t.ok(bytes <= 8 * 1024 * 1024, 'as soon as it is too long')
  })

  // If each chunk copied what came before it, this would copy 1.6 TB, and the test would run into its time-out.
  t.test(`${name} in very many chunks`, async t => {
    const long = framer()
    const chunk = Buffer.alloc(16, 'a')
    const count = (7 * 1024 * 1024) / chunk.length
    const seen: number[] = []
    const push = (data: string): void => void seen.push(data.length)
    long.feed(Buffer.from(start), push)
    for (let index = 0; index < count; index++) long.feed(chunk, push)
    long.feed(Buffer.from('\n\n'), push)
    t.same(seen, [7 * 1024 * 1024])
  })
}

t.test('a line that is too long is refused even if its end comes with it', async t => {
  const chunk = Buffer.concat([Buffer.alloc(9 * 1024 * 1024, 'a'), Buffer.from('\n')])
  t.throws(() => jsonLinesFramer().feed(chunk, () => {}), { name: 'ProviderFailure', kind: 'protocol' })
})

const lines: readonly Case[] = [
  ['documents', '{"a":1}\n{"b":2}\n', [['{"a":1}'], ['{"b":2}']]],
  ['CRLF and blank lines', '{"a":1}\r\n\r\n \n{"b":2}\r\n', [['{"a":1}\r'], ['{"b":2}\r']]],
  ['a last line without an end', '{"a":1}\n{"b":2}', [['{"a":1}'], ['{"b":2}']]],
  ['a document that was cut short', '{"a":1}\n{"b"', [['{"a":1}'], ['{"b"']]],
  ['characters of several bytes', '{"a":"🙂ü"}\n', [['{"a":"🙂ü"}']]],
  ['nothing', '', []],
]

t.test('a JSON document a line, however the bytes are cut', async t => {
  for (const [name, text, expected] of lines)
    for (const length of [1, 3, 1000])
      t.same(
        frames(jsonLinesFramer(), text, length),
        expected.map(([data]) => [data, undefined]),
        `${name}, in pieces of ${length}`,
      )
})

for (const [name, framer, line] of [
  ['an event', sseFramer, 'data: demo-held\n\n'],
  ['a line', jsonLinesFramer, 'demo-held\n'],
] as const) {
  t.test(`${name} that has only begun does not keep what came before it in memory`, async t => {
    const waiting = framer()
    waiting.feed(Buffer.from(line.repeat(20_000) + line.slice(0, -3).padEnd(50, '-')), () => {})
    t.equal(longStrings(line.slice(0, 9), 100_000), 0)
    waiting.feed(Buffer.from('-\n\n'), (data: string) => t.match(data, /^demo-hel?-+$/))
  })
}
