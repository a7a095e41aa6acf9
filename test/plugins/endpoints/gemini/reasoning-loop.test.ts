import t from 'tap'
import type { JsonObject } from '../../../../core/index.ts'
import { fakeUpstream, type FakeReply, type ReceivedRequest } from '../../../../core/testing/index.ts'
import type { PluginUse } from '../../../../core/framework/plugin.ts'
import geminiApi from '../../../../plugins/endpoints/gemini/index.ts'
import anthropic from '../../../../plugins/providers/anthropic/index.ts'
import openaiChat from '../../../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../../../plugins/providers/openai-responses/index.ts'
import { gateway } from '../../../kit/gateway.ts'
import { askContent } from './stage.ts'

// A tool loop over the Gemini API keeps the reasoning of vendors with other wires, byte for byte.

const tools = [{ functionDeclarations: [{ name: 'look', parameters: { type: 'OBJECT' } }] }]
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
    name: 'anthropic',
    reply: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature },
        { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' },
        { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 9, output_tokens: 4 },
    },
    use: baseUrl => anthropic({ id: 'acme', baseUrl, apiKey: 'sk-demo-1' }),
    sent: ({ messages }) => (messages as readonly JsonObject[])[1]!['content'],
    expected: [
      { type: 'thinking', thinking: 'Hm.', signature },
      { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
    ],
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
    const under = await gateway({ plugins: [geminiApi({}), use(vendor.url)] })
    t.teardown(under.stop)
    const first = { tools, generationConfig: { thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true } } }
    for (const withoutThoughts of name === 'openai-chat' ? [false] : [false, true]) {
      const { body } = await askContent(under, 'acme/m', first)
      const { parts } = body.candidates[0]!.content
      t.match(parts[0], { text: 'Hm.', thought: true })
      t.match(parts.at(-1), { functionCall: { name: 'look', args: {} }, thoughtSignature: String })
      // Some clients drop thoughts.
      const kept = withoutThoughts ? parts.filter(({ thought, thoughtSignature }) => !thought || thoughtSignature) : parts
      const id = (parts.at(-1)!['functionCall'] as JsonObject)['id']
      const contents = [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: kept },
        { role: 'user', parts: [{ functionResponse: { id, name: 'look', response: { output: 'done' } } }] },
      ]
      const next = await askContent(under, 'acme/m', { ...first, contents })
      t.equal(next.status, 200)
      t.notMatch(next.headers.get('x-gateway-warnings') ?? '', /state/)
      const { summary: _, ...bare } = expected as JsonObject
      t.match(sent(asked.at(-1)!.body as JsonObject), withoutThoughts && !Array.isArray(expected) ? bare : expected)
    }
  })

t.test('a signature that does not open is left out', async t => {
  const vendor = await fakeUpstream((request): FakeReply => {
    t.notMatch(request.text, 'Zm9yZWlnbg==')
    return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(vendors[0]!.reply) }
  })
  t.teardown(() => vendor.close())
  const under = await gateway({ plugins: [geminiApi({}), openaiResponses({ id: 'acme', baseUrl: vendor.url, apiKey: 'sk-demo-1' })] })
  t.teardown(under.stop)
  for (const [thoughtSignature, warns] of [
    ['Zm9yZWlnbg==', true],
    ['tps1Zm9yZWlnbg==', true],
    ['skip_thought_signature_validator', false],
  ] as const) {
    const contents = [
      { parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ text: 'Yes.', thoughtSignature }] },
      { parts: [{ text: 'ok' }] },
    ]
    const { status, headers } = await askContent(under, 'acme/m', { contents })
    t.equal(status, 200)
    t.equal(/state/.test(headers.get('x-gateway-warnings') ?? ''), warns)
  }
})
