import fc from 'fast-check'
import t from 'tap'
import { RepeatedJson } from '../../../core/runtime/repeated-json.ts'

interface Frame {
  readonly id?: unknown
  readonly delta?: Record<string, unknown> | null
}

const frames = (): RepeatedJson<Frame> => new RepeatedJson<Frame>(frame => frame?.delta, ['text', 'thought'])

/** Reads all of them with one reader, as copies, since it may return an object again. */
function read(texts: readonly string[]): unknown[] {
  const reader = frames()
  return texts.map(text => structuredClone(reader.parse(text)))
}

/** How often it really parsed. */
function parses(texts: readonly string[]): number {
  const { parse } = JSON
  let count = 0
  JSON.parse = (text: string) => {
    count++
    return parse(text)
  }
  try {
    const reader = frames()
    for (const text of texts) reader.parse(text)
  } finally {
    JSON.parse = parse
  }
  return count
}

t.test('values are those of JSON.parse, whatever the texts say', async t => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom('a', 'text', 'delta', 'x-1', '"', '\\', '\n', '\u0000', '💶', '\ud800', 'turnpike-probe', '","id":"', 'null'),
  )
  const frame = fc.oneof(
    { weight: 6, arbitrary: fc.record({ id: fc.constant('x-1'), delta: fc.record({ text: word }) }) },
    { weight: 2, arbitrary: fc.record({ id: fc.constantFrom('x-1', 'x-2', 'text'), delta: fc.record({ text: word, thought: word }) }) },
    { weight: 1, arbitrary: fc.record({ delta: fc.constantFrom(null, {}, { text: 1 }, { text: '' }, { thought: 'a' }) }) },
    { weight: 1, arbitrary: fc.jsonValue().filter(value => value !== null && typeof value === 'object') as fc.Arbitrary<never> },
  )
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 12 }), list => {
      const texts = list.map(each => JSON.stringify(each))
      t.same(
        read(texts),
        texts.map(text => JSON.parse(text)),
      )
    }),
    { numRuns: 500 },
  )
})

t.test('a text that stands in several places, or twice under one name', async t => {
  for (const around of [
    (text: string) => `{"id":"a","delta":{"text":"${text}"},"type":"a"}`,
    (text: string) => `{"delta":{"text":"first","text":"${text}"}}`,
    (text: string) => `{"delta":{"text":"${text}","text":"last"}}`,
    (text: string) => `{"delta": {"text" : "${text}" }, "echo": "${text}"}`,
    (text: string) => `{"echo":"${text}","delta":{"text":"${text}"}}`,
    (text: string) => `{"delta":{"text":"${text}"},"\\u0061":"${text}"}`,
  ]) {
    const texts = ['a', 'a', 'b', 'b', 'type', 'last', 'a', '\\n', 'c', 'c'].map(around)
    t.same(
      read(texts),
      texts.map(text => JSON.parse(text)),
      texts[0]!,
    )
  }
})

t.test('text that is not JSON is refused, even after a pattern is known', async t => {
  const reader = frames()
  for (const text of ['a', 'b', 'c']) reader.parse(`{"delta":{"text":"${text}"}}`)
  for (const broken of ['', '{', '{"delta":{"text":"a', '{"delta":{"text":"a"b"}}', '{"delta":{"text":"\n"}}', '{"delta":{"text":"\\x"}}'])
    t.throws(() => reader.parse(broken), SyntaxError, broken)
})

t.test('deltas are parsed until their pattern is known', async t => {
  const stream = (about: (index: number) => object): string[] => Array.from({ length: 100 }, (_, index) => JSON.stringify(about(index)))
  t.ok(parses(stream(index => ({ id: 'x', delta: { text: `word${index}` } }))) <= 4, 'most are not')
  t.ok(parses(stream(index => ({ delta: { [index < 50 ? 'thought' : 'text']: `word${index}` } }))) <= 8, 'the pattern may change')
  t.equal(parses(stream(index => ({ id: index, delta: { text: `word${index}` } }))), 100, 'frames that differ in more cost nothing extra')
})
