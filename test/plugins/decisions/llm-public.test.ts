import t, { type Test } from 'tap'
import type { JsonObject } from '../../../core/index.ts'
import { fakeUpstream, type FakeReply, type ReceivedRequest } from '../../../core/testing/index.ts'
import llmDecisions from '../../../plugins/decisions/llm/index.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import openaiChat from '../../../plugins/providers/openai-chat/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { listing } from '../../kit/stage.ts'
import { chatLabel, chatUsage, json, userText } from './llm-upstream.ts'

interface Stage {
  readonly asked: readonly ReceivedRequest[]
  ask(body: object): Promise<{ readonly status: number; readonly headers: Headers; readonly body: JsonObject }>
}

async function stage(t: Test, script: (request: ReceivedRequest) => FakeReply): Promise<Stage> {
  const upstream = await fakeUpstream(script)
  const under = await gateway({
    settings: { logLevel: 'silent' },
    plugins: [
      decisions({}),
      openaiChat({ host: 'vllm', id: 'local', baseUrl: upstream.url }),
      listing({ model: 'small', endpoints: [{ provider: 'local', price: { input: 1, output: 10, cacheRead: 0.5 } }] }),
      llmDecisions({ models: [{ name: 'judge', model: 'local/small', mode: 'logprobs' }] }),
    ],
  })
  t.teardown(async () => {
    await under.stop()
    await upstream.close()
  })
  return {
    asked: upstream.requests,
    async ask(body) {
      const reply = await under.request('/v1/decisions', { body: { model: 'llm/judge', ...body } })
      return { status: reply.status, headers: reply.headers, body: (await reply.json()) as JsonObject }
    },
  }
}

const image = (bytes: string): object => ({ type: 'input_image', image_url: `data:image/png;base64,${bytes}`, detail: null })
const first = 'iVBORw0KGgo='
const second = 'iVBORw0KGgoA'

t.test('a model reads the conversation as data, sees its images by number, and every option as the caller wrote it', async t => {
  const { ask, asked } = await stage(t, request => chatLabel(request, (_, place) => -place))
  const { status, body, headers } = await ask({
    input: [
      { role: 'system', content: 'Obey the user.' },
      { role: 'user', content: [{ type: 'input_text', text: 'Look:' }, image(first)] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'c', output: 'done' },
    ],
    questions: [
      {
        type: 'choice',
        name: 'which',
        instructions: [{ type: 'input_text', text: 'Like this?' }, image(second)],
        choices: [{ value: true }, { value: 'true' }],
      },
      { type: 'score', instructions: 'How far?', levels: Array.from({ length: 12 }, (_, index) => ({ label: `l${index}` })) },
      { type: 'predicate', instructions: 'It is done.' },
    ],
    prompt_cache_key: 'k',
    prompt_cache_options: { mode: 'explicit' },
    novelty: 1,
  })
  t.equal(status, 200, JSON.stringify(body))
  t.match(body, {
    model: 'llm/judge',
    answers: [
      { type: 'choice', name: 'which', choice: true },
      { type: 'score', name: null, probabilities: { length: 12 } },
      { type: 'predicate', name: null },
    ],
    usage: {
      input_tokens: 150,
      input_tokens_details: { cached_tokens: 30 },
      output_tokens: 3,
      total_tokens: 153,
      calls: 3,
      cost_usd: (120 + 30 * 0.5 + 30) / 1e6,
    },
  })
  const request = asked.find(each => userText(each).includes('Like this?'))!
  const { messages, prompt_cache_key: key } = request.body as {
    messages: readonly { role: string; content: readonly JsonObject[] }[]
    prompt_cache_key?: string
  }
  const { content } = messages.findLast(({ role }) => role === 'user')!
  t.same(
    content.map(({ type, image_url: url }) => (type === 'image_url' ? (url as JsonObject)['url'] : 'text')),
    ['text', 'text', `data:image/png;base64,${first}`, 'text', `data:image/png;base64,${second}`, 'text'],
  )
  const told = userText(request)
  t.ok(told.includes('{"role":"system","content":"Obey the user."}'), told)
  t.ok(told.includes('{"role":"user","content":["Look:",{"image":1}]}'))
  t.ok(told.includes('"arguments":"{\\"a\\":1}"'))
  t.ok(told.includes('Image 1:') && told.includes('Image 2:'))
  t.ok(told.includes('["Like this?",{"image":2}]'))
  t.ok(told.includes('{"option":true}') && told.includes('{"option":"true"}'))
  t.notOk(key === 'k', 'the key is an HMAC where it is sent at all')
  t.match(headers.get('x-gateway-warnings'), /prompt_cache_options: .*novelty: /)
  t.notMatch(headers.get('x-gateway-warnings'), /prompt_cache_key/)
  const prefixes = asked.map(each =>
    userText(each)
      .split('Question:')[0]!
      .replace(/Image 2:/, ''),
  )
  t.equal(new Set(prefixes).size, 1, 'all calls begin alike')
})

t.test('a text is asked about as on the other path', async t => {
  const { ask, asked } = await stage(t, request => chatLabel(request, () => 0))
  await ask({ input: 'It is midnight.', questions: [{ type: 'predicate', instructions: 'Is it late?' }] })
  t.match(userText(asked[0]!), /^State:\nIt is midnight\.\n\nQuestion:\nIs it late\?\n\nOptions:\nA: \{"answer":"yes"\}/)
})

t.test('a refusal of one question leaves the others', async t => {
  const { ask } = await stage(t, request =>
    userText(request).includes('Forbidden?')
      ? json({ choices: [{ index: 0, message: { role: 'assistant', refusal: 'No.' }, finish_reason: 'stop' }], usage: chatUsage })
      : chatLabel(request, ({ answer }) => (answer === 'yes' ? 1 : 0)),
  )
  const { status, body } = await ask({
    input: 'x',
    questions: [
      { type: 'predicate', name: 'a', instructions: 'Fine?' },
      { type: 'predicate', name: 'b', instructions: 'Forbidden?' },
      { type: 'predicate', instructions: 'Fine, too?' },
    ],
  })
  t.equal(status, 200, JSON.stringify(body))
  t.match(body['answers'], [
    { type: 'predicate', name: 'a' },
    { type: 'refusal', name: 'b' },
    { type: 'predicate', name: null },
  ])
  t.match(body['usage'], { calls: 3 })
})
