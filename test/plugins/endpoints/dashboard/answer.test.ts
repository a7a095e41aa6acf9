import t from 'tap'
import { answerOf, noAnswer, withEvent } from '../../../../plugins/endpoints/dashboard/app/pages/playground/answer.ts'
import { eventsOf, type StreamEvent } from '../../../../plugins/endpoints/dashboard/app/pages/playground/event-stream.ts'
import { barsOf, shownReply } from '../../../../plugins/endpoints/dashboard/app/pages/playground/decision-reply.ts'
import {
  callsIn,
  decisionOf,
  itemsToSend,
  publicDecisionOf,
  requestOf,
} from '../../../../plugins/endpoints/dashboard/app/pages/playground/request.ts'
import { gateway } from '../../../kit/gateway.ts'

const weather = {
  type: 'function',
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
}

/** The same bytes in pieces of one size. */
function inPieces(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  const count = Math.ceil(bytes.length / size)
  return ReadableStream.from(Array.from({ length: count }, (_, index) => bytes.slice(index * size, (index + 1) * size)))
}

async function readAll(body: ReadableStream<Uint8Array>): Promise<readonly StreamEvent[]> {
  const events: StreamEvent[] = []
  for await (const event of eventsOf(body)) events.push(event)
  return events
}

t.test('a stream becomes the answer that the whole response is', async t => {
  const under = await gateway()
  t.teardown(under.stop)
  const requests = [
    { model: 'sandbox/echo', input: 'Hello — naïve “text” \u{1f600}' },
    { model: 'sandbox/reasoning', input: 'Think', reasoning: { summary: 'auto' } },
    { model: 'sandbox/tools', input: 'Weather?', tools: [weather] },
    { model: 'sandbox/fail', input: '{"refusal":"No."}' },
  ]
  for (const request of requests) {
    const whole = answerOf((await (await under.request('/v1/responses', { body: request })).json()) as never)
    const reply = await under.request('/v1/responses', { body: { ...request, stream: true } })
    const bytes = new Uint8Array(await reply.arrayBuffer())
    const events = await readAll(inPieces(bytes, bytes.length))
    for (const size of [1, 7, 100]) t.same(await readAll(inPieces(bytes, size)), events, `in pieces of ${size}`)
    const answer = events.reduce(withEvent, noAnswer)
    t.match(answer, { status: whole.status, usage: whole.usage }, JSON.stringify(request))
    const plain = (items: typeof whole.items): unknown =>
      items.map(({ type, text, reasoning, arguments: given }) => ({ type, text, reasoning, given }))
    t.same(plain(answer.items), plain(whole.items))
    for (const event of events) t.ok(withEvent(answer, event), 'any order of events is survived')
  }
  const cut = await under.request('/v1/responses', { body: { model: 'sandbox/fail', input: '{"after":2,"cut":true}', stream: true } })
  const answer = (await readAll(cut.body!)).reduce(withEvent, noAnswer)
  t.match(answer, { status: 'failed', error: String, items: [{ text: 'Piece 1. Piece 2.' }] })
})

t.test('a conversation goes on, also after a call', async t => {
  const under = await gateway()
  t.teardown(under.stop)
  const values = { instructions: '', effort: '', temperature: null, max_output_tokens: null, sort: '', stream: false, webSearch: false }
  const ask = async (request: object) => answerOf((await (await under.request('/v1/responses', { body: request })).json()) as never)
  const first = requestOf('sandbox/tools', { ...values, input: 'Weather?', tools: JSON.stringify([weather]) }, [])
  const called = await ask(first)
  const [call] = callsIn(called.items)
  t.match(call, { type: 'function_call', item: { name: 'weather' } })
  const history = [{ role: 'user', content: 'Weather?' }, ...itemsToSend(called.items, { [String(call!.item['call_id'])]: 'sunny' })]
  const answered = await ask(requestOf('sandbox/tools', { ...values, input: '', tools: JSON.stringify([weather]) }, history))
  t.match(answered, { status: 'completed', items: [{ text: /weather returned: sunny/ }] })
  const third = requestOf('sandbox/echo', { ...values, input: 'Thanks', tools: '' }, [...history, ...itemsToSend(answered.items, {})])
  t.match(await ask(third), { items: [{ text: 'Thanks' }] })
})

t.test('fields that are empty are left out, and tools must be a JSON array', t => {
  const values = {
    instructions: '',
    input: 'x',
    effort: '',
    temperature: null,
    max_output_tokens: null,
    sort: '',
    stream: true,
    webSearch: false,
    tools: '',
  }
  t.same(requestOf('m', values, []), { model: 'm', input: 'x', stream: true })
  t.same(requestOf('m', { ...values, webSearch: true, temperature: 0, sort: 'cost', effort: 'low' }, []), {
    model: 'm',
    input: 'x',
    tools: [{ type: 'web_search' }],
    reasoning: { effort: 'low', summary: 'auto' },
    temperature: 0,
    routing: { provider: { sort: 'cost' } },
    stream: true,
  })
  t.throws(() => requestOf('m', { ...values, tools: '{' }, []), /not valid JSON/)
  t.throws(() => requestOf('m', { ...values, tools: '{}' }, []), /must be an array/)
  t.end()
})

t.test('questions are written one option a line', t => {
  const questions = [
    { id: 'angry', type: 'noul', instructions: 'Angry?', options: '' },
    { id: 'topic', type: 'choice', instructions: '', options: 'billing: Money\n\n other \n: odd' },
    { id: 'level', type: 'score', instructions: '', options: 'low\nhigh: very' },
  ] as const
  t.same(decisionOf('dm', '{"a":1}', questions), {
    model: 'dm',
    state: { a: 1 },
    questions: {
      angry: { type: 'noul', instructions: 'Angry?' },
      topic: { type: 'choice', criteria: { billing: 'Money', other: null, ': odd': null } },
      level: { type: 'score', criteria: ['low', 'high: very'] },
    },
  })
  t.match(decisionOf('dm', '{not json', questions), { state: '{not json' })
  t.same(publicDecisionOf('dm', '{"a":1}', questions), {
    model: 'dm',
    input: [{ role: 'user', content: [{ type: 'input_json', data: { a: 1 } }] }],
    questions: [
      { type: 'predicate', name: 'angry', instructions: 'Angry?' },
      { type: 'choice', name: 'topic', choices: [{ value: 'billing', description: 'Money' }, { value: 'other' }, { value: ': odd' }] },
      { type: 'score', name: 'level', levels: [{ label: 'low' }, { label: 'high', description: 'very' }] },
    ],
  })
  for (const text of ['hi', '{not json', '[1]']) t.match(publicDecisionOf('dm', text, questions), { input: text })
  t.end()
})

t.test('both formats of a decision are shown alike', t => {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const shown = shownReply({
    id: 'dec_1',
    model: 'vendor/dm',
    usage,
    answers: [
      { type: 'predicate', name: 'angry', probability: 0.9, uncalibrated: true },
      {
        type: 'choice',
        name: null,
        choice: true,
        confidence: 0.2,
        probabilities: [
          { value: true, probability: 0.6 },
          { value: 'no', probability: 0.4 },
        ],
      },
      {
        type: 'score',
        name: 'level',
        score: 0.25,
        probabilities: [
          { value: 0, label: 'low', probability: 0.75 },
          { value: 1, label: 'high', probability: 0.25 },
        ],
      },
      { type: 'refusal', name: 'other' },
    ],
  })
  t.same(shown, {
    id: 'dec_1',
    model: 'vendor/dm',
    usage,
    answers: {
      angry: { type: 'noul', noul: 0.9, uncalibrated: true },
      'question 2': { type: 'choice', choice: 'true', confidence: 0.2, probabilities: { true: 0.6, no: 0.4 } },
      level: { type: 'score', score: 0.25, probabilities: { 0: 0.75, 1: 0.25 }, legend: { 0: 'low', 1: 'high' } },
      other: { type: 'refusal' },
    },
  })
  t.same(barsOf(shown.answers['level']!), [
    { name: '0: low', probability: 0.75, isChosen: true },
    { name: '1: high', probability: 0.25, isChosen: false },
  ])
  t.same(barsOf(shown.answers['other']!), [])
  t.end()
})
