import { execFile } from 'node:child_process'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql as raw, type Kysely } from 'kysely'
import pg from 'pg'
import t, { type Test } from 'tap'
import { systemClock } from '../../../core/foundation/clock.ts'
import { testGateway } from '../../../core/testing/index.ts'
import responsesEndpoint from '../../../plugins/endpoints/responses/index.ts'
import sandbox from '../../../plugins/providers/sandbox/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import { connectPostgres } from '../../../plugins/stores/sql/postgres/open.ts'
import type { Tables } from '../../../plugins/stores/sql/tables.ts'
import { Workplace } from '../../kit/turnpike-process.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { silent } from './databases.ts'
import { keyStoreSuite } from '../../../core/testing/index.ts'
import { leanKey } from '../../../core/testing/stores/key-store-suite.ts'
import { noPostgres, startPostgres, type PostgresServer } from './postgres-server.ts'
import { response } from '../../../core/testing/stores/response-store-suite.ts'
import { masterKey, openSql } from './sql.ts'

const file = '/dev/null/not-used.db'
const password = 'open-sesame-secret'

async function rows(url: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

async function refusalOf(url: string, sealer: Parameters<typeof localSealer>[0] = { masterKey }): Promise<string> {
  try {
    await (await openSql(file, { url }, systemClock, sealer)).stop()
    return 'none'
  } catch (error) {
    return (error as Error).message
  }
}

t.test('a server', { skip: noPostgres }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  checkServer(t, server)
})

function checkServer(t: Test, server: PostgresServer): void {
  void t.test('several gateways start on an empty database at once, and see one another', async t => {
    const url = await server.createDatabase()
    const gateways = await Promise.all(Array.from({ length: 4 }, () => openSql(file, { url })))
    t.teardown(() => Promise.all(gateways.map(({ stop }) => stop())))
    const [one, two] = gateways as [(typeof gateways)[number], (typeof gateways)[number]]
    await one.keys.add(leanKey)
    t.strictSame(await two.keys.find('lean'), leanKey)
    await one.responses.put('ada', response('a'))
    await two.responses.put('ada', response('b', 'a'))
    t.equal((await one.responses.chain('ada', 'b'))?.length, 2)
    await t.rejects(Promise.resolve(two.keys.add(leanKey)), /duplicate key/)
  })

  void t.test('two gateways pass the suite of key stores', async t =>
    keyStoreSuite(t, {
      async open() {
        const url = await server.createDatabase()
        const clock = new FakeClock()
        const gateways = [await openSql(file, { url }, clock), await openSql(file, { url }, clock)] as const
        return {
          keys: gateways[0].keys,
          other: gateways[1].keys,
          pass: milliseconds => clock.pass(milliseconds),
          close: async () => void (await Promise.all(gateways.map(({ stop }) => stop()))),
        }
      },
    }),
  )

  void t.test('a key is looked up while all other connections are busy', async t => {
    const url = await server.createDatabase()
    const clock = new FakeClock()
    const { keys, responses, stop } = await openSql(file, { url, maxConnections: 1 }, clock)
    t.teardown(stop)
    await keys.add(leanKey)
    await keys.find('lean')
    await rows(url, 'update api_key set disabled = 1')
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    t.teardown(() => other.end())
    await other.query('begin; lock table response')
    const put = responses.put('ada', response('a'))
    clock.pass(1_001)
    t.match(await keys.find('lean'), { disabled: true })
    await other.query('rollback')
    await put
  })

  void t.test('the master key must be one that gateways can share, and the same for all', async t => {
    const url = await server.createDatabase()
    t.match(
      await refusalOf(url, { keyFile: `${t.testdirName}/master.key` }),
      /must not be in the key file .*GATEWAY_MASTER_KEY.*openssl rand/,
    )
    t.strictSame(await rows(url, "select * from pg_tables where schemaname = 'public'"), [], 'and nothing was created')
    await (await openSql(file, { url })).stop()
    t.match(
      await refusalOf(url, { masterKey: 'cd'.repeat(32) }),
      /^plugin sql failed to set up: The database turnpike_\d+ at 127\.0\.0\.1:\d+ was created with a master key/,
    )
  })

  void t.test('an unusable URL gets an error that says why, and never shows the password', async t => {
    const url = await server.createDatabase()
    const missing = url.replace(/turnpike_\d+$/, 'nowhere')
    t.match(
      await refusalOf(missing),
      /database nowhere at 127\.0\.0\.1:\d+ cannot be used: database "nowhere" does not exist\. Create it with createdb/,
    )
    t.match(
      await refusalOf(url.replace('gateway:', 'nobody:')),
      /role "nobody" does not exist\. Correct user and password in the option url/,
    )
    t.match(await refusalOf('postgres://gateway:%@127.0.0.1/x'), /needs a valid URL in url/)
    t.match(await refusalOf('mysql://root:open-sesame-secret@127.0.0.1/x'), /plugin sql has bad options: .*url/)
    for (const each of [missing, url.replace('gateway:', 'nobody:'), 'mysql://root:open-sesame-secret@127.0.0.1/x'])
      t.notMatch(await refusalOf(each), password)
    const silentPort = await unusedPort()
    t.match(await refusalOf(`postgres://gateway:${password}@127.0.0.1:${silentPort}/x`), /ECONNREFUSED.* Make sure that the server runs/)
    await rows(url, 'create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)')
    await rows(url, "insert into kysely_migration values ('9999-later', '2030-01-01T00:00:00.000Z')")
    t.match(await refusalOf(url), /A newer version of the gateway has used it/)
  })

  void t.test('turnpike check changes nothing, and turnpike migrate brings the tables up to date', async t => {
    const url = await server.createDatabase()
    const workplace = new Workplace(`
      import { defineConfig, defaults } from 'turnpike/config'
      export default defineConfig({ server: { port: 0, drainAnnounceMs: 0 }, plugins: defaults({ without: ['ollama'] }) })`)
    t.teardown(() => workplace.remove())
    const environment = { DATABASE_URL: url, GATEWAY_MASTER_KEY: masterKey }
    const run = async (command: string) => await workplace.spawn([command], [], environment).finished
    const checked = await run('check')
    t.equal(checked.exitCode, 0, checked.stderr)
    t.strictSame(await rows(url, "select * from pg_tables where schemaname = 'public'"), [])
    const first = await run('migrate')
    t.match(first.stdout, /^sql: 0001-api-keys, 0002-/)
    t.equal((await run('migrate')).stdout, 'sql: up to date\n')
    t.strictSame(await rows(url, 'select * from master_key_check'), [], 'the master key is not needed')
    t.equal((await run('check')).exitCode, 0)
    t.strictSame(await rows(url, 'select * from master_key_check'), [])
  })

  void t.test('a connection that breaks while it is in use fails what uses it, and nothing else', async t => {
    const url = await server.createDatabase()
    const database = await connectPostgres({ url, maxConnections: 1 }, silent)
    t.teardown(() => database.destroy())
    const pidOf = async (connection: Kysely<Tables>): Promise<number | undefined> =>
      (await raw<{ readonly pid: number }>`select pg_backend_pid() as pid`.execute(connection)).rows[0]?.pid
    let broken: number | undefined
    await t.rejects(
      database.transaction().execute(async transaction => {
        broken = await pidOf(transaction)
        await rows(url, `select pg_terminate_backend(${broken})`)
        while ((await rows(url, `select 1 from pg_stat_activity where pid = ${broken}`)).length > 0) await setTimeout(10)
        await pidOf(transaction)
      }),
    )
    t.not(await pidOf(database), broken, 'the next one opens another')
  })

  void t.test('a gateway survives a restart of the server', async t => {
    const url = await server.createDatabase()
    const under = await testGateway({
      plugins: [
        memory({ services: ['metrics', 'limits', 'ledger'] }),
        sql({ url, services: ['keys', 'responses'] }),
        localSealer({ masterKey }),
        responsesEndpoint({}),
        sandbox({}),
      ],
    })
    t.teardown(under.stop)
    const ask = async (): Promise<{ status: number; store: boolean | undefined }> => {
      const reply = await under.request('/v1/responses', { body: { model: 'sandbox/echo', input: 'Hello' } })
      return { status: reply.status, store: ((await reply.json()) as { store?: boolean }).store }
    }
    t.strictSame(await ask(), { status: 200, store: true })
    await server.kill()
    t.equal((await ask()).store, false, 'the answer goes out, and says that it is not stored')
    await server.restart()
    t.strictSame(await ask(), { status: 200, store: true })
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    await other.query('begin; lock table response')
    const interrupted = ask()
    const terminated = `select pg_terminate_backend(pid) from pg_locks where relation = 'response'::regclass and not granted`
    while ((await other.query(terminated)).rowCount === 0) await setTimeout(10)
    t.strictSame(await interrupted, { status: 200, store: false }, 'a connection that is lost while it is in use')
    await other.end()
    t.strictSame(await ask(), { status: 200, store: true })
    t.notMatch(under.logs.join('\n'), password)
  })
}

t.test('without the package pg, the error names it', async t => {
  const program = `
    import { registerHooks } from 'node:module'
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier === 'pg') throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' })
        return next(specifier, context)
      },
    })
    const { openSql } = await import('./test/plugins/stores/sql.ts')
    await openSql('x', { url: 'postgres://127.0.0.1/x' }).catch(error => console.log(error.message))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=turnpike-source', '--input-type=module', '-e', program])
  t.match(stdout, 'needs the package pg for Postgres. Install it: npm install pg')
})

async function unusedPort(): Promise<number> {
  const listener = createServer()
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  await new Promise(resolve => listener.close(resolve))
  return port
}
