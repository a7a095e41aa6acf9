import { Migrator } from 'kysely/migration'
import { Kysely, sql as raw } from 'kysely'
import t from 'tap'
import { recordFields, snakeCase, type Field } from '../../../core/stores.ts'
import { migrate } from '../../../plugins/stores/sql/migrate.ts'
import { migrations, revision, revisionOf } from '../../../plugins/stores/sql/migrations/index.ts'
import { unfinishedCopy } from '../../../plugins/stores/sql/schema/marks.ts'
import { raiseOldest } from '../../../plugins/stores/sql/schema/oldest.ts'
import { lastStrictRevision } from '../../../plugins/stores/sql/schema/state.ts'
import { openSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import type { Tables } from '../../../plugins/stores/sql/tables.ts'
import { addedIndex } from '../../../plugins/stores/sql/migrations/added-index.ts'
import { openPostgres } from '../../../plugins/stores/sql/postgres/open.ts'
import { onEveryDatabase, silent } from './databases.ts'
import { noPostgres, startPostgres } from './postgres-server.ts'
import { fileOf, run } from './sql.ts'

// This version and those beside it on one database: docs/upgrades.md.

/** What builds before revision 40 do at a start. */
async function startsBefore40(database: Kysely<Tables>): Promise<string> {
  const known = Object.fromEntries(Object.entries(migrations).filter(([name]) => revisionOf(name) <= lastStrictRevision))
  const { error, results } = await new Migrator({ db: database, provider: { getMigrations: async () => known } }).migrateToLatest()
  return error === undefined ? `started after ${results!.length} migrations` : (error as Error).message
}

onEveryDatabase(t, (t, open) => {
  t.test('a build from before expanding migrations starts on the tables of this one, and makes tables that this one expands', async t => {
    const database = await open(t)
    t.equal(await startsBefore40(database), 'started after 0 migrations')
    t.same(await migrate(database), [])
    const names = Object.keys(migrations).filter(name => revisionOf(name) > lastStrictRevision)
    const { rows } = await raw<{ name: string }>`select name from schema_change order by name`.execute(database)
    t.same(
      rows.map(({ name }) => name),
      names,
    )
  })

  t.test('migrations of a newer version are left alone', async t => {
    const database = await open(t)
    await raw`insert into schema_change (name, at) values ('9998-later', 1)`.execute(database)
    t.same(await migrate(database), [])
    t.equal(await startsBefore40(database), 'started after 0 migrations')
  })

  t.test('nobody starts on a copy that is not finished', async t => {
    const database = await open(t)
    await raw`insert into kysely_migration (name, timestamp) values (${unfinishedCopy}, '2026-11-27T00:00:00.000Z')`.execute(database)
    await t.rejects(migrate(database), { message: /unfinished copy/, remedy: /Run the same turnpike copy again/ })
    t.match(await startsBefore40(database), /unfinished-copy is missing/)
  })

  t.test('a version that is too old is refused, whatever it knows', async t => {
    const database = await open(t)
    await raiseOldest(database, revision, '0.1.0')
    t.same(await migrate(database), [], 'this one is not too old')
    t.match(await startsBefore40(database), /needs-revision-\d+ is missing/)
    await raiseOldest(database, 9_999, '7.0.0')
    await t.rejects(migrate(database), { message: /only version 7\.0\.0 and newer can use it/, remedy: /Run that version/ })
  })
})

t.test('the refusal says what to do', async t => {
  const file = fileOf(t)
  await (await openSqlite(file)).database.destroy()
  run(file, "update schema_state set oldest_revision = 9999, oldest_version = '7.0.0'")
  await t.rejects(openSqlite(file), {
    message: `database ${file} cannot be used: a newer version of the gateway has changed its tables so that only version 7.0.0 and newer can use it. Run that version. To go back to this one, restore a backup from before the upgrade`,
  })
})

t.test('tables change while others use them', { skip: noPostgres }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const url = await server.createDatabase()
  const { database } = await openPostgres({ url, maxConnections: 4 }, silent)
  t.teardown(() => database.destroy())
  const insert = (on: Kysely<Tables>, id: string): Promise<unknown> =>
    raw`insert into record (id, at, method, path, status, elapsed_ms, stream, attempts, notes)
      values (${id}, 1, 'GET', '/', 200, 1, 0, '[]', '[]')`.execute(on)

  await t.test('an index is made while others write', async t => {
    const writer = await database.startTransaction().execute()
    await insert(writer, 'first')
    const { up } = addedIndex({ name: 'record_later', table: 'record', columns: ['path'] })
    const made = up(database)
    await until(async () => (await raw`select 1 from pg_stat_progress_create_index`.execute(database)).rows.length > 0)
    await insert(database, 'second')
    await writer.commit().execute()
    await made
    // As a kill leaves it.
    await raw`update pg_index set indisvalid = false where indexrelid = to_regclass('record_later')`.execute(database)
    // `expand` tries again after these errors.
    const passing = (error: { readonly code: string }): void => void t.match(error.code, /23505|42P07|40P01/)
    await Promise.all([up(database).catch(passing), up(database).catch(passing)])
    await up(database)
    const { rows } = await raw`select indisvalid as valid from pg_index where indexrelid = to_regclass('record_later')`.execute(database)
    t.same(rows, [{ valid: true }])
  })

  await t.test('a column waits for a report, and lets others pass', async t => {
    const name = Object.keys(migrations).find(each => revisionOf(each) > lastStrictRevision && /^\d+-record-(?!.*-index)/.test(each))!
    // One migration adds all fields of a revision.
    for (const [member, field] of Object.entries<Field>(recordFields))
      if (field.revision === revisionOf(name))
        await raw`alter table record drop column ${raw.ref(snakeCase(member))} cascade`.execute(database)
    await raw`delete from schema_change where name = ${name}`.execute(database)
    const report = await database.startTransaction().execute()
    await raw`select count(*) from record`.execute(report)
    const migrated = migrate(database)
    const isWaiting = async (): Promise<boolean> =>
      (await raw`select 1 from pg_locks where relation = to_regclass('record') and not granted`.execute(database)).rows.length > 0
    await until(isWaiting)
    await insert(database, 'third')
    await report.commit().execute()
    t.same(await migrated, [name])
  })
})

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue()));
}
