import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { run, write } from '../stores/sql.ts'
import { noPostgres, startPostgres } from '../stores/postgres-server.ts'
import { webhookGateway, type WebhookGateway } from './webhook-gateway.ts'
import { alertOf, receiver } from './webhook-stage.ts'

/** As if so much time had passed. */
async function pass(file: string, milliseconds: number): Promise<void> {
  await write(file, 'update alert_message set due_at = due_at - ?, since = since - ?', milliseconds, milliseconds)
}

async function open(t: Test, place: Parameters<typeof webhookGateway>[0], url: string): Promise<WebhookGateway> {
  const opened = await webhookGateway(place, url)
  t.teardown(() => opened.gateway.stop())
  return opened
}

t.test('after kill -9 between two tries, another process sends the message with the same id', { timeout: 120_000 }, async t => {
  const { url, until, got } = await receiver(t, () => {}, 204)
  const file = join(t.testdir({}), 'turnpike.db')
  const child = fork(fileURLToPath(import.meta.resolve('./webhook-dying.ts')), [file, url], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  t.teardown(() => void child.kill('SIGKILL'))
  await until(1)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const { tell } = await open(t, { file }, url)
  await tell(alertOf('later'))
  await until(2)
  t.same(
    got.map(({ body }) => body.data.id),
    ['demo', 'later'],
    'the dead process has the message for a while',
  )
  await pass(file, 30_000)
  await tell(alertOf('last'))
  await until(4)
  const [first, ...others] = got.filter(({ body }) => body.data.id === 'demo')
  t.same(
    others.map(({ headers }) => headers['webhook-id']),
    [first!.headers['webhook-id']],
  )
  while (run(file, "select id from alert_message where state = 'waiting'").length > 0) await setTimeout(10)
  t.same(
    run(file, 'select state, tries from alert_message where alert_id = ?', 'demo').map(row => ({ ...row })),
    [{ state: 'delivered', tries: 2 }],
  )
})

t.test('a try that failed is made again after a restart', { timeout: 120_000 }, async t => {
  const { url, until, got } = await receiver(t, 500, 204)
  const file = join(t.testdir({}), 'turnpike.db')
  const first = await webhookGateway({ file }, url)
  await first.tell(alertOf('demo'))
  await until(1)
  await first.gateway.stop()
  await pass(file, 10_000)
  const { tell } = await open(t, { file }, url)
  await tell(alertOf('later'))
  await until(3)
  t.equal(new Set(got.filter(({ body }) => body.data.id === 'demo').map(({ headers }) => headers['webhook-id'])).size, 1)
})

t.test('two gateways on one SQLite file send each message once', { timeout: 120_000 }, async t => {
  await sentOnce(t, { file: join(t.testdir({}), 'turnpike.db') })
})

t.test('two gateways on one Postgres server send each message once', { skip: noPostgres, timeout: 120_000 }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  await sentOnce(t, { url: await server.createDatabase() })
})

async function sentOnce(t: Test, place: Parameters<typeof webhookGateway>[0]): Promise<void> {
  const { url, until, got } = await receiver(t, response => void globalThis.setTimeout(() => response.writeHead(204).end(), 20))
  const [one, other] = [await open(t, place, url), await open(t, place, url)]
  const alerts = Array.from({ length: 30 }, (_, index) => alertOf(`a${index}`, { org: null }))
  await Promise.all(
    alerts.map(async (alert, index) => {
      const [teller, repeater] = index % 2 ? [one, other] : [other, one]
      await teller.tell(alert)
      await repeater.deliver(alert)
    }),
  )
  await until(20)
  await setTimeout(300)
  t.equal(got.length, 20, 'they keep the limit together')
  t.equal(new Set(got.map(({ headers }) => headers['webhook-id'])).size, 20)
}
