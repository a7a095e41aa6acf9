import type { CompiledQuery, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { RecordFacts, RecordFilter } from '../../../../core/stores.ts'
import { isSqlite } from '../migrations/dialect.ts'
import { rowStatement } from '../sqlite/statement-list.ts'
import { storableText } from '../storable-text.ts'
import type { Tables } from '../tables.ts'
import { jsonRows } from './json-rows.ts'

// A filter finds a record by every model and provider that it asked. Most records asked one, which is in their row. The others have a name
// each in `record_asked`: `provider/` alone, `/model` alone, and `provider/model`. The id of a provider has no slash.

/** The name by which a filter finds records. Undefined if it wants neither a model nor a provider. */
export function nameAsked({ model, provider }: RecordFilter): string | undefined {
  return model === undefined && provider === undefined ? undefined : nameOf(provider, model)
}

/** The statements that make the records found by what they asked: none if nothing but their own model and provider. */
export function askedStatements(database: Kysely<Tables>, records: readonly RecordFacts[]): readonly CompiledQuery[] {
  const rows = records.flatMap(record => namesOf(record).map(name => [name, record.at, record.id]))
  if (rows.length === 0) return []
  const columns = { name: 'text', at: 'bigint', id: 'text' } as const
  if (isSqlite(database)) return [rowStatement('insert into record_asked (name, at, id) values (?, ?, ?)', rows)]
  return [sql`insert into record_asked (name, at, id) ${jsonRows(columns, rows)}`.compile(database)]
}

function namesOf({ provider: ownProvider, model: ownModel, attempts }: RecordFacts): readonly string[] {
  // Nearly always.
  if (attempts.every(({ provider, model }) => provider === ownProvider && model === ownModel)) return []
  const names = new Set<string>()
  for (const { provider, model } of attempts) {
    if (provider !== ownProvider) names.add(nameOf(provider))
    if (model !== ownModel) names.add(nameOf(undefined, model))
    if (provider !== ownProvider || model !== ownModel) names.add(nameOf(provider, model))
  }
  return [...names]
}

function nameOf(provider = '', model = ''): string {
  return storableText(`${provider}/${model}`)
}
