import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import t, { type Test } from 'tap'
import { testGateway } from '../../../core/testing/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import { ask, stop, text, witness } from '../../kit/stage.ts'
import { Workplace } from '../../kit/turnpike-process.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { noPostgres, startPostgres } from './postgres-server.ts'
import { lock, masterKey } from './sql.ts'

// A key is disabled by the command line while thirty callers of another gateway get, log and store large answers. From then on, a transaction
// of another program holds up all that is written, so a look-up that waited behind it would show.

const callers = 30
const piece = 'x'.repeat(256 * 1024)
const piecesPerAnswer = 6

interface Database {
  readonly options: Parameters<typeof sql>[0]
  readonly environment: Readonly<Record<string, string>>
  /** Lets everybody read, and nobody write. */
  lock(): Promise<void>
  unlock(): Promise<void>
}

t.test('SQLite', { timeout: 600_000 }, async t => {
  await checkRevocation(t, file => {
    let other: DatabaseSync | undefined
    return {
      options: { file },
      environment: {},
      lock: async () => {
        other = new DatabaseSync(file)
        await lock(other)
      },
      unlock: async () => other!.close(),
    }
  })
})

t.test('Postgres', { skip: noPostgres, timeout: 600_000 }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const url = await server.createDatabase()
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  t.teardown(() => other.end())
  await checkRevocation(t, () => ({
    options: { url, maxConnections: 1 },
    environment: { DATABASE_URL: url },
    lock: async () => void (await other.query('begin; lock table response, record, api_key in share row exclusive mode')),
    unlock: async () => void (await other.query('rollback')),
  }))
})

async function checkRevocation(t: Test, databaseAt: (file: string) => Database): Promise<void> {
  const workplace = new Workplace(`
    import { defineConfig, defaults } from 'turnpike/config'
    export default defineConfig({ server: { port: 0, drainAnnounceMs: 0 }, plugins: defaults({ without: ['ollama'] }) })`)
  t.teardown(() => workplace.remove())
  const { options, environment, lock, unlock } = databaseAt(`${workplace.path}/data/turnpike.db`)
  const clock = new FakeClock()
  let said = 0
  const allSaid = Promise.withResolvers<void>()
  const { plugin } = witness('acme', function* () {
    for (let index = 0; index < piecesPerAnswer; index++) yield text(piece)
    yield stop
    if (++said === 2 * callers) allSaid.resolve()
  })
  const stores = [memory({ services: ['metrics', 'limits', 'ledger'] }), sql(options), localSealer({ masterKey })]
  const under = await testGateway({ plugins: [...stores, responses({}), plugin], clock })
  t.teardown(under.stop)
  const revoked = await under.gateway.issueKey({ name: 'revoked' })
  const statuses = async (count: number): Promise<readonly number[]> => {
    const headers = { authorization: `Bearer ${revoked}` }
    const replies = await Promise.all(Array.from({ length: count }, () => under.request('/v1/responses', { headers, body: {} })))
    return [...new Set(replies.map(({ status }) => status))]
  }
  const load = (): Promise<readonly number[]> =>
    Promise.all(Array.from({ length: callers }, async () => (await ask(under, { model: 'acme/m' })).status))

  t.same(await statuses(1), [400], 'it is accepted: only the body is bad')
  const first = load()
  const disable = workplace.spawn(['keys', 'disable', 'revoked'], [], { ...environment, GATEWAY_MASTER_KEY: masterKey })
  t.equal((await disable.finished).exitCode, 0)
  await first
  await lock()
  const second = load()
  await allSaid.promise
  const third = under.gateway.issueKey({ name: 'late' })
  t.same(await statuses(10), [400], 'the key is in memory')
  clock.pass(1_001)
  t.same(await statuses(100), [401], 'a second later, it is refused')
  await unlock()
  await third
  t.same(new Set([...(await first), ...(await second)]), new Set([200]))
}
