import fc from 'fast-check'
import t from 'tap'
import type { JsonObject } from '../../../core/index.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import { gateway, type GatewayUnderTest } from '../../kit/gateway.ts'
import { mutate, mutations } from '../../kit/mutations.ts'
import { runs } from '../../kit/runs.ts'
import { canary } from '../../kit/schema-values.ts'
import { imagePart, jsonPart, publicBody, sent, textPart } from '../decisions/public-bodies.ts'
import type { VendorQuestion } from '../decisions/public-vendor.ts'

// Any request that the documentation allows is answered in full and in order; whatever is changed in one, it is answered or refused.

interface Answer {
  readonly type: string
  readonly name: string | null
  readonly probability?: number
  readonly choice?: string | boolean
  readonly score?: number
  readonly confidence?: number
  readonly probabilities?: readonly { readonly probability: number; readonly value: unknown; readonly label?: string }[]
}

async function ask(under: GatewayUnderTest, body: object | string): Promise<{ readonly status: number; readonly body: JsonObject }> {
  const reply = await under.request('/v1/decisions', { body })
  return { status: reply.status, body: (await reply.json()) as JsonObject }
}

function check(fine: boolean, what: unknown): void {
  if (!fine) throw new Error(JSON.stringify(what))
}

/** Throws unless they answer the questions, in order. */
function checkAnswers(answers: readonly Answer[], questions: readonly VendorQuestion[]): void {
  check(answers.length === questions.length, answers)
  for (const [index, answer] of answers.entries()) {
    const { type, name = null, choices, levels } = questions[index]!
    check(answer.type === type && answer.name === name, [answer, questions[index]])
    if (type === 'predicate') {
      check(answer.probability! >= 0 && answer.probability! <= 1, answer)
      continue
    }
    const { probabilities = [], confidence = NaN } = answer
    check(confidence >= 0 && confidence <= 1, answer)
    check(Math.abs(probabilities.reduce((sum, { probability }) => sum + probability, 0) - 1) < 1e-9, answer)
    const values = probabilities.map(({ value }) => value)
    check(JSON.stringify(values) === JSON.stringify(choices?.map(({ value }) => value) ?? levels?.map((_, level) => level)), answer)
    if (choices)
      check(
        choices.some(({ value }) => value === answer.choice),
        answer,
      )
    else check(JSON.stringify(probabilities.map(({ label }) => label)) === JSON.stringify(levels?.map(({ label }) => label)), answer)
  }
}

t.test('the sandbox answers whatever may be asked, and the same always alike', async t => {
  const under = await gateway({ settings: { logLevel: 'silent' }, plugins: [decisions({ aliasUntil: '2000-01-01' })] })
  t.teardown(under.stop)
  await fc.assert(
    fc.asyncProperty(publicBody(textPart, jsonPart, imagePart), async asked => {
      const [first, again] = [await ask(under, asked), await ask(under, asked)]
      check(first.status === 200, first)
      checkAnswers(first.body['answers'] as readonly Answer[], asked['questions'] as readonly VendorQuestion[])
      check(JSON.stringify(first.body['answers']) === JSON.stringify(again.body['answers']), [first, again])
    }),
    runs(120),
  )
})

t.test('a request that was changed anywhere is answered or refused', async t => {
  const under = await gateway({
    settings: { logLevel: 'debug' },
    key: { name: 'quiet' },
    plugins: [decisions({ aliasUntil: '2000-01-01' })],
  })
  t.teardown(under.stop)
  let answered = 0
  let refused = 0
  await fc.assert(
    fc.asyncProperty(publicBody(textPart, jsonPart), mutations, fc.nat({ max: 1_000 }), async (asked, mutation, chosen) => {
      const said = { role: 'user', content: [{ type: 'input_text', text: canary }] }
      const body = sent({
        ...asked,
        input: Array.isArray(asked['input']) ? [said, ...(asked['input'] as object[])] : [said],
      }) as object as {
        readonly questions: readonly VendorQuestion[]
      }
      const index = chosen % body.questions.length
      const places: readonly (readonly (string | number)[])[] = [
        ...['model', 'input', 'questions'].map(name => [name]),
        ...[[], ['role'], ['content'], ['content', 0], ['content', 0, 'type'], ['content', 0, 'text']].map(path => ['input', 0, ...path]),
        ['questions', index],
        ...Object.keys(body.questions[index]!).map(member => ['questions', index, member]),
      ]
      mutate(body, places[chosen % places.length]!, mutation)
      const { status, body: reply } = await ask(under, JSON.stringify(body))
      if (status === 200) {
        answered++
        checkAnswers(reply['answers'] as readonly Answer[], body.questions)
      } else {
        refused++
        const { type, message } = reply['error'] as JsonObject
        check(status >= 400 && status <= 499 && typeof type === 'string' && typeof message === 'string', [status, reply])
      }
    }),
    runs(400, 1),
  )
  t.ok(answered > 50 && refused > 50, `${answered} answered, ${refused} refused`)
  await under.recorded(answered + refused)
  t.notMatch(JSON.stringify([under.logs, under.records]).replaceAll(/"requestedModel":"[^"]*"/g, ''), canary, 'nothing of it was written')
})
