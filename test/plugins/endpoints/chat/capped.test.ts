import t from 'tap'
import type { JsonObject } from '../../../../core/index.ts'
import { fakeUpstream } from '../../../../core/testing/index.ts'
import chat from '../../../../plugins/endpoints/chat/index.ts'
import openaiChat from '../../../../plugins/providers/openai-chat/index.ts'
import { gateway } from '../../../kit/gateway.ts'
import { listing } from '../../../kit/stage.ts'
import { askChat } from './stage.ts'

const long = 'word '.repeat(20_000)
const user = { role: 'user', content: 'hi' }
const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
const output = { role: 'tool', tool_call_id: 'call_1', content: 'x' }

const bodies: Readonly<Record<string, JsonObject>> = {
  'a member of the request': { documents: [{ text: long }] },
  prediction: { prediction: { type: 'content', content: long } },
  'the name of a message': { messages: [{ ...user, name: long }] },
  'a member of a part': { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', note: long }] }] },
  'a member of a tool': { tools: [{ type: 'function', function: { name: 'f', note: long } }] },
  'a member of a call': { messages: [{ role: 'assistant', tool_calls: [{ ...call, note: long }] }, output] },
}

for (const [what, body] of Object.entries(bodies))
  t.test(`input in ${what} cannot pass a spend cap`, async t => {
    const asked: unknown[] = []
    const vendor = await fakeUpstream(request => {
      asked.push(request.body)
      return { status: 500 }
    })
    t.teardown(() => vendor.close())
    const under = await gateway({
      plugins: [
        chat({}),
        openaiChat({ id: 'acme', host: 'compatible', baseUrl: vendor.url, apiKey: 'sk-demo-1' }),
        listing({
          model: 'm',
          endpoints: [{ provider: 'acme', price: { input: 10, output: 30 }, maxOutputTokens: 100, contextWindow: 200_000 }],
        }),
      ],
      key: { name: 'k', spendCapUsd: 0.1 },
    })
    t.teardown(under.stop)
    const reply = await askChat(under, { model: 'm', ...body })
    t.equal(reply.status, 402)
    t.strictSame(asked, [], 'no vendor was asked')
  })
