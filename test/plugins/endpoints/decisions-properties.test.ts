import fc from 'fast-check'
import t from 'tap'
import { confidenceOf } from '../../../core/decisions/answer.ts'
import type { DecisionAnswer, DecisionReply, DecisionRequest, Question } from '../../../core/kit.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import { anyAnswers, decide, deciding, type DecisionOutcome } from '../../kit/decision-stage.ts'
import { gateway } from '../../kit/gateway.ts'
import { mutate, mutations } from '../../kit/mutations.ts'
import { runs } from '../../kit/runs.ts'
import { canary } from '../../kit/schema-values.ts'

// Every request that the documentation allows gets a full answer. A changed request is answered or refused, and never breaks anything.

const word = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', '0', '10', canary, 'ä\u{1f600}') },
)
const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<never>
const described = fc.oneof(word, fc.array(json, { maxLength: 3 }), fc.dictionary(word, json, { maxKeys: 3, noNullPrototype: true }))

const question: fc.Arbitrary<Question> = fc.oneof(
  fc.record(
    {
      type: fc.constant('noul' as const),
      instructions: described,
      criteria: fc.record({ true: json, false: json }, { requiredKeys: [], noNullPrototype: true }),
    },
    { requiredKeys: ['type'], noNullPrototype: true },
  ),
  fc.record(
    {
      type: fc.constant('choice' as const),
      instructions: described,
      criteria: fc.dictionary(word, json, { minKeys: 1, maxKeys: 30, noNullPrototype: true }),
    },
    { requiredKeys: ['type', 'criteria'], noNullPrototype: true },
  ),
  fc.record(
    { type: fc.constant('score' as const), instructions: described, criteria: fc.array(json, { minLength: 1, maxLength: 10 }) },
    { requiredKeys: ['type', 'criteria'], noNullPrototype: true },
  ),
) as fc.Arbitrary<Question>

const request: fc.Arbitrary<DecisionRequest> = fc.record(
  {
    model: fc.constant('sandbox/dm'),
    state: described,
    questions: fc.dictionary(word, question, { minKeys: 1, maxKeys: 8, noNullPrototype: true }),
  },
  { noNullPrototype: true },
)

/** As it comes out of JSON: a `__proto__` that the generator lost is lost here too. */
function sent<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

/** Throws unless it is an answer to the question. */
function checkAnswer(answer: DecisionAnswer | undefined, { type, criteria }: Question): void {
  if (answer?.type !== type) throw new Error(`the answer to a ${type} is ${JSON.stringify(answer)}`)
  if (answer.type === 'noul') return check(answer.noul >= 0 && answer.noul <= 1 && answer['confidence'] === undefined)
  const keys = Object.keys(criteria!)
  const { probabilities = {}, confidence = 0 } = answer
  const values = keys.map(key => probabilities[key] ?? NaN)
  check(Object.keys(probabilities).length === keys.length && values.every(value => value >= 0 && value <= 1))
  check(Math.abs(values.reduce((sum, value) => sum + value, 0) - 1) < 1e-9)
  check(Math.abs(confidence - confidenceOf(values)) < 1e-9)
  if (answer.type === 'choice') return check(keys.includes(answer.choice) && probabilities[answer.choice] === Math.max(...values))
  check(Math.abs(answer.score - values.reduce((sum, value, level) => sum + level * value, 0)) < 1e-9)
  check(JSON.stringify(Object.values(answer.legend!)) === JSON.stringify(criteria))
}

function check(fine: boolean): void {
  if (!fine) throw new Error('the answer is not consistent')
}

function checkAnswers({ answers }: DecisionOutcome['body'], questions: DecisionRequest['questions']): void {
  check(JSON.stringify(Object.keys(answers)) === JSON.stringify(Object.keys(questions)))
}

/** Throws unless it is a typed 4xx. */
function checkRefusal({ status, detail }: DecisionOutcome): void {
  if (status < 400 || status > 499 || !/^[a-z_]+$/.test(detail.error_type))
    throw new Error(`${status} ${detail.error_type} ${detail.message}`)
}

t.test('the sandbox answers whatever may be asked, and the same always alike', async t => {
  const under = await gateway({ settings: { logLevel: 'silent' }, plugins: [decisions({})] })
  t.teardown(under.stop)
  let differing = 0
  await fc.assert(
    fc.asyncProperty(request, async asked => {
      const { questions } = sent(asked)
      const first = await decide(under, asked)
      if (first.status !== 200) throw new Error(`${first.status} ${first.detail.message}`)
      const { answers } = first.body
      checkAnswers(first.body, questions)
      for (const id of Object.keys(questions)) checkAnswer(answers[id], questions[id]!)
      const id = Object.keys(questions).at(-1)!
      const alone = await decide(under, { ...asked, questions: Object.fromEntries([[id, questions[id]]]) })
      check(JSON.stringify(alone.body.answers[id]) === JSON.stringify(answers[id]))
      const elsewhere = await decide(under, { ...asked, state: { other: asked.state } })
      if (JSON.stringify(elsewhere.body.answers) !== JSON.stringify(answers)) differing++
    }),
    runs(120),
  )
  t.ok(differing > 100, `another state had other answers ${differing} times`)
})

t.test('a request that was changed anywhere is answered or refused', async t => {
  const under = await gateway({ settings: { logLevel: 'debug' }, key: { name: 'quiet' }, plugins: [decisions({})] })
  t.teardown(under.stop)
  let answered = 0
  let refused = 0
  const places = ['model', 'state', 'questions'].map(name => [name])
  await fc.assert(
    fc.asyncProperty(request, mutations, fc.nat({ max: 1_000 }), async (asked, mutation, chosen) => {
      const body = sent({ ...asked, state: { said: canary, state: asked.state } })
      const ids = Object.keys(body.questions)
      const id = ids[chosen % ids.length]!
      const all = [...places, ['questions', id], ...Object.keys(body.questions[id]!).map(member => ['questions', id, member])]
      mutate(body, all[chosen % all.length]!, mutation)
      const outcome = await decide(under, JSON.stringify(body))
      if (outcome.status === 200) {
        answered++
        checkAnswers(outcome.body, body.questions)
      } else {
        refused++
        checkRefusal(outcome)
      }
    }),
    runs(400, 1),
  )
  t.ok(answered > 50 && refused > 50, `${answered} answered, ${refused} refused`)
  await under.recorded(answered + refused)
  t.notMatch(JSON.stringify([under.logs, under.records]).replaceAll(/"requestedModel":"[^"]*"/g, ''), canary, 'nothing of it was written')
})

t.test('a reply that was changed anywhere is a whole answer, or the failure of its provider', async t => {
  let tell: (request: DecisionRequest) => unknown = () => undefined
  const odd = deciding('acme', ({ request: asked }) => tell(asked) as DecisionReply)
  const under = await gateway({ settings: { logLevel: 'silent' }, plugins: [decisions({}), odd.plugin] })
  t.teardown(under.stop)
  let whole = 0
  let failed = 0
  await fc.assert(
    fc.asyncProperty(request, mutations, fc.nat({ max: 1_000 }), async (asked, mutation, chosen) => {
      tell = ({ questions }) => {
        const reply = sent({ answers: anyAnswers(questions), usage: { input_tokens: 1, output_tokens: 2 } })
        const ids = Object.keys(questions)
        const id = ids[chosen % ids.length]!
        const members = Object.keys(reply.answers[id]!).map(member => ['answers', id, member])
        const all = [['answers'], ['usage'], ['usage', 'input_tokens'], ['answers', id], ...members, ...members]
        mutate(reply, all[chosen % all.length]!, mutation)
        return reply
      }
      const outcome = await decide(under, { ...asked, model: 'one' })
      const { questions } = sent(asked)
      if (outcome.status === 200) {
        whole++
        checkAnswers(outcome.body, questions)
        for (const [id, { type }] of Object.entries(questions)) check(outcome.body.answers[id]!.type === type)
      } else {
        failed++
        check(outcome.status === 424 && outcome.detail.error_type === 'provider_error')
      }
    }),
    runs(400, 2),
  )
  t.ok(whole > 50 && failed > 50, `${whole} whole, ${failed} failed`)
})
