import t from 'tap'
import type { JsonObject } from '../../../../core/index.ts'
import { fakeUpstream } from '../../../../core/testing/index.ts'
import messages from '../../../../plugins/endpoints/messages/index.ts'
import gemini from '../../../../plugins/providers/gemini/index.ts'
import { gateway } from '../../../kit/gateway.ts'
import { anthropicReply, chatReply, responsesReply } from '../../../kit/vendor-replies.ts'
import { pluginOf } from '../../../kit/wire-plugins.ts'
import { askMessages } from './stage.ts'

// Vendors' caches live by it: a longer conversation begins with the bytes of the shorter one.

const image = 'iVBORw0KGgo='
const conversation: readonly JsonObject[] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'hi' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'tpu1.summary' },
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: { b: 1, a: 1.5, '2': [] } },
      { type: 'tool_use', id: 'toolu_2', name: 'look', input: {} },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'toolu_1', content: 'no', is_error: true },
      { type: 'tool_result', tool_use_id: 'toolu_2', content: [{ type: 'text', text: 'yes' }] },
    ],
  },
  { role: 'assistant', content: 'It is there.' },
  { role: 'user', content: [{ type: 'search_result', source: 'https://example.com', title: 'A', content: [{ type: 'text', text: 'x' }] }] },
  { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] },
  { role: 'user', content: 'And now?' },
]

t.test('a longer conversation begins as the shorter one', async t => {
  const asked: string[] = []
  const keep = <R, A>(answer: (request: R) => A): ((request: R) => A) => {
    return request => {
      asked.push((request as { text: string }).text)
      return answer(request)
    }
  }
  const geminiReply = (): { headers: Record<string, string>; body: string } => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }] }),
  })
  const vendors = await Promise.all([
    fakeUpstream(keep(chatReply)),
    fakeUpstream(keep(anthropicReply)),
    fakeUpstream(keep(responsesReply)),
    fakeUpstream(keep(geminiReply)),
  ])
  t.teardown(() => Promise.all(vendors.map(vendor => vendor.close())))
  const names = ['openai-chat', 'anthropic', 'openai-responses'] as const
  const under = await gateway({
    plugins: [
      messages({}),
      ...names.map((name, index) => pluginOf[name](name, vendors[index]!.url, 'fake')),
      gemini({ id: 'gemini', baseUrl: vendors[3]!.url, apiKey: 'sk-demo-1' }),
    ],
  })
  t.teardown(under.stop)
  for (const model of ['openai-chat/m', 'anthropic/claude-sonnet-4-6', 'openai-responses/m', 'gemini/gemini-2.5-flash']) {
    let before: readonly string[] = []
    let rest: string | undefined
    for (let turns = 1; turns <= conversation.length; turns += 2) {
      const system = [
        { type: 'text', text: `x-anthropic-billing-header: cch=${turns};` },
        { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
      ]
      const tools = [{ name: 'look', description: 'Looks', input_schema: { type: 'object', properties: { b: {}, a: {} } } }]
      const { status } = await askMessages(under, { model, system, tools, messages: conversation.slice(0, turns) })
      t.equal(status, 200)
      const body = JSON.parse(asked.at(-1)!) as JsonObject
      const list = ['messages', 'input', 'contents'].find(name => Array.isArray(body[name]))!
      const { [list]: sent, system: blocks, ...others } = body
      const texts = (sent as readonly unknown[]).map(each => JSON.stringify(each))
      t.same(texts.slice(0, before.length), before, `${model} after ${turns} turns`)
      before = texts
      // The vendor that the first line is for takes it out itself.
      const plain = JSON.stringify({ ...others, system: Array.isArray(blocks) && model.startsWith('anthropic') ? blocks.slice(1) : blocks })
      t.equal(plain, (rest ??= plain))
    }
  }
})
