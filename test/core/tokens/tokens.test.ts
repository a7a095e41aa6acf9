import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import fc from 'fast-check'
import * as cl100k from 'gpt-tokenizer/encoding/cl100k_base'
import * as o200k from 'gpt-tokenizer/encoding/o200k_base'
import t from 'tap'
import type { Logger } from '../../../core/index.ts'
import { mayExceed } from '../../../core/tokens/bound.ts'
import { slices } from '../../../core/tokens/slices.ts'
import { tally } from '../../../core/tokens/tally.ts'
import { ThreadedTokenCounter } from '../../../core/tokens/threaded-token-counter.ts'
import { runs } from '../../kit/runs.ts'

const asText = { disallowedSpecial: new Set<string>() }
const whole = (text: string): number => o200k.countTokens(text, asText)
const none = (): void => {}
const quiet: Logger = { debug: none, info: none, warn: message => t.fail(message), error: none, child: () => quiet }
/** No answer of these tests hangs on it. */
const patiently = { deadlineMs: 100_000 } as const

/** The same every time. */
function scattered(length: number, first: number, span: number): string {
  let state = 1
  return Array.from({ length }, () => String.fromCharCode(first + ((state = (state * 48_271) % 2_147_483_647) % span))).join('')
}

const hostile: Readonly<Record<string, string>> = {
  'one letter': 'a'.repeat(100_000),
  spaces: ' '.repeat(50_000),
  'line ends': '\n'.repeat(50_000),
  'hanzi without order': scattered(60_000, 0x4e00, 20_000),
  'letters without order': scattered(65_536, 97, 26),
  base64: Buffer.from(scattered(49_152, 0, 256), 'latin1').toString('base64'),
  'pairs of surrogates': `x${'\u{2070e}\u{1f9d1}\u{1f3fd}'.repeat(10_000)}`,
  'half pairs': scattered(20_000, 0xd800, 2_048),
  'special tokens': '<|endoftext|><|im_start|>'.repeat(3_000),
}

t.test('slices are short, lose nothing, and split no character, whatever the text', async t => {
  for (const [name, text] of Object.entries(hostile)) {
    const cut = [...slices(text)]
    t.equal(cut.join(''), text, name)
    t.ok(Math.max(...cut.map(slice => slice.length)) <= 512, `${name}: the longest slice`)
    t.ok(cut.length <= Math.ceil(text.length / 511), `${name}: ${cut.length} slices`)
    if (text.isWellFormed())
      t.ok(
        cut.every(slice => slice.isWellFormed()),
        `${name}: whole characters`,
      )
  }
})

t.test('slicing changes no count of text that has breaks', async t => {
  const word = fc.oneof(
    fc.stringMatching(/^[a-zA-Z]{1,12}$/),
    fc.stringMatching(/^[0-9]{1,7}$/),
    fc.constantFrom("don't", '();', '//', '--', '"key":', 'naïve', '日本語', '☃️', '…'),
  )
  const space = fc.constantFrom(' ', ' ', ' ', '  ', '    ', '\n', '\n\n', ' \n', '\n  ', '\r\n', '\t', ' \u00a0 ')
  const prose = fc.array(fc.tuple(word, space), { minLength: 1, maxLength: 60 }).map(pairs => pairs.flat().join(''))
  for (const { countTokens } of [o200k, cl100k])
    fc.assert(
      fc.property(prose, text => {
        const pieces = [...slices(text, 48)]
        // A piece of full length was cut by force.
        fc.pre(pieces.slice(0, -1).every(({ length }) => length < 48))
        return pieces.reduce((sum, piece) => sum + countTokens(piece, asText), 0) === countTokens(text, asText)
      }),
      runs(300),
    )
  for (const name of ['hanzi without order', 'letters without order', 'base64'] as const) {
    const text = hostile[name]!.slice(0, 8_192)
    const counted = [...slices(text)].reduce((sum, slice) => sum + whole(slice), 0)
    t.ok(Math.abs(counted - whole(text)) <= whole(text) * 0.005, `${name}: ${counted} of ${whole(text)}`)
  }
})

t.test('counting stops where the limit is passed', async t => {
  const encoded: number[] = []
  const encoder = (slice: string): number => encoded.push(slice.length) && slice.length
  const counting = tally(['x'.repeat(1_000), 'y'.repeat(1_000_000)], encoder, 2_000)
  let step = counting.next()
  while (!step.done) step = counting.next()
  t.same(step.value, { tokens: 2_024, complete: false })
  t.same(encoded, [512, 488, 512, 512])
})

t.test('no text has more tokens than the bound allows', async t => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { maxLength: 4 }), texts => {
      const tokens = texts.reduce((sum, text) => sum + whole(text), 0)
      return tokens === 0 || mayExceed(texts, tokens - 1)
    }),
    runs(100),
  )
  t.equal(mayExceed(['aaaa', 'bbbb'], 8), false)
  t.equal(mayExceed(['aaaa', 'bbbbb'], 8), true)
  t.equal(mayExceed(['日本'], 6), false)
  t.equal(mayExceed(['日本'], 5), true)
  t.equal(mayExceed([], 0), false)
})

t.test('the thread counts as the vocabulary does, up to a limit, several texts at a time', async t => {
  const counter = new ThreadedTokenCounter(quiet)
  t.teardown(() => counter.stop())
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(2_000)
  t.same(await counter.count([text, 'Done.'], patiently), { tokens: whole(text) + whole('Done.'), complete: true })
  t.same(await counter.count(['naïve café'], { ...patiently, tokenizer: 'cl100k_base' }), {
    tokens: cl100k.countTokens('naïve café'),
    complete: true,
  })
  const limited = await counter.count([text], { ...patiently, limit: 1_000 })
  t.equal(limited?.complete, false)
  t.ok(limited!.tokens > 1_000 && limited!.tokens <= 1_512, `${limited!.tokens} tokens`)
  t.same(await counter.count(['<|endoftext|>'], patiently), { tokens: whole('<|endoftext|>'), complete: true })
  t.ok(whole('<|endoftext|>') > 1)
  t.same(await counter.count([], patiently), { tokens: 0, complete: true })

  // The short one overtakes: the thread works in turns.
  const order: string[] = []
  const long = counter.count([hostile['hanzi without order']!], patiently).then(() => order.push('long'))
  const short = counter.count(['short'], patiently).then(() => order.push('short'))
  await Promise.all([long, short])
  t.same(order, ['short', 'long'])
  for (const [name, given] of Object.entries(hostile)) t.equal((await counter.count([given], patiently))?.complete, true, name)
})

t.test('a deadline that passes leaves nothing known, and a thread that is gone is replaced', async t => {
  const counter = new ThreadedTokenCounter(quiet)
  t.equal(await counter.count([hostile['hanzi without order']!], { deadlineMs: 0 }), undefined)
  t.equal((await counter.count(['still here'], patiently))?.tokens, 2)
  const left = counter.count([hostile['hanzi without order']!], patiently)
  await counter.stop()
  t.equal(await left, undefined)
  t.equal((await counter.count(['here again'], patiently))?.tokens, 2)
  await counter.stop()
})

t.test('once all has to end, nothing is waited for any longer', async t => {
  const counter = new ThreadedTokenCounter(quiet)
  t.teardown(() => counter.stop())
  const before = counter.count([hostile['hanzi without order']!], patiently)
  counter.endWithin(0)
  t.same([await before, await counter.count([hostile['hanzi without order']!], patiently)], [undefined, undefined])
})

t.test('a thread that fails is told of without content, and leaves nothing known', async t => {
  const told: unknown[] = []
  const counter = new ThreadedTokenCounter({ ...quiet, warn: (message, fields) => void told.push([message, fields]) })
  t.teardown(() => counter.stop())
  t.equal(await counter.count(['a secret', null as unknown as string], patiently), undefined)
  t.match(told, [['counting tokens failed', {}]])
  t.notMatch(JSON.stringify(told), /secret/)
})

t.test('no vocabulary is loaded before it is needed, and never in the thread that serves', async t => {
  const program = fileURLToPath(new URL('tokens-process.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=turnpike-source', program], { timeout: 300_000 })
  const seen = JSON.parse(stdout)
  t.ok(seen.modules > 100, `${seen.modules} modules seen`)
  t.same(seen.afterPlain, { status: 200, vocabularies: 0 })
  t.same(seen.afterLong, { status: 400, vocabularies: 0 })
})
