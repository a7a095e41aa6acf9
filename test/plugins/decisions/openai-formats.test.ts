import fc from 'fast-check'
import t from 'tap'
import { plainDecision } from '../../../core/decisions/plain-request.ts'
import { checkedReply } from '../../../core/decisions/reply.ts'
import type { JsonObject } from '../../../core/index.ts'
import type { DecisionRequest } from '../../../core/kit.ts'
import { answersOf } from '../../../plugins/decisions/openai/answers.ts'
import { wireRequest } from '../../../plugins/decisions/openai/wire-request.ts'
import { neutralDecision } from '../../../plugins/endpoints/decisions/public/neutral-request.ts'
import { parsePublicDecision } from '../../../plugins/endpoints/decisions/public/parse.ts'
import { publicAnswer } from '../../../plugins/endpoints/decisions/public/public-answer.ts'
import { runs } from '../../kit/runs.ts'
import { imagePart, jsonPart, publicBody, sent, textPart } from './public-bodies.ts'
import type { VendorQuestion } from './public-vendor.ts'

// What goes from the public format to a vendor of either format and back keeps everything that it says.

/** An answer for which every option has another probability. */
function vendorAnswer({ type, name, choices = [], levels = [] }: VendorQuestion): JsonObject {
  const told = { type, name: name ?? null }
  if (type === 'predicate') return { ...told, probability: 0.5 }
  const share = (index: number): number => (index + 1) / 1_000
  if (type === 'choice') {
    const { value } = choices.at(-1)!
    return {
      ...told,
      choice: value,
      confidence: 0.5,
      probabilities: choices.map((choice, index) => ({ probability: share(index), value: choice.value })),
    }
  }
  const probabilities = levels.map(({ label }, value) => ({ label, probability: share(value), value }))
  return { ...told, score: 0, confidence: 0.5, probabilities }
}

t.test('to a vendor of the public format, and back', async () => {
  fc.assert(
    fc.property(publicBody(textPart, jsonPart, imagePart), asked => {
      const { request, asked: order } = neutralDecision(parsePublicDecision(asked))
      const wire = sent(wireRequest(request))
      same(wire, asked)
      const given = (asked['questions'] as readonly VendorQuestion[]).map(vendorAnswer)
      const { answers } = checkedReply({ answers: answersOf(given, request) }, request, 'acme')
      const back = order.map((each, index) => publicAnswer(each, index, answers[each.id]!, []))
      for (const [index, answer] of back.entries()) same(sorted(answer), sorted(given[index]!))
    }),
    runs(300),
  )
})

t.test('to the decision vendor, and back', async () => {
  fc.assert(
    fc.property(publicBody(textPart, jsonPart), asked => {
      const { request, asked: order } = neutralDecision(parsePublicDecision(asked))
      const { request: plain, warnings } = plainDecision(request)
      const questions = asked['questions'] as readonly VendorQuestion[]
      if (Object.keys(plain.questions).length !== questions.length) throw new Error('a question is lost')
      const told = textsIn([plain.state, plain.questions])
      for (const text of textsIn([asked['input'], questions.map(({ name: _, ...question }) => question)]))
        if (!told.has(text) && !protocol.has(text)) throw new Error(`${JSON.stringify(text)} is lost`)
      const answers = Object.fromEntries(Object.entries(plain.questions).map(([id, each]) => [id, dmAnswer(each)]))
      const reply = checkedReply({ answers }, plain, 'acme')
      for (const [index, each] of order.entries()) {
        const answer = publicAnswer(each, index, reply.answers[each.id]!, [])
        const wanted = questions[index]!
        same(answer['type'], wanted.type)
        same(answer['name'], wanted.name ?? null)
        const values = (answer['probabilities'] as readonly { value: unknown; probability: number }[] | undefined)?.map(
          ({ value }) => value,
        )
        same(values, wanted.choices?.map(({ value }) => value) ?? wanted.levels?.map((_, level) => level))
      }
      const isReordered = Object.values(request.questions).some(
        each => each.type === 'choice' && each.options && Object.keys(each.criteria).join() !== each.options.map(({ key }) => key).join(),
      )
      same(warnings.length > 0, isReordered)
    }),
    runs(300),
  )
})

const protocol = new Set(
  ['message', 'input_text', 'input_json', 'predicate', 'c', 'user', 'function_call', 'function_call_output', 'f', 'choice', 'score'].map(
    text => JSON.stringify(text),
  ),
)

/** Every string and boolean, and the names of members; booleans are names in the other format. */
function textsIn(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value === 'string' || typeof value === 'boolean') found.add(JSON.stringify(String(value)))
  else if (Array.isArray(value)) for (const each of value) textsIn(each, found)
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) {
      if (!isMember.has(name)) found.add(JSON.stringify(name))
      textsIn(member, found)
    }
  return found
}

const isMember = new Set([
  'type',
  'role',
  'content',
  'text',
  'data',
  'value',
  'description',
  'label',
  'choices',
  'levels',
  'instructions',
  'output',
  'call_id',
])

function dmAnswer(question: DecisionRequest['questions'][string]): JsonObject {
  if (question.type === 'noul') return { type: 'noul', noul: 0.5 }
  const keys = Object.keys(question.criteria)
  const probabilities = Object.fromEntries(keys.map((key, index) => [key, index / 1_000]))
  return question.type === 'choice' ? { type: 'choice', choice: keys[0], probabilities } : { type: 'score', score: 0, probabilities }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  )
}

function same(found: unknown, wanted: unknown): void {
  const [one, other] = [found, wanted].map(each => JSON.stringify(sorted(each)))
  if (one !== other) throw new Error(`${one} is not ${other}`)
}
