import OpenAI from 'openai'
import t from 'tap'
import conversations from '../../plugins/endpoints/conversations/index.ts'
import { listeningGateway } from '../kit/gateway.ts'

t.test('the openai SDK and conversations', async t => {
  const under = await listeningGateway({ plugins: [conversations({})] })
  t.teardown(under.stop)
  const client = new OpenAI({ apiKey: under.apiKey, baseURL: `${under.url}/v1`, maxRetries: 0 })
  const model = 'sandbox/echo'

  await t.test('create, retrieve, update, delete', async t => {
    const made = await client.conversations.create({ metadata: { of: 'demo' }, items: [{ role: 'user', content: 'hi' }] })
    t.match(made, { object: 'conversation', metadata: { of: 'demo' } })
    t.same(await client.conversations.retrieve(made.id), made)
    t.same((await client.conversations.update(made.id, { metadata: { of: 'test' } })).metadata, { of: 'test' })
    t.match(await client.conversations.delete(made.id), { id: made.id, object: 'conversation.deleted', deleted: true })
    await t.rejects(client.conversations.retrieve(made.id), { status: 404, code: 'not_found' })
    t.match(await client.conversations.create(), { object: 'conversation' })
  })

  await t.test('items come in pages, can be read and deleted', async t => {
    const { id } = await client.conversations.create()
    const said = ['one', 'two', 'three', 'four', 'five']
    const added = await client.conversations.items.create(id, { items: said.map(content => ({ role: 'user', content })) })
    t.equal(added.data.length, 5)
    const texts = async (query: OpenAI.Conversations.ItemListParams): Promise<string[]> => {
      const found: string[] = []
      for await (const item of client.conversations.items.list(id, query)) if (item.type === 'message') found.push(textOf(item))
      return found
    }
    t.same(await texts({ limit: 2 }), said.toReversed())
    t.same(await texts({ limit: 2, order: 'asc' }), said)
    const last = added.last_id
    t.match(await client.conversations.items.retrieve(last, { conversation_id: id }), { id: last, type: 'message', status: 'completed' })
    t.match(await client.conversations.items.delete(last, { conversation_id: id }), { id, object: 'conversation' })
    t.same(await texts({ order: 'asc' }), said.slice(0, 4))
  })

  await t.test('responses go on from a conversation', async t => {
    const { id } = await client.conversations.create()
    const first = await client.responses.create({ model: 'sandbox/reasoning', input: 'Why?', conversation: id })
    t.same(first.conversation, { id })
    const second = await client.responses.stream({ model: 'sandbox/reasoning', input: 'And?', conversation: { id } }).finalResponse()
    t.equal(second.output_text, 'I remember turn 1. And?', 'with the state of its reasoning')
    const { data } = await client.conversations.items.list(id, { order: 'asc' })
    t.same(data.filter(item => item.type === 'message').map(textOf), ['Why?', first.output_text, 'And?', second.output_text]) // prettier-ignore
    await t.rejects(client.responses.create({ model, input: 'hi', conversation: 'conv_unknown' }), { status: 404, message: /not found/ })
  })

  await t.test('a client that retries waits until the conversation is free', async t => {
    const patient = client.withOptions({ maxRetries: 20 })
    const { id } = await client.conversations.create()
    const answers = await Promise.all(['a', 'b'].map(input => patient.responses.create({ model, input, conversation: id })))
    t.equal(answers.length, 2)
    t.equal((await client.conversations.items.list(id)).data.length, 4)
  })
})

function textOf(item: OpenAI.Conversations.Message | OpenAI.Conversations.ConversationItem): string {
  return item.type === 'message' ? item.content.map(part => ('text' in part ? part.text : part.type)).join('') : item.type
}
