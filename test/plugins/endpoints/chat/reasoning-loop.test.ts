import t from 'tap'
import type { JsonObject } from '../../../../core/index.ts'
import { fakeUpstream, type FakeReply, type ReceivedRequest } from '../../../../core/testing/index.ts'
import type { PluginUse } from '../../../../core/framework/plugin.ts'
import chat from '../../../../plugins/endpoints/chat/index.ts'
import anthropic from '../../../../plugins/providers/anthropic/index.ts'
import gemini from '../../../../plugins/providers/gemini/index.ts'
import openaiChat from '../../../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../../../plugins/providers/openai-responses/index.ts'
import { gateway } from '../../../kit/gateway.ts'
import { askChat, type ChatChoice } from './stage.ts'

// A tool loop over Chat Completions keeps the reasoning of vendors with other wires, byte for byte.

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
const signature = 'c2lnbmF0dXJlIG9mIGEgdGhvdWdodA=='

interface Vendor {
  readonly name: string
  readonly reply: JsonObject
  readonly use: (baseUrl: string) => PluginUse
  /** What the second request has of the first answer. */
  readonly sent: (body: JsonObject) => unknown
  readonly expected: unknown
}

const vendors: readonly Vendor[] = [
  {
    name: 'anthropic',
    reply: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature },
        { type: 'redacted_thinking', data: signature },
        { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
      ],
      usage: { input_tokens: 9, output_tokens: 4 },
    },
    use: baseUrl => anthropic({ id: 'acme', baseUrl, apiKey: 'sk-demo-1' }),
    sent: ({ messages: turns }) => (turns as readonly JsonObject[])[1]!['content'],
    expected: [
      { type: 'thinking', thinking: 'Hm.', signature },
      { type: 'redacted_thinking', data: signature },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
    ],
  },
  {
    name: 'openai-responses',
    reply: {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      model: 'm',
      output: [
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: signature },
        { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{}', status: 'completed' },
      ],
      usage: { input_tokens: 9, output_tokens: 4, total_tokens: 13 },
    },
    use: baseUrl => openaiResponses({ id: 'acme', baseUrl, apiKey: 'sk-demo-1' }),
    sent: ({ input }) => (input as readonly JsonObject[]).find(({ type }) => type === 'reasoning'),
    expected: { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: signature },
  },
  {
    name: 'gemini',
    reply: {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: 'Hm.', thought: true },
              { functionCall: { name: 'look', args: {} }, thoughtSignature: signature },
            ],
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4 },
    },
    use: baseUrl => gemini({ id: 'acme', baseUrl, apiKey: 'sk-demo-1' }),
    sent: ({ contents }) => (contents as readonly JsonObject[])[1]!['parts'],
    expected: [{ functionCall: { name: 'look', args: {} }, thoughtSignature: signature }],
  },
  {
    name: 'openai-chat',
    reply: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model: 'm',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            reasoning_content: 'Hm.',
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
    },
    use: baseUrl => openaiChat({ id: 'acme', baseUrl, host: 'deepseek', apiKey: 'sk-demo-1' }),
    sent: ({ messages: turns }) => (turns as readonly JsonObject[])[1],
    expected: { role: 'assistant', reasoning_content: 'Hm.' },
  },
]

for (const { name, reply, use, sent, expected } of vendors)
  t.test(name, async t => {
    const asked: ReceivedRequest[] = []
    const vendor = await fakeUpstream((request): FakeReply => {
      asked.push(request)
      return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(reply) }
    })
    t.teardown(() => vendor.close())
    const under = await gateway({ plugins: [chat({}), use(vendor.url)] })
    t.teardown(under.stop)
    const first = { model: 'acme/m', tools, thinking: { type: 'enabled' } }
    const { body } = await askChat(under, first)
    const [{ message, finish_reason }] = body.choices as readonly [ChatChoice]
    t.match([message['reasoning'], finish_reason], ['Hm.', 'tool_calls'])
    const [call] = message['tool_calls'] as readonly [JsonObject]
    const next = await askChat(under, {
      ...first,
      messages: [{ role: 'user', content: 'hi' }, message, { role: 'tool', tool_call_id: call['id'], content: 'done' }],
    })
    t.equal(next.status, 200)
    t.notMatch(next.headers.get('x-gateway-warnings') ?? '', /state/)
    t.match(sent(asked[1]!.body as JsonObject), expected)
  })
