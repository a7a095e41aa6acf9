import { CompiledQuery, type Kysely } from 'kysely'
import { migrations, revision } from '../migrations/index.ts'
import { SchemaError } from './error.ts'
import { isMark, unfinishedCopy } from './marks.ts'

/** How far a database is, and who may use it. */
export interface SchemaState {
  /** The names of the migrations that have run, also of those that this version does not know. */
  readonly ran: ReadonlySet<string>
  /** Rows that are no migrations, in the table that gateways before revision 40 read: see `marks.ts`. */
  readonly marks: ReadonlySet<string>
  /** The oldest version that may use it. */
  readonly oldest: { readonly revision: number; readonly version: string }
  /** Migrations in the table of gateways before revision 40 that this version does not know. */
  readonly foreign: readonly string[]
}

/** Migrations up to this one are recorded in `kysely_migration`, where older gateways accept only names that they know. */
export const lastStrictRevision = 38

const tables = {
  kysely_migration: "select name, 0 as revision, 'strict' as kind from kysely_migration",
  schema_change: "select name, 0, 'expanding' from schema_change",
  schema_state: "select oldest_version, oldest_revision, 'oldest' from schema_state",
} as const

interface Row {
  readonly name: string
  readonly revision: number
  readonly kind: 'strict' | 'expanding' | 'oldest'
}

/** One statement at almost every start. Before the first migration, and in older databases, some of the tables are missing. */
export async function readState(database: Kysely<any>): Promise<SchemaState> {
  const rows = (await rowsOf(database, Object.values(tables)).catch(() => undefined)) ?? (await rowsOfSome(database))
  const named = (kind: Row['kind']): readonly string[] => rows.filter(row => row.kind === kind).map(({ name }) => name)
  const strict = named('strict')
  const oldest = rows.find(({ kind }) => kind === 'oldest')
  return {
    ran: new Set([...strict.filter(name => !isMark(name)), ...named('expanding')]),
    marks: new Set(strict.filter(isMark)),
    foreign: strict.filter(name => !isMark(name) && !Object.hasOwn(migrations, name)),
    oldest: oldest ? { revision: oldest.revision, version: oldest.name } : { revision: 0, version: '' },
  }
}

/** The migrations that are still to run. */
export function pendingIn({ ran }: SchemaState): readonly string[] {
  return Object.keys(migrations).filter(name => !ran.has(name))
}

/** Throws if this version must not use the database, or nobody may. */
export function refuseUnfit({ marks, oldest, foreign }: SchemaState): void {
  if (marks.has(unfinishedCopy))
    throw new SchemaError(
      'it holds an unfinished copy of another database',
      'Run the same turnpike copy again, which continues it. To give the copy up, delete this database, or name another one',
    )
  if (oldest.revision > revision)
    throw new SchemaError(
      `a newer version of the gateway has changed its tables so that only version ${oldest.version} and newer can use it`,
      'Run that version. To go back to this one, restore a backup from before the upgrade',
    )
  if (foreign.length > 0)
    throw new SchemaError(
      `this version does not know its migration ${foreign[0]}`,
      'A newer version of the gateway has used it: run that version, or name another database',
    )
}

async function rowsOf(database: Kysely<any>, selects: readonly string[]): Promise<readonly Row[]> {
  return (await database.executeQuery<Row>(CompiledQuery.raw(selects.join(' union all ')))).rows
}

async function rowsOfSome(database: Kysely<any>): Promise<readonly Row[]> {
  const found = await database.introspection.getTables({ withInternalKyselyTables: true })
  const selects = Object.entries(tables).filter(([name]) => found.some(table => table.name === name))
  if (selects.length === 0) return []
  // The names of the columns are those of the first.
  return await rowsOf(database, ["select '' as name, 0 as revision, 'none' as kind", ...selects.map(([, select]) => select)])
}
