import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { calibrate, type JudgedExample } from '../../../plugins/decisions/llm/calibration/calibration.ts'
import { diagram } from '../../../plugins/decisions/llm/calibration/diagram.ts'
import { calibrationError, reliability } from '../../../plugins/decisions/llm/calibration/reliability.ts'
import { fitTemperature } from '../../../plugins/decisions/llm/calibration/temperature.ts'
import { fakeUpstream, type FakeUpstream } from '../../../core/testing/index.ts'
import { tempered } from '../../../plugins/decisions/llm/temper.ts'
import { runs } from '../../kit/runs.ts'
import type { Leaning } from './llm-engine.ts'
import { chatLabel } from './llm-upstream.ts'
import { Workplace, type Finished } from '../../kit/turnpike-process.ts'

/** Numbers from 0 to 1, the same at every run. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function softmax(leanings: readonly number[]): readonly number[] {
  const weights = leanings.map(Math.exp)
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map(weight => weight / sum)
}

/** Answers drawn from true probabilities, and told as by a model whose log-odds are `exaggeration` times the true ones. */
function judged(type: JudgedExample['type'], count: number, exaggeration: number, seed: number): readonly JudgedExample[] {
  const random = generator(seed)
  const options = type === 'noul' ? 2 : 4
  return Array.from({ length: count }, () => {
    const leanings = Array.from({ length: options }, () => (random() - 0.5) * 5)
    let rest = random()
    const right = softmax(leanings).findIndex(probability => (rest -= probability) < 0)
    return { type, probabilities: softmax(leanings.map(leaning => leaning * exaggeration)), right: Math.max(0, right) }
  })
}

t.test('a fit finds by how much a model exaggerates', async t => {
  for (const [index, exaggeration] of [0.3, 0.7, 1, 1.5, 2.5, 4].entries()) {
    const found = fitTemperature(judged('choice', 20_000, exaggeration, index))
    t.ok(Math.abs(found / exaggeration - 1) < 0.05, `${found} is near ${exaggeration}`)
  }
})

t.test('on examples that were held back the error falls', async t => {
  const all = [...judged('noul', 4_000, 3, 1), ...judged('choice', 4_000, 2, 2), ...judged('score', 4_000, 0.4, 3)]
  const calibrations = calibrate(all)
  t.same(
    calibrations.map(({ type, fitted, held }) => [type, fitted, held]),
    [
      ['noul', 3_000, 1_000],
      ['choice', 3_000, 1_000],
      ['score', 3_000, 1_000],
    ],
  )
  for (const { type, before, after } of calibrations) {
    t.ok(before.error > 0.05, `${type}: ${before.error} before`)
    t.ok(after.error < before.error / 2, `${type}: ${after.error} after`)
  }
  t.same(calibrate(all), calibrations, 'the same at every run')
})

t.test('the error is what it is defined to be', async t => {
  const bins = reliability([
    { probabilities: [0.95, 0.05], right: 0 },
    { probabilities: [0.05, 0.95], right: 0 },
    { probabilities: [0.6, 0.4], right: 0 },
    { probabilities: [1, 0], right: 0 },
  ])
  t.same(
    bins.map(({ count, accuracy }) => [count, accuracy]),
    [
      [1, 1],
      [3, 2 / 3],
    ],
  )
  const wanted = (1 / 4) * (1 - 0.6) + (3 / 4) * Math.abs((0.95 + 0.95 + 1) / 3 - 2 / 3)
  t.ok(Math.abs(calibrationError(bins) - wanted) < 1e-12)
})

t.test('a temperature leaves a distribution one, and its order as it was', async () => {
  fc.assert(
    fc.property(
      fc
        .array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 255 })
        .filter(weights => weights.some(weight => weight > 1e-9)),
      fc.double({ min: 0.01, max: 100, noNaN: true }),
      (weights, temperature) => {
        const sum = weights.reduce((total, weight) => total + weight, 0)
        const probabilities = weights.map(weight => weight / sum)
        const found = tempered(probabilities, temperature)
        const total = found.reduce((all, each) => all + each, 0)
        const best = probabilities.indexOf(Math.max(...probabilities))
        return Math.abs(total - 1) < 1e-9 && found.every(each => each >= 0 && each <= 1) && found[best] === Math.max(...found)
      },
    ),
    runs(100),
  )
})

t.test('no model name breaks the diagram', async t => {
  const text = diagram('<a>&"', calibrate(judged('noul', 8, 1, 1)))
  t.match(text, '<title>Reliability of &lt;a&gt;&amp;"</title>')
  t.notMatch(text, /NaN|undefined/)
})

// The engine's log-odds are those of the state, times this.
const exaggerations = { noul: 2, choice: 1.5, score: 0.6 }
const lean: Leaning = ({ answer, option, level = 0 }, _, prompt) => {
  const strength = Number(/"strength":([\d.-]+)/.exec(prompt)?.[1] ?? 0)
  if (answer) return answer === 'yes' ? strength * exaggerations.noul : 0
  if (option) return option === 'a' ? strength * exaggerations.choice : 0
  return level * strength * exaggerations.score
}

/** For each state answers in the proportions that it makes likely, three to fit and one to hold back by turns. */
function examples(): string {
  const of = (strength: number, question: object, leanings: readonly number[], answers: readonly unknown[]): readonly object[] => {
    const shares = softmax(leanings)
    const share = (count: number): readonly unknown[] => {
      const bounds = shares.map((_, index) => Math.round(count * shares.slice(0, index + 1).reduce((sum, each) => sum + each, 0)))
      return Array.from({ length: count }, (_, place) => answers[bounds.findIndex(bound => place < bound)])
    }
    const held = share(20)
    const fit = share(60)
    const inTurn = held.flatMap((answer, index) => [...fit.slice(3 * index, 3 * index + 3), answer])
    return inTurn.map(answer => ({ state: { strength }, question, answer }))
  }
  const choice = { type: 'choice', criteria: { a: null, b: null, c: null } }
  const score = { type: 'score', criteria: ['low', 'middle', 'high'] }
  const lines = [0.4, 1.1, 1.8].flatMap(strength => [
    ...of(strength, { type: 'noul', instructions: 'Is it?' }, [strength, 0], [true, false]),
    ...of(strength, choice, [strength, 0, 0], ['a', 'b', 'c']),
    ...of(strength, score, [0, strength, 2 * strength], [0, 1, 2]),
  ])
  return lines.map(line => JSON.stringify(line)).join('\n')
}

function configOf(upstream: FakeUpstream): string {
  return `
    import { defineConfig, defaults } from 'turnpike/config'
    import openaiChat from 'turnpike/plugins/providers/openai-chat'
    import decisions from 'turnpike/plugins/endpoints/decisions'
    import llmDecisions from 'turnpike/plugins/decisions/llm'
    export default defineConfig({
      plugins: [
        ...defaults({ without: ['ollama'] }).filter(use => use?.plugin?.name !== 'decisions'),
        decisions({}),
        openaiChat({ host: 'vllm', id: 'local', baseUrl: '${upstream.url}' }),
        llmDecisions({ models: [{ name: 'judge', model: 'local/small', temperature: { noul: 17 } }] }),
      ],
    })`
}

async function workplace(
  t: Test,
): Promise<{ readonly place: Workplace; calibrate(lines: string, ...options: readonly string[]): Promise<Finished> }> {
  const upstream = await fakeUpstream(request => chatLabel(request, lean))
  const place = new Workplace(configOf(upstream))
  t.teardown(() => upstream.close())
  t.teardown(() => place.remove())
  return {
    place,
    async calibrate(lines, ...options) {
      writeFileSync(join(place.path, 'examples.jsonl'), lines)
      return await place.run('decisions', 'calibrate', '--examples', 'examples.jsonl', '--model', 'llm/judge', ...options)
    },
  }
}

t.test('the command finds the temperatures of a model behind a gateway', async t => {
  const { place, calibrate } = await workplace(t)
  const { exitCode, stdout, stderr } = await calibrate(examples(), '--output', 'reliability.svg')
  t.equal(exitCode, 0, { stderr })
  const [, line] = /temperature: \{ (.*) \}/.exec(stdout) ?? []
  const found = Object.fromEntries(line!.split(', ').map(part => part.split(': '))) as Record<string, string>
  for (const [type, exaggeration] of Object.entries(exaggerations))
    t.ok(
      Math.abs(Number(found[type]) / exaggeration - 1) < 0.05,
      `${type}: ${found[type]} is near ${exaggeration}, whatever the config has`,
    )
  const errors = [...stdout.matchAll(/([\d.]+) → ([\d.]+)/g)]
  t.equal(errors.length, 3)
  for (const [, before, after] of errors) t.ok(Number(after) < Number(before), `${before} fell to ${after}`)
  t.match(readFileSync(join(place.path, 'reliability.svg'), 'utf8'), /^<svg [^]*choice: 60 answers[^]*<\/svg>\n$/)
  t.notOk(existsSync(join(place.path, 'data')), 'nothing was kept')
})

t.test('bad examples are named by their lines', async t => {
  const { place, calibrate } = await workplace(t)
  const noul = { type: 'noul', instructions: 'Is it?' }
  const lines = [
    JSON.stringify({ state: 'x', question: noul, answer: true }),
    '{"state": "x"',
    '',
    JSON.stringify({ state: 'x', question: noul, answer: 'yes' }),
    JSON.stringify({ state: 'x', question: { type: 'choice', criteria: { a: 1 } }, answer: 'b' }),
    JSON.stringify({ state: 'x', question: { type: 'score', criteria: ['a', 'b'] }, answer: 2 }),
    JSON.stringify({ state: 'x', question: { type: 'scale' }, answer: 2 }),
    JSON.stringify({ question: noul, answer: true }),
  ]
  const { exitCode, stderr } = await calibrate(lines.join('\r\n'))
  t.equal(exitCode, 1)
  t.match(stderr, 'turnpike: examples.jsonl: 6 problems\n')
  t.match(stderr, 'line 2 is not JSON.')
  t.match(stderr, 'line 4: the answer to a noul must be true or false, got "yes".')
  t.match(stderr, 'line 5: the answer to this choice must be one of ["a"], got "b".')
  t.match(stderr, 'line 6: the answer to this score must be a level from 0 to 1, got 2.')
  t.match(stderr, /line 7: question /)
  t.match(stderr, "line 8: the example must have required property 'state'.")
  t.notMatch(stderr, 'line 1:')

  const few = await calibrate(lines[0]!)
  t.match(few.stderr, 'It has too few examples of noul: 1. At least 8 are needed; hundreds are better.')
  t.match((await calibrate('\n')).stderr, 'It has no examples.')
  const missing = await place.run('decisions', 'calibrate', '--examples', 'nowhere.jsonl', '--model', 'llm/judge')
  t.match(missing.stderr, 'nowhere.jsonl: It cannot be read (ENOENT).')
  const unknown = await calibrate(Array(8).fill(lines[0]).join('\n'), '--model', 'llm/jugde')
  t.equal(unknown.exitCode, 1)
  t.match(unknown.stderr, /examples.jsonl: line 1: llm\/jugde gave no answer, status 400: .*Did you mean judge/)
})
