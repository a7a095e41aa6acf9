import t from 'tap'
import type { JsonObject } from '../../../../core/index.ts'
import { fakeUpstream } from '../../../../core/testing/index.ts'
import geminiApi from '../../../../plugins/endpoints/gemini/index.ts'
import gemini from '../../../../plugins/providers/gemini/index.ts'
import { gateway } from '../../../kit/gateway.ts'
import { anthropicReply, chatReply, responsesReply } from '../../../kit/vendor-replies.ts'
import { pluginOf } from '../../../kit/wire-plugins.ts'
import { askContent } from './stage.ts'

// Vendors' caches live by it: a longer conversation begins with the bytes of the shorter one.

const image = 'iVBORw0KGgo='
const look = (args: object): object => ({ functionCall: { name: 'look', args } })
const seen = (response: object): object => ({ functionResponse: { name: 'look', response } })
const conversation: readonly JsonObject[] = [
  { role: 'user', parts: [{ text: 'hi' }, { inlineData: { mimeType: 'image/png', data: image } }] },
  { role: 'model', parts: [{ text: 'Hm.', thought: true }, { text: 'Let me see.' }, look({ b: 1, a: 1.5, '2': [] }), look({})] },
  { role: 'user', parts: [seen({ error: 'no' }), seen({ z: 1, a: { b: [] } })] },
  { role: 'model', parts: [look({})] },
  { role: 'user', parts: [seen({ output: 'yes' })] },
  { role: 'model', parts: [{ text: 'It is ' }, { text: 'there.' }] },
  { role: 'user', parts: [{ text: 'And now?' }] },
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
      geminiApi({}),
      ...names.map((name, index) => pluginOf[name](name, vendors[index]!.url, 'fake')),
      gemini({ id: 'gemini', baseUrl: vendors[3]!.url, apiKey: 'sk-demo-1' }),
    ],
  })
  t.teardown(under.stop)
  for (const model of ['openai-chat/m', 'anthropic/claude-sonnet-4-6', 'openai-responses/m', 'gemini/gemini-2.5-flash']) {
    let before: readonly string[] = []
    let rest: string | undefined
    for (let turns = 1; turns <= conversation.length; turns += 2) {
      const tools = [
        { functionDeclarations: [{ name: 'look', description: 'Looks', parameters: { type: 'OBJECT', properties: { b: {}, a: {} } } }] },
      ]
      const systemInstruction = { parts: [{ text: 'Be brief.' }] }
      const { status } = await askContent(under, model, { systemInstruction, tools, contents: conversation.slice(0, turns) })
      t.equal(status, 200)
      const body = JSON.parse(asked.at(-1)!) as JsonObject
      const list = ['messages', 'input', 'contents'].find(name => Array.isArray(body[name]))!
      const { [list]: sent, ...others } = body
      const texts = (sent as readonly unknown[]).map(each => JSON.stringify(each))
      t.same(texts.slice(0, before.length), before, `${model} after ${turns} turns`)
      before = texts
      const plain = JSON.stringify(others)
      t.equal(plain, (rest ??= plain))
    }
  }
})
