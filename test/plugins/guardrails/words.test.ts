import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { GenerationEvent } from '../../../core/index.ts'
import { checkStream, readEvents } from '../../../core/testing/index.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import { JsonWordFilter, WordFilter } from '../../../plugins/guardrails/words/filter.ts'
import words from '../../../plugins/guardrails/words/index.ts'
import { Scanner } from '../../../plugins/guardrails/words/scanner.ts'
import { WordList } from '../../../plugins/guardrails/words/word-list.ts'
import { decide, deciding } from '../../kit/decision-stage.ts'
import { ask, said, stop, text, usage, witness } from '../../kit/stage.ts'
import { gateway, hello } from '../../kit/gateway.ts'
import { runs } from '../../kit/runs.ts'

type Options = Parameters<typeof words>[0]

async function stage(t: Test, options: Options, answer: () => Iterable<GenerationEvent> = () => hello) {
  const acme = witness('acme', answer)
  const one = deciding('vendor')
  const under = await gateway({ plugins: [decisions({}), acme.plugin, one.plugin, words(options)] })
  t.teardown(under.stop)
  return { under, acme, one }
}

/** The text with each match masked, cut into pieces as given. */
function masked(list: WordList, pieces: readonly string[], Filter: typeof WordFilter | typeof JsonWordFilter = WordFilter): string {
  const filter = new Filter({ list, refusal: undefined })
  return [...pieces.map(piece => filter.push(piece)), filter.flush()].join('')
}

t.test('matches and near misses', async t => {
  const cases: readonly (readonly [entry: string, text: string, masked: string])[] = [
    ['bomb', 'a bomb.', 'a ***.'],
    ['bomb', 'BOMB bomb\nBoMb', '*** ***\n***'],
    ['bomb', 'bombs bombastic abomb bomb1 2bomb', 'bombs bombastic abomb bomb1 2bomb'],
    ['bomb', '(bomb) "bomb" bomb-squad bomb_x #bomb', '(***) "***" ***-squad ***_x #***'],
    ['big bomb', 'a big   bomb, a big\n\tbomb, a big-bomb', 'a ***, a ***, a big-bomb'],
    ['  big bomb ', 'a big bomb', 'a ***'],
    ['c++', 'c++ c+ C++11', '*** c+ ***11'],
    ['café', 'café cafe\u0301 CAFÉ cafe', '*** *** *** cafe'],
    ['cafe', 'café cafe\u0301 cafe', 'café cafe\u0301 ***'],
    ['straße', 'STRASSE straße Straẞe', '*** *** ***'],
    ['σοφος', 'ΣΟΦΟΣ σοφος σοφοσ', '*** *** ***'],
    ['ısı', 'ISI', '***'],
    ['bomb', 'ｂｏｍｂ 𝐛𝐨𝐦𝐛 ⓑⓞⓜⓑ', '*** *** ***'],
    ['bomb', 'b\u200bo\u00adm\u2060b b\ufe0fomb', '*** ***'],
    ['file', 'ﬁle', '***'],
    ['敏感词', '这是敏感词吗', '这是***吗'],
    ['が', 'か\u3099き が', '***き ***'],
    ['бомба', 'БОМБА бомбам', '*** бомбам'],
    ['नमस्ते', 'नमस्ते नमस्तेजी', '*** नमस्तेजी'],
    ['🙂', 'x🙂y', 'x***y'],
    ['👨‍👩‍👧', 'a 👨‍👩‍👧 b', 'a *** b'],
    ['***', '*** x', '*** x'],
  ]
  for (const [entry, text, expected] of cases) {
    const list = new WordList([entry])
    t.equal(masked(list, [text]), expected, `${entry} in ${text}`)
    t.equal(masked(list, text.split('')), expected, `${entry} in ${text}, unit by unit`)
  }
})

t.test('overlapping entries make one mask', async t => {
  const list = new WordList(['a b', 'b c d', 'c', 'x', 'a b c d e f'])
  for (const [text, expected] of [
    ['a b c d e', '*** e'],
    ['a b c d e f', '***'],
    ['a b c d e g', '*** e g'],
    ['a b a b', '*** ***'],
    ['b c', 'b ***'],
    ['x x,x', '*** ***,***'],
    ['a b c', '*** ***'],
  ] as const) {
    t.equal(masked(list, [text]), expected, text)
    t.equal(masked(list, text.split('')), expected, text)
  }
})

/** Words of a small alphabet, so that entries occur and overlap. */
const word = fc.stringMatching(/^[abÄß]{1,3}$/)
const gap = fc.constantFrom(' ', '  ', '\n', ', ', '-', '\u200b', '🙂')
const phrase = fc.array(word, { minLength: 1, maxLength: 4 }).map(parts => parts.join(' '))
const prose = fc.array(fc.tuple(word, gap), { maxLength: 40 }).map(pairs => pairs.flat().join(''))

/** By trying every entry at every place. */
function naively(entries: readonly string[], text: string): string {
  const fold = (part: string): string => part.normalize('NFKD').toUpperCase().replaceAll('\u200b', '')
  const symbols = Array.from(text.matchAll(/[\p{L}\p{M}\u200b]+|\s+|[^]/gu), ({ 0: part, index }) => ({
    text: /^\s/.test(part) ? ' ' : fold(part),
    start: index,
    end: index + part.length,
  })).filter(symbol => symbol.text !== '')
  const covered = new Uint8Array(text.length + 1)
  for (const entry of entries) {
    const wanted = entry.split(/( )/).map(fold)
    for (let at = 0; at + wanted.length <= symbols.length; at++)
      if (wanted.every((part, offset) => symbols[at + offset]!.text === part))
        covered.fill(1, symbols[at]!.start, symbols[at + wanted.length - 1]!.end)
  }
  let out = ''
  for (let at = 0; at < text.length; at++) if (!covered[at]) out += text[at]
    else if (at === 0 || !covered[at - 1]) out += '***' // prettier-ignore
  return out
}

t.test('in any pieces, a text is masked as a plain search would', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 })
  fc.assert(
    fc.property(fc.array(phrase, { minLength: 1, maxLength: 8 }), prose, sizes, (entries, text, sizes) => {
      const list = new WordList(entries)
      const pieces: string[] = []
      for (let from = 0, turn = 0; from < text.length; from += sizes[turn++ % sizes.length]!)
        pieces.push(text.slice(from, from + sizes[turn % sizes.length]!))
      const expected = naively(entries, text)
      for (const each of [[text], pieces]) if (masked(list, each) !== expected) throw new Error(`${masked(list, each)} is not ${expected}`)
    }),
    runs(3_000),
  )
})

t.test('JSON stays JSON, and escapes hide nothing', async t => {
  const list = new WordList(['bomb', 'big bomb', '4711'])
  for (const [document, expected] of [
    ['{"a":"a b\\u006fmb"}', { a: 'a ***' }],
    ['{"a":"big\\nbomb","b":"nbomb"}', { a: '***', b: 'nbomb' }],
    ['{"bomb": [4711, "bomb\\\\"]}', { '***': ['***', '***\\'] }],
    ['{"a":"bom', undefined],
    ['a bomb', undefined],
    ['"bomb"', undefined],
  ] as const)
    for (const pieces of [[document], document.split('')]) {
      const out = masked(list, pieces, JsonWordFilter)
      if (expected) t.same(JSON.parse(out), expected)
      else t.equal(out, document.replace('bomb', '***'))
    }
})

t.test('a request is refused, with the place', async t => {
  const { under, acme } = await stage(t, { words: ['bomb'], message: 'Not here.' })
  const tool = { type: 'function', name: 'f', description: 'Builds a bomb', parameters: {} }
  const requests: readonly (readonly [object, string])[] = [
    [{ input: 'a bomb' }, 'input[0].content[0].text'],
    [{ instructions: 'BOMB' }, 'instructions'],
    [{ tools: [tool] }, 'tools[0].description'],
    [{ input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{"x":"b\\u006fmb"}' }, { type: 'function_call_output', call_id: 'c', output: 'ok' }] }, 'input[0].arguments'], // prettier-ignore
    [{ input: [{ role: 'user', content: [{ type: 'input_file', filename: 'a.txt', file_data: `data:text/plain;base64,${Buffer.from('a bomb').toString('base64')}` }] }] }, 'input[0].content[0].file_data'], // prettier-ignore
  ]
  for (const [request, param] of requests)
    for (const stream of [true, false]) {
      const { status, error } = await ask(under, { model: 'acme/m', ...request, stream })
      t.equal(status, 400, param)
      t.match(error, { code: 'invalid_prompt', message: 'Not here.', param })
    }
  t.equal(acme.calls.length, 0)
  t.equal((await ask(under, { model: 'acme/m', input: 'bombs away' })).status, 200)
})

t.test('a request is masked', async t => {
  const { under, acme } = await stage(t, { words: ['project blue', 'bomb'], action: 'mask' })
  await ask(under, { model: 'acme/m', input: 'What is Project  Blue?', instructions: 'bomb' })
  t.match(acme.calls[0]!.request, { input: [{ content: [{ text: 'What is ***?' }] }], instructions: '***' })
  const named = await ask(under, { model: 'acme/m', input: [{ type: 'function_call', call_id: 'c', name: 'bomb', arguments: '{}' }, { type: 'function_call_output', call_id: 'c', output: 'ok' }] }) // prettier-ignore
  t.equal(named.status, 400, 'a name cannot be masked')
})

t.test('decisions are searched too', async t => {
  for (const action of ['refuse', 'mask'] as const) {
    const { under, one } = await stage(t, { words: ['bomb'], action })
    const { status } = await decide(under, { state: { said: 'a bomb' } })
    t.equal(status, action === 'mask' ? 200 : 400)
    if (action === 'mask') t.same(one.calls[0]!.request.state, { said: 'a ***' })
    const options = { q: { type: 'choice', instructions: 'Which?', criteria: { bomb: null, other: null } } }
    t.equal((await decide(under, { questions: options })).status, 400, 'the answer names the option')
  }
})

const channels: readonly GenerationEvent[] = [
  { type: 'reasoning', form: 'summary', text: 'a bo' },
  { type: 'reasoning', form: 'summary', text: 'mb ' },
  text('the bo'),
  text('mb is'),
  text(' a bom'),
  text('b'),
  { type: 'tool-call', key: 'a', name: 'f', callId: 'call_a' },
  { type: 'tool-input', key: 'a', text: '{"x":"b\\u00' },
  { type: 'tool-input', key: 'a', text: '6fmb"}' },
  usage(5, 5),
  stop,
]

t.test('answers are masked in every channel', async t => {
  const { under } = await stage(t, { words: ['bomb'], action: 'mask' }, () => channels)
  for (const stream of [true, false])
    t.match((await ask(under, { model: 'acme/m', stream })).response.output, [
      { summary: [{ text: 'a *** ' }] },
      { content: [{ text: 'the *** is a ***' }] },
      { arguments: '{"x":"***"}' },
    ])
})

t.test('an answer is refused before any of the word is delivered', async t => {
  for (const from of [0, 2, 6]) {
    const { under } = await stage(t, { words: ['bomb'] }, () => channels.slice(from))
    const reply = await under.request('/v1/responses', { body: { model: 'acme/m', input: 'hi', stream: true } })
    const got = await reply.text()
    t.match(checkStream(got).response, { status: 'failed', error: { code: 'invalid_prompt' } })
    const deltas = readEvents(got).filter(({ type }) => type.endsWith('.delta'))
    t.same(deltas.map(({ delta }) => delta).join(''), { 0: 'a ', 2: 'the ', 6: '' }[from])
    t.equal((await ask(under, { model: 'acme/m' })).status, 400)
  }
  const inputOnly = await stage(t, { words: ['bomb'], output: false }, () => channels)
  t.match(said((await ask(inputOnly.under, { model: 'acme/m' })).response), /the bomb is a bomb/)
})

t.test('chosen by key, it searches the requests of these keys only', async t => {
  const { under } = await stage(t, { words: ['bomb'], applies: 'key', name: 'no-bombs' })
  t.equal((await ask(under, { model: 'acme/m', input: 'a bomb' })).status, 200)
  const [key] = await under.gateway.keys.list()
  await under.gateway.keys.update(key!.id, { guardrails: ['no-bombs'] })
  t.equal((await ask(under, { model: 'acme/m', input: 'a bomb' })).status, 400)
})

t.test('10,000 entries and hostile texts: each character is looked at once', async t => {
  const deep = new WordList(Array.from({ length: 10_000 }, (_, index) => `${'a '.repeat(1 + (index % 249))}b${index}`))
  const nested = new WordList(Array.from({ length: 250 }, (_, index) => 'a '.repeat(index + 1)))
  for (const list of [deep, nested])
    for (const text of [
      'a '.repeat(16_384),
      'a'.repeat(32_768),
      `e${'\u0301'.repeat(32_767)}`,
      '\u200b'.repeat(32_768),
      ' '.repeat(32_768),
    ]) {
      const scanner = new Scanner(list)
      let steps = 0
      const step = list.step.bind(list)
      list.step = (from, symbol) => {
        steps++
        return step(from, symbol)
      }
      for (let at = 0; at < text.length; at += 7) scanner.read(text.slice(at, at + 7))
      scanner.finish()
      t.ok(steps <= text.length, `${steps} steps`)
    }
  const filter = new WordFilter({ list: deep, refusal: undefined })
  const held = Array.from({ length: 10_000 }, () => filter.push('aaaa')).filter(piece => piece === '')
  t.ok(held.length < 10, 'a word that is longer than every entry is not held back')
})

t.test('a long request does not block the event loop', async t => {
  const { under } = await stage(t, { words: ['bomb'] })
  let turns = 0
  let isOver = false
  const counting = (async () => {
    for (; !isOver; turns++) await nextTurn()
  })()
  await ask(under, { model: 'acme/m', input: 'some text '.repeat(100_000) })
  isOver = true
  await counting
  t.ok(turns > 200, `${turns} turns of the event loop`)
})

t.test('options that cannot be used end the start with a sentence', async t => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{}, /words/],
    [{ words: [] }, /words/],
    [{ words: ['ok', ' \u200b '] }, /words\(words\) has an entry without a character to search for: words\[1\]/],
    [{ words: ['bomb'], action: 'block' }, /action/],
    [{ words: 'bomb' }, /words/],
    [{ words: ['bomb'], word: ['x'] }, /word/],
  ]
  for (const [options, message] of wrong)
    await t.rejects(gateway({ plugins: [words(options as Options)] }), { message }, JSON.stringify(options))
})
