import { Migrator } from 'kysely/migration'
import { Kysely, sql as raw } from 'kysely'
import t from 'tap'
import { migrate } from '../../../plugins/stores/sql/migrate.ts'
import { migrations, revision, revisionOf } from '../../../plugins/stores/sql/migrations/index.ts'
import { raiseOldest } from '../../../plugins/stores/sql/schema/oldest.ts'
import { lastStrictRevision } from '../../../plugins/stores/sql/schema/state.ts'
import { openSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import type { Tables } from '../../../plugins/stores/sql/tables.ts'
import { onEveryDatabase } from './databases.ts'
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
