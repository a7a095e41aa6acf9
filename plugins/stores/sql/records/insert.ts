import { setImmediate } from 'node:timers/promises'
import { sql, type CompiledQuery, type Kysely } from 'kysely'
import type { RecordFacts } from '../../../../core/index.ts'
import { isSqlite } from '../migrations/dialect.ts'
import { rowStatement } from '../sqlite/statement-list.ts'
import { storableText } from '../storable-text.ts'
import type { Tables } from '../tables.ts'
import { jsonRows } from './json-rows.ts'
import type { RecordTable } from './tables.ts'

type Column = keyof RecordTable

const columns = {
  id: 'text',
  answer_id: 'text',
  at: 'bigint',
  method: 'text',
  path: 'text',
  status: 'integer',
  elapsed_ms: 'double precision',
  key_id: 'text',
  org: 'text',
  team: 'text',
  user: 'text',
  owner: 'text',
  stream: 'integer',
  requested_model: 'text',
  model: 'text',
  provider: 'text',
  cost_usd: 'double precision',
  error_code: 'text',
  usage: 'text',
  policy: 'text',
  routing: 'text',
  attempts: 'text',
  notes: 'text',
} as const satisfies Readonly<Record<Column, string>>

const names = Object.keys(columns) as readonly Column[]
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

const insertRow = `insert into record (${names.map(name => `"${name}"`).join()}) values (${names.map(() => '?').join()})
  on conflict (id) do nothing`

function insertAll(database: Kysely<Tables>, rows: readonly (readonly unknown[])[]): CompiledQuery {
  return sql`
    insert into record (${sql.join(names.map(name => sql.ref(name)))})
    ${jsonRows(columns, rows)}
    on conflict (id) do nothing
    returning id`.compile(database)
}

function rowOf(record: RecordFacts): readonly (string | number | null)[] {
  const { keyId, answerId, requestedModel, elapsedMs, costUsd, errorCode, usage, policy, routing, attempts, notes, ...rest } = record
  const row: RecordTable = {
    ...rest,
    answer_id: answerId,
    elapsed_ms: elapsedMs,
    key_id: keyId,
    stream: Number(rest.stream),
    requested_model: requestedModel,
    cost_usd: costUsd,
    error_code: errorCode,
    usage: usage && JSON.stringify(usage),
    policy: policy && JSON.stringify(policy),
    routing: routing && JSON.stringify(routing),
    attempts: JSON.stringify(attempts),
    notes: JSON.stringify(notes),
  }
  return names.map(name => {
    const value = row[name]
    return typeof value === 'string' ? storableText(value) : value
  })
}
