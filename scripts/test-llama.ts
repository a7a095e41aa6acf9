// Tests decisions with a real engine: `npm run test:llama`. Installs 85 MB of llama.cpp into a temporary folder and removes it afterwards.
// Set TURNPIKE_LLAMA to a folder to install it there and keep it. The model is generated: 2 MB of random weights.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DecisionAnswer, Question } from '../core/kit.ts'
import llmDecisions from '../plugins/decisions/llm/index.ts'
import decisions from '../plugins/endpoints/decisions/index.ts'
import openaiChat from '../plugins/providers/openai-chat/index.ts'
import { gateway } from '../test/kit/gateway.ts'
import { Engine, type Reading } from './llama/engine.ts'
import { ChatServer } from './llama/server.ts'
import { tinyModel } from './llama/tiny-model.ts'

const scratch = await mkdtemp(join(tmpdir(), 'turnpike-llama-'))
const folder = process.env['TURNPIKE_LLAMA'] ?? scratch
let passed = 0
let failed = 0

function check(what: string, holds: boolean, seen?: unknown): void {
  if (holds) passed++
  else failed++
  console.log(`${holds ? 'ok' : 'not ok'} - ${what}`)
  if (!holds) console.log(`  ${JSON.stringify(seen)?.slice(0, 500)}`)
}

const modelFile = join(scratch, 'tiny.gguf')
await writeFile(modelFile, tinyModel())
const engine = await Engine.open(folder, modelFile)
const server = new ChatServer(engine)
await server.listen()
const answering = { model: 'tiny/random' }
const under = await gateway({
  plugins: [
    decisions({}),
    openaiChat({ host: 'llamacpp', id: 'tiny', baseUrl: server.url }),
    llmDecisions({
      models: [
        { ...answering, name: 'plain', mode: 'logprobs' },
        { ...answering, name: 'curious', mode: 'auto' },
        { ...answering, name: 'even', mode: 'logprobs', orders: 2 },
        { ...answering, name: 'cool', mode: 'logprobs', temperature: { noul: 2 } },
      ],
    }),
  ],
})

interface Decided {
  readonly status: number
  readonly answers: Readonly<Record<string, DecisionAnswer>>
  readonly usage: Readonly<Record<string, number>>
  readonly readings: readonly Reading[]
}

async function decide(model: string, questions: Readonly<Record<string, Question>>): Promise<Decided> {
  const before = server.readings.length
  const reply = await under.request('/v1/systemone', {
    body: { model: `llm/${model}`, state: 'The mail is full of complaints.', questions },
  })
  const body = (await reply.json()) as Pick<Decided, 'answers' | 'usage'>
  return { ...body, status: reply.status, readings: server.readings.slice(before) }
}

/** The labels' shares, from the engine's full distribution. */
function sharesIn({ next }: Reading, count: number): readonly number[] {
  const masses = Array.from({ length: count }, (_, place) => {
    const label = String.fromCharCode(65 + place)
    return next.filter(({ text }) => text.trim().toUpperCase() === label).reduce((sum, { probability }) => sum + probability, 0)
  })
  const sum = masses.reduce((total, mass) => total + mass, 0)
  return masses.map(mass => mass / sum)
}

function isNear(found: number | undefined, wanted: number, tolerance: number): boolean {
  return found !== undefined && Math.abs(found - wanted) <= tolerance
}

function sumOf(values: Readonly<Record<string, number>> | undefined): number {
  return Object.values(values ?? {}).reduce((sum, value) => sum + value, 0)
}

const noul: Question = { type: 'noul', instructions: 'Is anybody angry?' }
const options = (count: number): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`option ${index}`, `number ${index}`]))

try {
  const yes = await decide('plain', { angry: noul })
  const [reading] = yes.readings
  const noulOf = ({ answers }: Decided): number | undefined => (answers?.['angry']?.type === 'noul' ? answers['angry'].noul : undefined)
  check(
    'the engine lists candidates for the next token',
    isNear(
      reading?.next.reduce((sum, { probability }) => sum + probability, 0),
      1,
      1e-3,
    ),
  )
  const share = sharesIn(reading!, 2)[0]!
  check("a noul is the engine's share of its two labels", isNear(noulOf(yes), share, 0.01), [noulOf(yes), share])
  check("its tokens are the engine's", yes.usage?.['input_tokens'] === reading!.inputTokens && yes.usage['output_tokens'] === 1, yes.usage)
  const again = await decide('plain', { angry: noul })
  check('the same question gets the same answer', noulOf(again) === noulOf(yes), [noulOf(again), noulOf(yes)])
  const other = await decide('plain', { angry: { ...noul, instructions: 'Is anybody asleep?' } })
  check('another question gets another', noulOf(other) !== noulOf(yes), noulOf(other))

  const cool = await decide('cool', { angry: noul })
  const odds = (probability: number): number => Math.log(probability / (1 - probability))
  check('a temperature divides the log-odds', isNear(odds(noulOf(cool) ?? 0), odds(noulOf(yes)!) / 2, 1e-9), noulOf(cool))
  const even = await decide('even', { angry: noul })
  check('two orders are two calls', even.readings.length === 2, even.usage)
  const curious = await decide('curious', { angry: noul })
  check('support for log probabilities is detected', noulOf(curious) === noulOf(yes) && curious.readings.length === 2, curious.answers)

  const three = await decide('plain', {
    angry: noul,
    kind: { type: 'choice', criteria: options(4) },
    urgency: { type: 'score', criteria: ['next week', 'tomorrow', 'now'] },
  })
  const kind = three.answers?.['kind']
  const found = kind?.type === 'choice' ? Object.values(kind.probabilities ?? {}) : []
  const wanted = three.readings.map(each => sharesIn(each, 4))
  check(
    "a choice is the engine's shares of its labels",
    wanted.some(shares => found.length === 4 && found.every((each, index) => isNear(each, shares[index]!, 0.01))),
    { found, wanted },
  )
  const urgency = three.answers?.['urgency']
  check('a score is within its levels', urgency?.type === 'score' && urgency.score >= 0 && urgency.score <= 2, urgency)
  check('its probabilities sum to 1', urgency?.type === 'score' && isNear(sumOf(urgency.probabilities), 1, 1e-9), urgency)

  const many = await decide('plain', { kind: { type: 'choice', criteria: options(45) } })
  const { kind: best } = many.answers ?? {}
  check('45 options take four calls', many.readings.length === 4 && many.usage['calls'] === 4, many.usage)
  check('their probabilities sum to 1', best?.type === 'choice' && isNear(sumOf(best.probabilities), 1, 1e-9), best)
  check('none of them is zero', best?.type === 'choice' && Object.values(best.probabilities ?? {}).every(each => each > 0), best)
} finally {
  await under.stop()
  await server.close()
  await engine.close()
  await rm(scratch, { recursive: true, force: true })
}
const tokens = server.readings.reduce((sum, { inputTokens }) => sum + inputTokens, 0)
const recorded = under.records.reduce((sum, { usage }) => sum + (usage?.uncachedInput ?? 0), 0)
check('every call is in the records', recorded === tokens, { recorded, tokens })
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
