import OpenAI from 'openai'
import t from 'tap'
import { listeningGateway } from '../kit/gateway.ts'

t.test('the openai SDK and stored responses', async t => {
  const under = await listeningGateway()
  t.teardown(under.stop)
  const sdk = (apiKey: string): OpenAI => new OpenAI({ apiKey, baseURL: `${under.url}/v1`, maxRetries: 0 })
  const client = sdk(under.apiKey)
  const model = 'sandbox/echo'

  await t.test('retrieve gives what was answered, streamed or not', async t => {
    for (const answered of [
      await client.responses.create({ model, input: 'hi', metadata: { of: 'demo' } }),
      await client.responses.stream({ model, input: 'hi', metadata: { of: 'demo' } }).finalResponse(),
    ]) {
      const found = await client.responses.retrieve(answered.id)
      t.equal(found.output_text, 'hi')
      t.same(found.output, answered.output.map(withoutParsed))
      t.same(found.usage, answered.usage)
      t.match(found, { id: answered.id, status: 'completed', store: true, metadata: { of: 'demo' } })
    }
  })

  await t.test('retrieve with include', async t => {
    const { id } = await client.responses.create({ model: 'sandbox/reasoning', input: 'Why?' })
    const states = (response: OpenAI.Responses.Response): boolean[] =>
      response.output.flatMap(item => (item.type === 'reasoning' ? [Boolean(item.encrypted_content)] : []))
    t.same(states(await client.responses.retrieve(id)), [false, false])
    t.same(states(await client.responses.retrieve(id, { include: ['reasoning.encrypted_content'] })), [false, true], 'in its own item')
  })

  await t.test('input items come in pages', async t => {
    const input = ['one', 'two', 'three', 'four', 'five'].map(content => ({ role: 'user' as const, content }))
    const { id } = await client.responses.create({ model, input })
    const texts = async (query?: OpenAI.Responses.InputItemListParams): Promise<string[]> => {
      const said: string[] = []
      for await (const item of client.responses.inputItems.list(id, query))
        if (item.type === 'message') said.push(...item.content.map(part => ('text' in part ? part.text : part.type)))
      return said
    }
    t.same(await texts(), ['five', 'four', 'three', 'two', 'one'], 'the newest first')
    t.same(await texts({ limit: 2, order: 'asc' }), ['one', 'two', 'three', 'four', 'five'], 'the SDK goes from page to page')
    const page = await client.responses.inputItems.list(id, { limit: 2 })
    t.equal(page.data.length, 2)
    t.ok(page.hasNextPage())
    const [first] = (await page.getNextPage()).data
    t.match(first, { type: 'message', role: 'user', id: /^msg_/, content: [{ type: 'input_text', text: 'three' }] })
    t.equal(first!.type === 'message' && first!.status, 'completed')
  })

  await t.test('a chain goes on from what was stored, and items can be referred to', async t => {
    const first = await client.responses.create({ model: 'sandbox/reasoning', input: 'Why?' })
    const second = await client.responses.create({ model: 'sandbox/reasoning', input: 'And?', previous_response_id: first.id })
    t.equal(second.output_text, 'I remember turn 1. And?')
    const input = await client.responses.inputItems.list(second.id)
    t.equal(input.data.length, 1, 'of its own request only')
    const [reasoning] = first.output.filter(item => item.type === 'reasoning' && item.summary.length > 0)
    const referred = await client.responses.create({
      model: 'sandbox/reasoning',
      input: [
        { type: 'item_reference', id: reasoning!.id! },
        { role: 'user', content: 'Again' },
      ],
    })
    t.equal(referred.output_text, 'I remember turn 1. Again')
  })

  await t.test('delete, and what is not there', async t => {
    const { id } = await client.responses.create({ model, input: 'hi' })
    const stranger = sdk(await under.gateway.issueKey({ name: 'stranger', org: 'other', policy: { logging: { value: true } } }))
    const missing = { status: 404, message: /not found/ }
    await t.rejects(stranger.responses.retrieve(id), missing, 'what belongs to others')
    await t.rejects(stranger.responses.inputItems.list(id), missing)
    await t.rejects(stranger.responses.delete(id), missing)
    await t.rejects(client.responses.cancel(id), { status: 400, message: /Cannot cancel a synchronous response/ })
    await client.responses.delete(id)
    await t.rejects(client.responses.retrieve(id), missing)
    await t.rejects(client.responses.delete(id), missing)
    await t.rejects(client.responses.create({ model, input: 'hi', previous_response_id: id }), {
      status: 400,
      code: 'previous_response_not_found',
      message: new RegExp(`Previous response with id '${id}' not found`),
    })
    const unstored = await client.responses.create({ model, input: 'hi', store: false })
    t.equal((unstored as { store?: boolean }).store, false)
    await t.rejects(client.responses.retrieve(unstored.id), missing)
  })

  await t.test('input tokens are counted without an answer', async t => {
    const counted = await client.responses.inputTokens.count({ model, input: 'one two three four five' })
    t.equal(counted.object, 'response.input_tokens')
    t.ok(counted.input_tokens > 0)
    const more = await client.responses.inputTokens.count({
      model,
      instructions: 'Be kind to everybody.',
      input: 'one two three four five',
    })
    t.ok(more.input_tokens > counted.input_tokens)
    await t.rejects(client.responses.inputTokens.count({ model: 'none-such-model', input: 'hi' }), { status: 400, code: 'model_not_found' })
  })
})

/** `.stream()` adds its parsed form of a text. */
function withoutParsed(item: OpenAI.Responses.ResponseOutputItem): object {
  if (item.type !== 'message') return item
  return { ...item, content: item.content.map(({ ...part }) => ('parsed' in part ? (delete part.parsed, part) : part)) }
}
