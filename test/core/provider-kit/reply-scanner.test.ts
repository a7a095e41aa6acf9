import t from 'tap'
import { ReplyScanner } from '../../../core/provider-kit/reply-scanner.ts'

const numbers = (count: number, seed = 1): readonly number[] =>
  Array.from({ length: count }, (_, index) => Math.sin(index * seed) * 10 ** (index % 9))

/** The reply in chunks of this many bytes, with lists of numbers as numbers again. */
function scanned(text: string, size: number): unknown {
  const scanner = new ReplyScanner()
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) scanner.add(bytes.subarray(at, at + size))
  t.equal(scanner.bytes, bytes.length)
  return plain(scanner.end())
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  const { json } = value as { json?: unknown }
  if (typeof json === 'string' && json.startsWith('[')) return JSON.parse(json)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]))
}

const long = 'Zm9vYmFy'.repeat(80)
const replies: readonly unknown[] = [
  {
    object: 'list',
    data: [
      { index: 0, embedding: numbers(400) },
      { index: 1, embedding: numbers(400, 2) },
    ],
    usage: { prompt_tokens: 3 },
  },
  { data: [{ embedding: long }, { embedding: `${long}=` }] },
  { embeddings: { float: [numbers(300)] } },
  { embeddings: { float: [numbers(300), numbers(300, 3)] }, list: [[[numbers(200)]]] },
  { embeddings: [long] },
  { short: [1, 2, 3], none: [], nested: [[], [1], [[2]]], words: ['a', 'é', '"]', '\\', '[1,2]'] },
  { mixed: [1, 'a', [2], { b: 3 }, null], text: `quotes " and \\ and \u2028 and ${'\\"'.repeat(300)} ${'ü'.repeat(300)}` },
  { '\u0000turnpike 0': 'a name', value: '\u0000other' },
  [-1.5e-7, 2, -0, 1e21],
  'a text',
  null,
  17,
]

t.test('a reply is what JSON.parse gives, wherever its chunks end', async t => {
  for (const reply of replies)
    for (const text of [JSON.stringify(reply), JSON.stringify(reply, undefined, 2)])
      for (const size of [1, 2, 3, 7, 64, 1_000, 1_000_000])
        t.same(scanned(text, size), JSON.parse(text), `${text.slice(0, 40)} by ${size}`)
})

t.test('long lists stay text, without white space', async t => {
  const scanner = new ReplyScanner()
  scanner.add(Buffer.from(`{"v": [ ${numbers(200).join(' ,\n ')} ]}`))
  t.same(scanner.end(), { v: { json: `[${numbers(200).join(',')}]` } })
})

t.test('a byte order mark does not count', async t => {
  t.same(scanned('\ufeff{"a":1}', 2), { a: 1 })
})

t.test('a reply that is cut short is none', async t => {
  const text = JSON.stringify(replies[0])
  for (const end of [1, 10, 60, 300, text.length - 40, text.length - 1]) t.throws(() => scanned(text.slice(0, end), 16), SyntaxError)
  t.throws(() => scanned('{"a": "12}', 4), SyntaxError)
  t.throws(() => scanned('', 4), SyntaxError)
  t.throws(() => scanned('<html>', 4), SyntaxError)
})
