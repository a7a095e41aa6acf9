import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import type { GenerationEvent, ProviderCall } from '../../../core/index.ts'
import { MemoryCoordination } from '../../../core/stores.ts'
import { systemClock } from '../../../core/foundation/clock.ts'
import { readEvents, testGateway, type PublicEvent, type TestGateway } from '../../../core/testing/index.ts'
import conversations from '../../../plugins/endpoints/conversations/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import { countingTogether } from '../../kit/counting-together.ts'
import { scripted } from '../../kit/gateway.ts'
import { SharingGroup } from '../../kit/sharing-group.ts'
import { stop, text, usage } from '../../kit/stage.ts'
import { noPostgres, startPostgres } from './postgres-server.ts'
import { masterKey } from './sql.ts'

// Agents at work, each step through another of three gateways on one Postgres database.

const services = ['keys', 'accounts', 'responses', 'conversations', 'background', 'metrics', 'ledger', 'records'] as const

/** Says a word at a time, until the test ends it or the call is aborted. */
class Slow {
  #over = Promise.withResolvers<void>()
  isOver = false

  readonly generate = async function* (this: Slow, { signal }: ProviderCall): AsyncGenerator<GenerationEvent> {
    while (!this.isOver) {
      yield text('word ')
      await Promise.race([delay(20), this.#over.promise])
      if (signal.aborted) throw signal.reason
    }
    yield usage(3, 2)
    yield stop
  }

  end(): void {
    this.isOver = true
    this.#over.resolve()
  }

  begin(): void {
    this.isOver = false
    this.#over = Promise.withResolvers()
  }
}

t.test('agents work through any of three gateways', { skip: noPostgres, timeout: 120_000 }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const url = await server.createDatabase()
  const engine = new MemoryCoordination(systemClock)
  const group = new SharingGroup()
  const slow = new Slow()
  const start = async (): Promise<TestGateway> => {
    const under = await testGateway({
      settings: { logLevel: 'silent' },
      plugins: [
        sql({ url, services: [...services], maxConnections: 3 }),
        localSealer({ masterKey }),
        countingTogether(engine, group),
        responses({ background: { maxRunningPerKey: 2 } }),
        conversations({}),
        scripted('acme', call => slow.generate(call), { maxConcurrent: 2, maxQueued: 0 }),
      ],
    })
    t.teardown(() => under.stop())
    return under
  }
  const [one, two, three] = [await start(), await start(), await start()]
  const headers = { authorization: `Bearer ${one.apiKey}` }
  const ask = async (under: TestGateway, method: string, path: string, body?: object): Promise<Response> =>
    await under.request(`/v1${path}`, { method, headers, ...(body && { body }) })
  const json = async (under: TestGateway, method: string, path: string, body?: object): Promise<{ status: number; body: any }> => {
    const reply = await ask(under, method, path, body)
    return { status: reply.status, body: await reply.json() }
  }
  const hi = { model: 'acme/m', input: 'hi' }
  const statusOf = async (id: string): Promise<string> => (await json(two, 'GET', `/responses/${id}`)).body.status
  const until = async (id: string, isSo: (status: string) => boolean): Promise<void> => {
    while (!isSo(await statusOf(id))) await delay(20)
  }

  await t.test('status, stream and cancel of a background response', async t => {
    const created = await json(one, 'POST', '/responses', { ...hi, background: true })
    t.equal(created.status, 200)
    const path = `/responses/${created.body.id}`
    await until(created.body.id, status => status === 'in_progress')
    const following = eventsOf(await ask(three, 'GET', `${path}?stream=true`))
    t.match(await json(two, 'POST', `${path}/cancel`), { status: 200, body: { status: 'cancelled' } })
    const events = await following
    t.match(events.at(-1), { type: 'response.failed', response: { status: 'cancelled' } })
    t.same(
      events.map(event => event['sequence_number']),
      events.map((_, index) => index),
    )
    t.ok((await json(three, 'GET', path)).body.usage.output_tokens > 0, 'with what it cost')
  })

  await t.test('the background responses of a key, and the places at the provider, count in all of them', async t => {
    const created = [await json(one, 'POST', '/responses', { ...hi, background: true }), await json(two, 'POST', '/responses', { ...hi, background: true })] // prettier-ignore
    for (const { body } of created) await until(body.id, status => status === 'in_progress')
    const third = await json(three, 'POST', '/responses', { ...hi, background: true })
    t.match(third, { status: 429, body: { error: { message: /may have 2 background responses in progress at once/ } } })
    t.match(await json(three, 'POST', '/responses', hi), { status: 503, body: { error: { message: /"acme" is busy: 2 requests/ } } })
    slow.end()
    for (const { body } of created) await until(body.id, status => status === 'completed')
    t.equal((await json(three, 'POST', '/responses', hi)).status, 200)
    const next = await json(three, 'POST', '/responses', { ...hi, previous_response_id: created[0]!.body.id })
    t.equal(next.status, 200, 'a chain goes on anywhere')
  })

  await t.test('a conversation has one run at a time', async t => {
    slow.begin()
    const { id } = (await json(one, 'POST', '/conversations', {})).body
    const run = await json(one, 'POST', '/responses', { ...hi, conversation: id, background: true })
    await until(run.body.id, status => status === 'in_progress')
    const busy = await Promise.all([two, three].map(under => json(under, 'POST', '/responses', { ...hi, conversation: id })))
    for (const { status } of busy) t.equal(status, 409)
    await json(three, 'POST', `/responses/${run.body.id}/cancel`)
    slow.end()
    let after = await json(two, 'POST', '/responses', { ...hi, conversation: id })
    while (after.status === 409) {
      await delay(50)
      after = await json(two, 'POST', '/responses', { ...hi, conversation: id })
    }
    t.equal(after.status, 200)
    t.ok((await json(three, 'GET', `/conversations/${id}/items`)).body.data.length > 0)
  })
})

async function eventsOf(reply: Response): Promise<readonly PublicEvent[]> {
  return readEvents(await reply.text())
}
