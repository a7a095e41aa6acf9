import { setImmediate } from 'node:timers/promises'
import { sql, type CompiledQuery, type Kysely } from 'kysely'
import type { RecordFacts } from '../../../../core/stores.ts'
import type { Cell } from '../field-columns.ts'
import { isSqlite } from '../migrations/dialect.ts'
import { rowStatement } from '../sqlite/statement-list.ts'
import { storableText } from '../storable-text.ts'
import type { Tables } from '../tables.ts'
import { jsonRows } from './json-rows.ts'
import { recordColumns, type RecordTable } from './tables.ts'

const columns = recordColumns.all
const columnTypes = Object.fromEntries(columns.map(({ name, type }) => [name, type]))
/** Few, so that making the statement does not hold up requests. */
const recordsInStatement = 50

/** Insert records, except those that are there already. */
export async function insertions(database: Kysely<Tables>, records: readonly RecordFacts[]): Promise<readonly CompiledQuery[]> {
  const statements: CompiledQuery[] = []
  for (let index = 0; index < records.length; index += recordsInStatement) {
    if (index > 0) await setImmediate()
    const rows = records.slice(index, index + recordsInStatement).map(rowOf)
    statements.push(isSqlite(database) ? rowStatement(insertRow, rows) : insertAll(database, rows))
  }
  return statements
}

/** Those that were not there already. `results` are those of `insertions`. */
export function insertedAmong<Facts extends RecordFacts>(
  database: Kysely<Tables>,
  records: readonly Facts[],
  results: readonly (readonly unknown[])[],
): readonly Facts[] {
  if (isSqlite(database)) {
    const known = new Set(results.flatMap((indexes, statement) => indexes.map(index => statement * recordsInStatement + Number(index))))
    return records.filter((_, index) => !known.has(index))
  }
  const ids = new Set(results.flat().map(row => (row as Pick<RecordTable, 'id'>).id))
  return records.filter(({ id }) => ids.has(id))
}

const insertRow = `insert into record (${columns.map(({ name }) => `"${name}"`).join()}) values (${columns.map(() => '?').join()})
  on conflict (id) do nothing`

function insertAll(database: Kysely<Tables>, rows: readonly (readonly unknown[])[]): CompiledQuery {
  return sql`
    insert into record (${sql.join(columns.map(({ name }) => sql.ref(name)))})
    ${jsonRows(columnTypes, rows)}
    on conflict (id) do nothing
    returning id`.compile(database)
}

function rowOf(record: RecordFacts): readonly Cell[] {
  return columns.map(({ member, write }) => {
    const value: unknown = record[member as keyof RecordFacts]
    const cell = value === null ? null : write(value)
    return typeof cell === 'string' ? storableText(cell) : cell
  })
}
