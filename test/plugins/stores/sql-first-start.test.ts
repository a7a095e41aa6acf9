import t, { type Test } from 'tap'
import { config, Workplace } from '../../kit/turnpike-process.ts'
import { noPostgres, startPostgres } from './postgres-server.ts'
import { masterKey } from './sql.ts'

// Gateways that start at the same time on an empty database: everything they print works at each of them.

const gateways = 3

t.test('SQLite, with a master key that the first one makes', { timeout: 600_000 }, async t => await checkStarts(t, {}))

t.test('Postgres', { skip: noPostgres, timeout: 600_000 }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  await checkStarts(t, { DATABASE_URL: await server.createDatabase(), GATEWAY_MASTER_KEY: masterKey })
})

async function checkStarts(t: Test, environment: Readonly<Record<string, string>>): Promise<void> {
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  const running = Array.from({ length: gateways }, () => workplace.spawn(['start'], [], environment))
  t.teardown(() => Promise.all(running.map(({ finished }) => finished)))
  t.teardown(() => running.forEach(each => each.signal('SIGTERM')))
  const urls = await Promise.all(running.map(async each => await each.url()))
  const adminUrls = await Promise.all(running.map(async each => (await each.says(/The admin API is on (http:\S+)/))[1]!))
  const printed = running.map(({ stdout }) => stdout).join('')
  const keys = printed.match(/^ {2}tp_\w+$/gm) ?? []
  const tokens = printed.match(/^ {2}ta_\w+$/gm) ?? []
  t.comment(`${keys.length} keys and ${tokens.length} admin tokens were printed`)
  t.ok(keys.length > 0 && tokens.length > 0)
  const status = async (url: string, secret: string): Promise<number> => {
    const reply = await fetch(url, { headers: { authorization: `Bearer ${secret.trim()}` } })
    await reply.arrayBuffer()
    return reply.status
  }
  for (const url of urls) for (const key of keys) t.equal(await status(`${url}/v1/models`, key), 200)
  for (const url of adminUrls) for (const token of tokens) t.equal(await status(`${url}/admin/v1/keys`, token), 200)
}
