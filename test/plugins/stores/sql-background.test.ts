import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { readEvents, type PublicEvent } from '../../../core/testing/index.ts'
import { config, Workplace, type TurnpikeProcess } from '../../kit/turnpike-process.ts'
import { noPostgres, startPostgres } from './postgres-server.ts'
import { masterKey } from './sql.ts'

// Background responses of processes that are killed, or stopped, as other processes on the same database see them.

const canary = 'canary-of-the-background'
/** Far longer than the test. */
const endless = JSON.stringify({ firstMs: 0, betweenMs: 200, pieces: 1_000 })

// They wait for leases to end.
t.jobs = 2

t.test('on one SQLite file', { timeout: 600_000 }, async t => await checkProcesses(t, {}))

t.test('on a Postgres server', { skip: noPostgres, timeout: 600_000 }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  await checkProcesses(t, { DATABASE_URL: await server.createDatabase() })
})

async function checkProcesses(t: Test, more: Readonly<Record<string, string>>): Promise<void> {
  const workplace = new Workplace(config("logLevel: 'warn', drainTimeoutMs: 300"))
  t.teardown(() => workplace.remove())
  const environment = { ...more, GATEWAY_MASTER_KEY: masterKey }
  const start = (): TurnpikeProcess => {
    const started = workplace.spawn(['start'], [], environment)
    t.teardown(() => started.signal('SIGKILL'))
    return started
  }
  const [one, other] = [start(), start()]
  const urls = [await one.url(), await other.url()] as const
  const key = (await workplace.spawn(['keys', 'create', '--logging'], [], environment).finished).stdout.trim()
  const ask = async (url: string, method: string, path: string, body?: object): Promise<Response> =>
    await fetch(`${url}/v1/responses${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify({ model: 'sandbox/slow', background: true, ...body }) }),
    })
  const json = async (url: string, method: string, path: string, body?: object): Promise<any> => (await ask(url, method, path, body)).json()
  const input = [{ role: 'user', content: `${canary} ${endless}` }]

  await t.test('both answer status, cancel and resume', async t => {
    const created = await json(urls[0], 'POST', '', { input })
    t.equal(created.status, 'queued')
    while ((await json(urls[1], 'GET', `/${created.id}`)).status === 'queued') await delay(20)
    const events = await eventsOf(await ask(urls[1], 'GET', `/${created.id}?stream=true`), 10)
    t.same(
      events.map(event => event['sequence_number']),
      events.map((_, index) => index),
    )
    t.equal((await json(urls[1], 'POST', `/${created.id}/cancel`)).status, 'cancelled')
    const rest = await eventsOf(await ask(urls[1], 'GET', `/${created.id}?stream=true&starting_after=9`))
    t.match(rest.at(-1), { type: 'response.failed', response: { status: 'cancelled' } })
    t.same(
      rest.map(event => event['sequence_number']),
      rest.map((_, index) => index + 10),
    )
    t.ok((await json(urls[0], 'GET', `/${created.id}`)).usage.output_tokens > 0)
  })

  await t.test('a process that is killed leaves no response in progress for ever', { timeout: 300_000 }, async t => {
    const created = await json(urls[0], 'POST', '', { input })
    const reply = await ask(urls[0], 'GET', `/${created.id}?stream=true`)
    const seen = await eventsOf(reply, 12)
    one.signal('SIGKILL')
    await one.finished
    const resumed = await eventsOf(await ask(urls[1], 'GET', `/${created.id}?stream=true&starting_after=${seen.length - 1}`))
    const all = [...seen, ...resumed]
    t.same(
      all.map(event => event['sequence_number']),
      all.map((_, index) => index),
    )
    t.match(all.at(-2), { type: 'error', code: 'server_error' })
    t.match(all.at(-1), { type: 'response.failed', response: { id: created.id, status: 'failed', error: { code: 'server_error' } } })
    t.match(await json(urls[1], 'GET', `/${created.id}`), { status: 'failed' })
  })

  await t.test('a process that is stopped ends its responses with an error', async t => {
    const created = await json(urls[1], 'POST', '', { input })
    await eventsOf(await ask(urls[1], 'GET', `/${created.id}?stream=true`), 5)
    other.signal('SIGTERM')
    t.equal((await other.finished).exitCode, 0)
    const url = await start().url()
    t.match(await json(url, 'GET', `/${created.id}`), {
      status: 'failed',
      error: { message: 'The gateway is shutting down. Try again.' },
    })
    const events = await eventsOf(await ask(url, 'GET', `/${created.id}?stream=true`))
    t.equal(events.at(-1)!.type, 'response.failed')
  })

  await t.test('nothing of it is readable in the files', { skip: 'DATABASE_URL' in more && 'the files are those of the server' }, t => {
    const folder = join(workplace.path, 'data')
    for (const name of readdirSync(folder)) t.notOk(readFileSync(join(folder, name)).includes(canary), name)
    t.end()
  })
}

/** All events of a stream, or the first ones. */
async function eventsOf(reply: Response, count = Infinity): Promise<readonly PublicEvent[]> {
  const events: PublicEvent[] = []
  let pending = ''
  const decoder = new TextDecoder()
  for await (const chunk of reply.body!) {
    pending += decoder.decode(chunk, { stream: true })
    const end = pending.lastIndexOf('\n\n') + 2
    if (end < 2) continue
    events.push(...readEvents(pending.slice(0, end)))
    pending = pending.slice(end)
    if (events.length >= count) break
  }
  return events.slice(0, count)
}
