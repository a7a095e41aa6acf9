import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { CompiledQuery, type Kysely } from 'kysely'
import t, { type Test } from 'tap'
import { systemClock } from '../../../core/foundation/clock.ts'
import type { Ledger } from '../../../core/stores.ts'
import { DatabaseClock } from '../../../plugins/stores/sql/database-clock.ts'
import { SqlLedger } from '../../../plugins/stores/sql/ledger/ledger.ts'
import { LedgerProcess } from '../../../plugins/stores/sql/ledger/process.ts'
import { openPostgres } from '../../../plugins/stores/sql/postgres/open.ts'
import { openSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import { unlessStandstill } from '../../../plugins/stores/sql/standstill.ts'
import type { Tables } from '../../../plugins/stores/sql/tables.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { onEveryDatabase, silent } from './databases.ts'
import { capped, exactly, held, isHold } from '../../../core/testing/stores/ledger-suite.ts'
import { noPostgres, startPostgres } from './postgres-server.ts'
import { fileOf, lock } from './sql.ts'

function ledgerOn(database: Kysely<Tables>, clock = new FakeClock()): { ledger: Ledger; process: LedgerProcess; clock: FakeClock } {
  const process = new LedgerProcess(database, clock, silent)
  return { ledger: new SqlLedger(database, clock, silent, process), process, clock }
}

/** A ledger with a hold of $0.25, and another process's connection to its file. */
async function besideAnother(t: Test) {
  const file = fileOf(t)
  const { database } = await openSqlite(file)
  t.teardown(() => database.destroy())
  const { ledger } = ledgerOn(database)
  const other = new DatabaseSync(file)
  t.teardown(() => other.close())
  return { database, ledger, other, before: await held(ledger, capped, 0.25) }
}

interface Gateway {
  readonly ledger: SqlLedger
  readonly process: LedgerProcess
}

/** A ledger as a gateway on a machine with this clock has it. */
async function gatewayOn(t: Test, database: Kysely<Tables>, machine: FakeClock): Promise<Gateway> {
  const clock = new DatabaseClock(database, machine, silent)
  await clock.read()
  const process = new LedgerProcess(database, clock, silent, { machine })
  t.teardown(() => process.stop())
  return { ledger: new SqlLedger(database, clock, silent, process), process }
}

/** No process has given a sign of life for a minute, by the clock of the database. */
async function lookDead(database: Kysely<Tables>): Promise<void> {
  await database
    .updateTable('ledger_process')
    .set(({ eb }) => ({ seen_at: eb('seen_at', '-', 61_000) }))
    .execute()
}

const prepaid = { caps: capped.caps, creditOf: 'example' }

onEveryDatabase(t, (t, open) => {
  void t.test('the holds of a process that died are given back, once', async t => {
    const database = await open(t)
    const clock = new FakeClock()
    const [dead, alive] = [ledgerOn(database, clock), ledgerOn(database, clock)]
    await alive.ledger.addCredit({ id: 'cred_1', org: 'example', at: clock.now(), amountUsd: 1, note: null, requestId: null })
    const late = await held(dead.ledger, prepaid, 0.4)
    await held(dead.ledger, prepaid, 0.5)
    t.equal(await alive.process.sweep(), 0, 'it may be alive')
    t.notOk(isHold(await alive.ledger.reserve('req_2', prepaid, exactly(0.2))))
    await lookDead(database)
    t.strictSame(await Promise.all([alive.process.sweep(), alive.process.sweep()]).then(([a, b]) => Math.max(a, b)), 2)
    t.equal(await alive.process.sweep(), 0)
    const all = await held(alive.ledger, prepaid, 1)
    await all.release()
    await late.settle(0.3)
    t.equal(await alive.ledger.balance('example'), 0.7, 'it was only slow, and is charged')
    t.same(await alive.ledger.spent(capped.caps), [0.3])
    await late.settle(0.3)
    t.equal(await alive.ledger.balance('example'), 0.7, 'once')
    t.strictSame(await database.selectFrom('credit_hold').select('id').where('expired_at', 'is', null).execute(), [])
  })

  void t.test('gateways whose clocks are years apart share one cap, one period and one order of entries', async t => {
    const database = await open(t)
    const machines = [new FakeClock(0), new FakeClock(Date.now()), new FakeClock(Date.UTC(2040, 0))] as const
    const early = await gatewayOn(t, database, machines[0])
    const right = await gatewayOn(t, database, machines[1])
    const late = await gatewayOn(t, database, machines[2])
    const monthly = { caps: [{ ...capped.caps[0]!, period: 'month' as const }], creditOf: 'example' }
    await late.ledger.addCredit({ id: 'cred_1', org: 'example', at: late.ledger.now(), amountUsd: 5, note: null, requestId: null })
    const holds = [await held(early.ledger, monthly, 0.3), await held(right.ledger, monthly, 0.3), await held(late.ledger, monthly, 0.3)]
    t.notOk(isHold(await early.ledger.reserve('req_2', monthly, exactly(0.2))))
    t.same([await early.ledger.held(monthly.caps), await late.ledger.heldCredit('example')], [[0.9], 0.9])
    for (const each of [late, early, right]) t.equal(await each.process.sweep(), 0, 'no clock of a gateway gives back what another holds')
    for (const machine of machines) machine.pass(60_000)
    for (const hold of holds) await hold.settle(0.3)
    for (const { ledger } of [early, right, late]) t.same(await ledger.spent(monthly.caps), [0.9])
    const entries = await right.ledger.entries('example', { limit: 10 })
    t.equal(entries.at(-1)!.id, 'cred_1', 'the oldest')
    t.ok(entries.every(({ at }) => Math.abs(at - Date.now()) < 600_000))
  })

  void t.test('a gateway that stood still finds out whether its holds were given away before it goes on', async t => {
    const database = await open(t)
    const machine = new FakeClock()
    const [stopped, other] = [await gatewayOn(t, database, machine), await gatewayOn(t, database, new FakeClock())]
    let lost = 0
    const hold = await held(stopped.ledger, capped, 0.6)
    hold.onLost!(() => lost++)
    t.equal(hold.isSure, true)
    machine.pass(120_000)
    t.equal(hold.isSure, false)
    t.equal(await hold.confirm!(), true, 'nobody gave it away')
    t.same([hold.isSure, lost], [true, 0])

    await lookDead(database)
    t.equal(await other.process.sweep(), 1)
    machine.pass(120_000)
    t.equal(hold.isSure, false)
    t.equal(await hold.confirm!(), false)
    t.same([hold.isSure, lost], [false, 1], 'its answer ends')
    t.notSame(await hold.extend({ atLeast: 0, atMost: 0.1 }), true)
    const others = await held(other.ledger, capped, 0.9)
    await hold.settle(0.2)
    t.same([await other.ledger.spent(capped.caps), await other.ledger.held(capped.caps)], [[0.2], [0.9]], 'it is charged')
    await others.release()

    const next = await held(stopped.ledger, capped, 0.5)
    t.equal(next.isSure, true, 'the gateway goes on')
    t.equal(await other.process.sweep(), 0)
    await next.release()
  })

  void t.test('a gateway that stood still holds nothing under a lease that has ended', async t => {
    const database = await open(t)
    const machine = new FakeClock()
    const [stopped, other] = [await gatewayOn(t, database, machine), await gatewayOn(t, database, new FakeClock())]
    await (await held(stopped.ledger, capped, 0.1)).release()
    await lookDead(database)
    await other.process.sweep()
    machine.pass(120_000)
    const hold = await held(stopped.ledger, capped, 0.5)
    t.equal(await other.process.sweep(), 0, 'it has entered anew')
    t.same(await other.ledger.held(capped.caps), [0.5])
    await hold.release()
  })

  void t.test('a gateway that is cut off from the database ends its answers while the holds are still there', async t => {
    const database = await open(t)
    const machine = new FakeClock()
    let isCut = false
    const cutOff = new Proxy(database, {
      get(target, name) {
        if (isCut && name === 'updateTable') {
          machine.pass(2_000)
          throw Object.assign(new Error('no route to the database'), { code: 'EHOSTUNREACH' })
        }
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const cut = await gatewayOn(t, cutOff, machine)
    let lostAt: number | undefined
    const hold = await held(cut.ledger, capped, 0.6)
    hold.onLost!(() => (lostAt = machine.elapsed()))
    const heldAt = machine.elapsed()
    isCut = true
    machine.pass(44_000)
    t.equal(hold.isSure, true)
    machine.pass(1_000)
    t.equal(hold.isSure, false)
    t.equal(await hold.confirm!(), false)
    t.ok(lostAt! - heldAt < 60_000, `after ${lostAt! - heldAt} ms`)
    isCut = false
    t.equal(await hold.confirm!(), true, 'back in time, it keeps what is still to be settled')
    await hold.settle(0.25)
    t.same(await cut.ledger.spent(capped.caps), [0.25])
  })

  void t.test('a balance is the sum of its entries, whatever happens at once', async t => {
    const database = await open(t)
    const { ledger } = ledgerOn(database)
    const add = async (id: string): Promise<unknown> =>
      await ledger.addCredit({ id, org: 'example', at: 1, amountUsd: 0.1, note: null, requestId: null })
    await Promise.all(Array.from({ length: 60 }, (_, index) => add(`cred_${index % 20}`)))
    const spending = { caps: [], creditOf: 'example' }
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const hold = await ledger.reserve(`req_${index}`, spending, { atLeast: 0, atMost: 0.01 })
        if (!isHold(hold)) return
        if (index % 3 === 0) await hold.release()
        else await hold.settle(index / 1e4)
      }),
    )
    const { sum } = await database
      .selectFrom('credit_entry')
      .select(({ fn }) => fn.sum('amount').as('sum'))
      .executeTakeFirstOrThrow()
    const row = await database.selectFrom('credit').selectAll().executeTakeFirstOrThrow()
    t.equal(Number(sum), row.balance)
    t.equal(row.reserved, 0)
  })

  void t.test('an invalid amount of money is refused and does not affect other requests', async t => {
    const { ledger } = ledgerOn(await open(t))
    const [bad, good] = await Promise.allSettled([
      Promise.resolve(ledger.reserve('req_1', capped, { atLeast: -1, atMost: 1 })),
      Promise.resolve(ledger.reserve('req_2', capped, exactly(0.5))),
    ])
    t.match(bad, { status: 'rejected', reason: /0 or more/ })
    t.ok(good.status === 'fulfilled' && isHold(good.value))
    const vast = { caps: [{ ...capped.caps[0]!, account: 'key:vast', capUsd: 1e12 }] }
    t.ok(isHold(await ledger.reserve('req_3', vast, exactly(1))), 'a cap may be as large as it likes')
  })
})

t.test('while another process has locked the file, no request waits for long, and nothing stays reserved', async t => {
  const { database, ledger, other, before } = await besideAnother(t)
  for (const isFirst of [true, false]) {
    const fresh = isFirst ? ledgerOn(database).ledger : ledger
    await lock(other)
    const settled = isFirst ? undefined : before.settle(0.25)
    const refused = await Promise.allSettled(Array.from({ length: 300 }, () => fresh.reserve('req_1', capped, exactly(0.1))))
    for (const { status, reason } of refused as PromiseRejectedResult[])
      t.match([status, String(reason)], ['rejected', /has not answered for 2000 ms/])
    await t.rejects(Promise.resolve(fresh.reserve('req_1', capped, exactly(0.1))), /2000 ms/, 'the next one at once')
    other.exec('rollback')
    await settled
  }
  t.same(await ledger.spent(capped.caps), [0.25])
  const rest = await held(ledger, capped, 0.75)
  await rest.release()
  t.strictSame(await database.selectFrom('credit_hold').select('id').execute(), [])
})

t.test('while another process has locked the file for a moment, requests wait, and answers under way wait longer', async t => {
  const { database, ledger, other, before } = await besideAnother(t)
  for (const isLong of [false, true]) {
    await lock(other)
    const extended = Promise.resolve(before.extend(exactly(0.1)))
    const reserved = Promise.allSettled(Array.from({ length: 3 }, async () => await held(ledger, capped, 0.1)))
    // Other timers of the same length keep the time of the ledger, however busy the machine is.
    if (isLong) await reserved
    else await t.rejects(unlessStandstill(Promise.race([extended, reserved])), /500 ms/)
    other.exec('rollback')
    t.equal(await extended, true)
    for (const each of await reserved)
      if (each.status === 'fulfilled') await each.value.release()
      else t.ok(isLong, String(each.reason))
  }
  await before.settle(0.45)
  t.same(await ledger.spent(capped.caps), [0.45])
  const rest = await held(ledger, capped, 0.55)
  await rest.release()
  t.strictSame(await database.selectFrom('credit_hold').select('id').execute(), [])
})

t.test('no answer waits for ever to go on', async t => {
  const { ledger, other, before } = await besideAnother(t)
  await lock(other)
  // Which of the two gives up first after the same time is chance.
  await t.rejects(Promise.resolve(before.extend(exactly(0.1))), /has not answered for 5000 ms|locked/)
  other.exec('rollback')
  await before.release()
  const rest = await held(ledger, capped, 1)
  await rest.release()
})

/** 500 requests of two processes on one cap and one balance. */
async function checkTwoProcesses(t: Test, place: string, database: Kysely<Tables>): Promise<void> {
  const { ledger } = ledgerOn(database)
  await ledger.addCredit({ id: 'cred_1', org: 'example', at: 1, amountUsd: 0.8, note: null, requestId: null })
  const program = join(import.meta.dirname, 'sql-ledger-process.ts')
  const run = async (): Promise<number> => {
    const { stdout } = await promisify(execFile)(execPath, ['--conditions=turnpike-source', program, place, '250', '0.01'])
    return Number(stdout)
  }
  const held = await Promise.all([run(), run()])
  t.equal(held[0]! + held[1]!, 80, 'as many as the balance pays for, and no more')
  t.equal(await ledger.balance('example'), 0)
  t.same(await ledger.spent(capped.caps), [0.8])
  t.strictSame(await database.selectFrom('credit_hold').selectAll().execute(), [])
}

t.test('two processes share caps and balances in SQLite', async t => {
  const file = fileOf(t)
  const { database } = await openSqlite(file)
  t.teardown(() => database.destroy())
  await checkTwoProcesses(t, file, database)
})

t.test('the next process on a file gives back what a killed one held, unless another is alive', async t => {
  const program = join(import.meta.dirname, 'sql-ledger-hold.ts')
  const file = fileOf(t)
  const swept = async (): Promise<number> => {
    const { database } = await openSqlite(file)
    const count = await new LedgerProcess(database, systemClock, silent).sweep()
    await database.destroy()
    return count
  }
  const holding = async () => {
    const child = spawn(execPath, ['--conditions=turnpike-source', program, file], { stdio: ['ignore', 'pipe', 'inherit'] })
    t.teardown(() => child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    return child
  }
  const kill = async (child: Awaited<ReturnType<typeof holding>>): Promise<void> => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const [first, second] = [await holding(), await holding()]
  t.equal(await swept(), 0, 'both live')
  await kill(first)
  t.equal(await swept(), 0, 'the other one may have held it')
  await kill(second)
  t.equal(await swept(), 2)
  t.equal(await swept(), 0)
})

t.test('two processes share caps and balances in Postgres', { skip: noPostgres }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const url = await server.createDatabase()
  const { database } = await openPostgres({ url, maxConnections: 4 }, silent)
  await checkTwoProcesses(t, url, database)

  const { rows } = await database.executeQuery(CompiledQuery.raw('show idle_in_transaction_session_timeout'))
  t.same(rows, [{ idle_in_transaction_session_timeout: '10s' }], 'a process that stands still keeps no row locked')

  const hold = await held(ledgerOn(database).ledger, { caps: [{ ...capped.caps[0]!, account: 'key:restart' }] }, 0.5)
  await server.kill()
  const settled = Promise.resolve(hold.settle(0.25))
  await server.restart()
  await settled
  const spent = async (): Promise<number> => (await ledgerOn(database).ledger.spent([{ account: 'key:restart' }]))[0]!
  // An answer does not wait longer than 5 seconds for it, and the server may take longer.
  while ((await spent()) === 0) await new Promise(resolve => setTimeout(resolve, 50))
  t.equal(await spent(), 0.25, 'a settlement goes on until the server is back')
  await database.destroy()
})
