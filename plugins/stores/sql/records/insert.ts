import { sql, type CompiledQuery, type Kysely } from 'kysely'
import type { RecordFacts } from '../../../../core/index.ts'
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

/** Insert records, except those that are there already, and return the ids of the new ones. */
export function insertions(transaction: Kysely<Tables>, records: readonly RecordFacts[]): readonly CompiledQuery[] {
  return Array.from({ length: Math.ceil(records.length / recordsInStatement) }, (_, index) => {
    const rows = records.slice(index * recordsInStatement, (index + 1) * recordsInStatement).map(rowOf)
    return sql`
      insert into record (${sql.join(names.map(name => sql.ref(name)))})
      ${jsonRows(transaction, columns, rows)}
      on conflict (id) do nothing
      returning id`.compile(transaction)
  })
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
