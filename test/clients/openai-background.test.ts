import { setTimeout as delay } from 'node:timers/promises'
import OpenAI from 'openai'
import t from 'tap'
import { listeningGateway } from '../kit/gateway.ts'

type Event = OpenAI.Responses.ResponseStreamEvent

t.test('the openai SDK and background responses', async t => {
  const under = await listeningGateway()
  t.teardown(under.stop)
  const client = new OpenAI({ apiKey: under.apiKey, baseURL: `${under.url}/v1`, maxRetries: 0 })
  const model = 'sandbox/slow'
  const slow = JSON.stringify({ firstMs: 100, betweenMs: 20, pieces: 20 })

  await t.test('polling, as its guide shows it', async t => {
    let response = await client.responses.create({ model, input: slow, background: true })
    t.equal(response.status, 'queued')
    for (; response.status === 'queued' || response.status === 'in_progress'; response = await client.responses.retrieve(response.id))
      await delay(20)
    t.equal(response.status, 'completed')
    t.ok(response.output_text.length > 0)
    const items = await client.responses.inputItems.list(response.id)
    t.equal(items.data.length, 1)
  })

  await t.test('a stream that breaks is resumed at its cursor', async t => {
    const seen: Event[] = []
    for await (const event of await client.responses.create({ model, input: slow, background: true, stream: true })) {
      seen.push(event)
      if (event.type === 'response.output_text.delta') break
    }
    const { id } = (seen[0] as OpenAI.Responses.ResponseCreatedEvent).response
    while (seen.at(-1)!.type !== 'response.completed') {
      let count = 0
      const query = { stream: true, starting_after: seen.at(-1)!.sequence_number } as const
      for await (const event of await client.responses.retrieve(id, query)) {
        seen.push(event)
        if (++count === 7) break
      }
    }
    t.same(
      seen.map(event => event.sequence_number),
      seen.map((_, index) => index),
    )
    const text = seen.map(event => (event.type === 'response.output_text.delta' ? event.delta : '')).join('')
    const { output_text: whole, status } = await client.responses.retrieve(id)
    t.same([text, 'completed'], [whole, status])
  })

  await t.test('its stream helper follows a response by id', async t => {
    const { id } = await client.responses.create({ model, input: slow, background: true, stream: false })
    const seen: Event[] = []
    const runner = client.responses.stream({ response_id: id, starting_after: 3 }).on('event', event => void seen.push(event))
    const final = await runner.finalResponse()
    t.equal(final.status, 'completed')
    t.ok(final.output_text.length > 0)
    t.ok(seen.every(event => event.sequence_number > 3))
    t.equal(seen.at(-1)!.type, 'response.completed')
  })

  await t.test('cancel', async t => {
    const { id } = await client.responses.create({ model, input: JSON.stringify({ firstMs: 60_000 }), background: true })
    t.equal((await client.responses.cancel(id)).status, 'cancelled')
    t.equal((await client.responses.retrieve(id)).status, 'cancelled')
    t.equal((await client.responses.cancel(id)).status, 'cancelled', 'again')
    await client.responses.delete(id)
    await t.rejects(client.responses.retrieve(id), { message: /^404 / })
  })

  await t.test('a response in the foreground cannot be cancelled', async t => {
    const { id } = await client.responses.create({ model: 'sandbox/echo', input: 'hi' })
    await t.rejects(client.responses.cancel(id), { message: /Cannot cancel a synchronous response/ })
  })
})
