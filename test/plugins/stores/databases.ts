import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect } from 'kysely'
import type { Test } from 'tap'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { EnvelopeSealer } from '../../../plugins/sealers/local/envelope.ts'
import { migrate } from '../../../plugins/stores/sql/migrate.ts'
import { storingAnyText } from '../../../plugins/stores/sql/postgres/dialect.ts'
import { openPostgres } from '../../../plugins/stores/sql/postgres/open.ts'
import { openSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import type { Tables } from '../../../plugins/stores/sql/tables.ts'
import { EmptiedDatabases } from './emptied-databases.ts'
import { noPostgres, startPostgres } from './postgres-server.ts'
import { fileOf, masterKey } from './sql.ts'

/** Opens an empty database with all tables, and closes it when the test ends. */
export type OpenDatabase = (t: Place) => Promise<Kysely<Tables>>

/** The part of a test that a database needs. */
interface Place {
  testdir(content: Record<string, never>): string
  teardown(handler: () => Promise<void>): void
}

export const silent = createLogger('silent', new Masks())

export function testSealer(): EnvelopeSealer {
  return new EnvelopeSealer({ source: 'test', isShared: true, current: Buffer.from(masterKey, 'hex') })
}

/** Runs the same tests on SQLite and on Postgres: on a real server or, where there is none, within this process. */
export function onEveryDatabase(t: Test, check: (t: Test, open: OpenDatabase) => void): void {
  void t.test('SQLite', async t => {
    // Copying a file that has all tables takes a tenth of the time that making them takes.
    const made = fileOf(t)
    await (await openSqlite(made)).database.destroy()
    const empty = readFileSync(made)
    check(t, async t => {
      const file = fileOf(t)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, empty)
      return closing(t, (await openSqlite(file)).database)
    })
  })

  if (noPostgres) void t.test('Postgres within this process', t => onPglite(t, check))
  else
    void t.test('a Postgres server', async t => {
      const server = await startPostgres()
      t.teardown(() => server.stop())
      const emptied = new EmptiedDatabases(() => server.createDatabase())
      check(t, async t => {
        const url = await emptied.take()
        return closing(t, (await openPostgres({ url, maxConnections: 5 }, silent)).database, () => emptied.giveBack(url))
      })
    })
}

/** A database that the suite of a contract closes after each of its tests. */
export async function openOnce(t: Test, open: OpenDatabase): Promise<{ readonly database: Kysely<Tables>; close(): Promise<void> }> {
  const handlers: (() => Promise<void>)[] = []
  const database = await open({ testdir: content => t.testdir(content), teardown: handler => void handlers.push(handler) })
  return { database, close: async () => void (await Promise.all(handlers.map(handler => handler()))) }
}

function onPglite(t: Test, check: (t: Test, open: OpenDatabase) => void): void {
  // It takes seconds to start, so all tests share one.
  const pglite = new PGlite()
  t.teardown(() => pglite.close())
  const database = new Kysely<Tables>({ dialect: storingAnyText(new PGliteDialect({ pglite })) })
  check(t, async () => {
    await pglite.exec('drop schema public cascade; create schema public')
    await migrate(database)
    return database
  })
  t.end()
}

function closing(t: Place, database: Kysely<Tables>, closed?: () => Promise<void>): Kysely<Tables> {
  t.teardown(async () => {
    await database.destroy()
    await closed?.()
  })
  return database
}
