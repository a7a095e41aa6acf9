import { join } from 'node:path'
import type { Kysely } from 'kysely'
import t, { type Test } from 'tap'
import { systemClock } from '../../../core/foundation/clock.ts'
import { EnvelopeSealer } from '../../../plugins/sealers/local/envelope.ts'
import { SqlAccounts } from '../../../plugins/stores/sql/accounts.ts'
import { DataKeys } from '../../../plugins/stores/sql/data-keys.ts'
import { SqlLedger } from '../../../plugins/stores/sql/ledger/ledger.ts'
import { LedgerProcess } from '../../../plugins/stores/sql/ledger/process.ts'
import { openPostgres } from '../../../plugins/stores/sql/postgres/open.ts'
import { SqlResponses } from '../../../plugins/stores/sql/responses.ts'
import { SealedParts } from '../../../plugins/stores/sql/sealed-parts.ts'
import { openSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import type { Tables } from '../../../plugins/stores/sql/tables.ts'
import { isLong } from '../../kit/long.ts'
import { config, Workplace, type TurnpikeProcess } from '../../kit/turnpike-process.ts'
import { workersOf } from '../../kit/workers-of.ts'
import { silent } from './databases.ts'
import { noPostgres, startPostgres } from './postgres-server.ts'
import { masterKey } from './sql.ts'

/** How often the gateway is killed. */
const crashes = isLong ? 20 : 3
const clients = 12
/** `RecordQueue` hands the sink this many at once. */
const recordsInBatch = 500

t.test('SIGKILL under load, on SQLite', { timeout: 600_000 }, async t => {
  const workplace = new Workplace(config("logLevel: 'warn'"))
  t.teardown(() => workplace.remove())
  await checkCrashes(t, workplace, {}, async () => (await openSqlite(join(workplace.path, 'data', 'turnpike.db'))).database)
})

t.test('SIGKILL of one of three workers under load, on SQLite', { timeout: 600_000, skip: process.platform !== 'linux' }, async t => {
  const workplace = new Workplace(config("logLevel: 'error', workers: 3, admin: false"))
  t.teardown(() => workplace.remove())
  await checkCrashes(t, workplace, {}, async () => (await openSqlite(join(workplace.path, 'data', 'turnpike.db'))).database, killWorker)
})

t.test('SIGKILL under load, on Postgres', { skip: noPostgres, timeout: 600_000 }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const url = await server.createDatabase()
  const workplace = new Workplace(config("logLevel: 'warn'"))
  t.teardown(() => workplace.remove())
  const environment = { DATABASE_URL: url }
  await checkCrashes(t, workplace, environment, async () => (await openPostgres({ url, maxConnections: 3 }, silent)).database)
})

/** `from`: how many answers were heard before this run of the gateway. */
interface Crash {
  /** Nothing survived. */
  readonly isWhole: boolean
  readonly from: number
  readonly killedAt: number
}

interface Heard {
  readonly id: string
  readonly requestId: string
  readonly previous: string | undefined
  readonly at: number
}

async function checkCrashes(
  t: Test,
  workplace: Workplace,
  more: Readonly<Record<string, string>>,
  open: () => Promise<Kysely<Tables>>,
  kill = killAll,
): Promise<void> {
  const environment = { ...more, GATEWAY_MASTER_KEY: masterKey }
  const created = await workplace.spawn(['keys', 'create', '--logging', '--spend-cap', '100'], [], environment).finished
  const key = created.stdout.trim()
  await giveCredit(await open())
  const heard: Heard[] = []
  const isWhole = kill === killAll
  for (let crash = 0; crash < (isWhole || isLong ? crashes : 1); crash++) {
    const gateway = workplace.spawn(['start'], [], environment)
    const url = await gateway.url()
    const before = heard.length
    const stopped = { now: false }
    const loads = Array.from({ length: clients }, () => load(url, key, heard, stopped))
    // Each time at another moment, once there is something to lose.
    await until(() => heard.length - before >= 20 + crash * 7, gateway)
    const killedAt = performance.now()
    kill(gateway)
    // Those that other workers serve go on for a moment.
    if (!isWhole) await until(() => heard.length - before >= 60 + crash * 7, gateway)
    stopped.now = true
    if (!isWhole) await Promise.all(loads).then(() => gateway.signal('SIGTERM'))
    await gateway.finished
    await Promise.all(loads)
    await checkDatabase(t, await open(), heard, { from: before, killedAt, isWhole })
  }

  const gateway = workplace.spawn(['start'], [], environment)
  const url = await gateway.url()
  const last = heard.slice(-25)
  const replies = await Promise.all(last.map(({ id }) => ask(url, key, id)))
  t.ok(
    replies.every(completed => completed !== undefined),
    'every response that a client heard of can be continued',
  )
  gateway.signal('SIGTERM')
  t.notMatch((await gateway.finished).stderr, /cannot be decrypted|cannot be opened/)
}

function killAll(gateway: TurnpikeProcess): void {
  gateway.signal('SIGKILL')
}

function killWorker({ pid }: TurnpikeProcess): void {
  const [worker] = workersOf(pid)
  process.kill(worker!, 'SIGKILL')
}

async function giveCredit(database: Kysely<Tables>): Promise<void> {
  const ledgerProcess = new LedgerProcess(database, systemClock, silent)
  const org = { level: 'org', org: 'default', id: 'default' } as const
  const accounts = new SqlAccounts(database, systemClock, { cacheTtlMs: 0, staleKeysMs: 0 })
  await accounts.add({ ...org, name: 'Default', policy: {}, createdAt: 1 })
  await accounts.update(org, { hasCredit: true })
  const ledger = new SqlLedger(database, systemClock, silent, ledgerProcess)
  await ledger.addCredit({ id: 'cred_1', org: 'default', at: 1, amountUsd: 50, note: 'Invoice 7', requestId: null })
  await database.destroy()
}

/** Asks one question after the other, each following the answer before, until the gateway is gone. */
async function load(url: string, key: string, heard: Heard[], stopped: { readonly now: boolean }): Promise<void> {
  let previous: string | undefined
  while (!stopped.now) {
    const completed = await ask(url, key, previous).catch(() => undefined)
    if (!completed) return
    heard.push({ ...completed, previous, at: performance.now() })
    previous = heard.length % 5 === 0 ? undefined : completed.id
  }
}

async function ask(url: string, key: string, previous: string | undefined): Promise<Pick<Heard, 'id' | 'requestId'> | undefined> {
  const reply = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sandbox/echo',
      input: 'Hello '.repeat(50),
      stream: true,
      max_output_tokens: 200,
      previous_response_id: previous,
    }),
  })
  let text = ''
  for await (const piece of reply.body!.pipeThrough(new TextDecoderStream())) {
    text += piece
    const [, event] = /^event: response\.completed\ndata: (.*)\n\n/m.exec(text) ?? []
    if (event) return { id: (JSON.parse(event) as { response: { id: string } }).response.id, requestId: reply.headers.get('x-request-id')! }
  }
  throw new Error(`${reply.status}: ${text}`)
}

async function checkDatabase(t: Test, database: Kysely<Tables>, heard: readonly Heard[], crash: Crash): Promise<void> {
  const sealer = new EnvelopeSealer({ source: 'test', isShared: true, current: Buffer.from(masterKey, 'hex') })
  const store = new SqlResponses(database, new SealedParts(new DataKeys(database, sealer, systemClock, silent, 90)), silent)
  const rows = await database.selectFrom('response').select(['owner', 'id']).execute()
  const bodies = await Promise.all(rows.map(({ owner, id }) => store.get(owner, id)))
  t.ok(
    bodies.every(body => body?.body['status'] === 'completed'),
    `none of ${rows.length} responses is half there`,
  )
  const stored = new Set(rows.map(({ id }) => id))
  t.strictSame(
    heard.filter(({ id }) => !stored.has(id)),
    [],
    'each of which a client heard is there',
  )
  for (const { id } of heard.slice(-10)) t.ok(await store.chain('default', id))

  // As if a minute had passed: no process is alive any more.
  await new LedgerProcess(database, systemClock, silent, { deadAfterMs: -1_000 }).sweep()
  const entries = await database.selectFrom('credit_entry').selectAll().execute()
  const credit = await database.selectFrom('credit').selectAll().executeTakeFirstOrThrow()
  t.equal(
    credit.balance,
    entries.reduce((sum, { amount }) => sum + amount, 0),
    'the balance is the sum of its entries',
  )
  t.equal(credit.reserved, 0)
  const spend = await database.selectFrom('spend').selectAll().executeTakeFirstOrThrow()
  t.equal(spend.spent, 50e9 - credit.balance, 'what the key spent is what the organization paid')
  t.equal(spend.reserved, 0)
  const paid = new Set(entries.map(({ request_id }) => request_id))
  t.strictSame(
    heard.filter(({ requestId }) => !paid.has(requestId)),
    [],
    'each of which a client heard is paid',
  )

  const records = new Set((await database.selectFrom('record').select('id').execute()).map(({ id }) => id))
  const run = heard.slice(crash.from)
  const lost = run.filter(({ requestId }) => !records.has(requestId))
  const keptLater = lost.length === 0 ? [] : run.slice(run.indexOf(lost[0]!)).filter(({ requestId }) => records.has(requestId))
  t.ok(lost.length <= recordsInBatch, `${lost.length} of the ${run.length} records of this run were lost`)
  if (crash.isWhole)
    t.ok(keptLater.length <= clients, `they are the last ones: ${keptLater.length} that were under way with them were kept`)
  if (lost.length > 0) t.comment(`the oldest of them was heard ${(crash.killedAt - lost[0]!.at).toFixed(0)} ms before the kill`)
  const uses = await database.selectFrom('key_use').selectAll().executeTakeFirst()
  const kept = await database
    .selectFrom('record')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('key_id', 'is not', null)
    .executeTakeFirstOrThrow()
  t.equal(uses?.requests ?? 0, Number(kept.count), 'sums agree with records')
  await database.destroy()
}

async function until(isTrue: () => boolean, gateway: TurnpikeProcess): Promise<void> {
  while (!isTrue()) {
    await Promise.race([
      new Promise(resolve => setTimeout(resolve, 5)),
      gateway.finished.then(({ stderr }) => Promise.reject(new Error(stderr))),
    ])
  }
}
