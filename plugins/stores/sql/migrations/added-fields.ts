import type { Migration } from 'kysely/migration'
import { accountFields, keyFields, recordFields, type Field, type Fields } from '../../../../core/stores.ts'
import { columnOf } from '../field-columns.ts'

/** A migration for each field that has a `revision`: it adds the column and, for a filter of records, an index. */
export function addedFields(lists: Readonly<Record<string, Fields>>): Readonly<Record<string, Migration>> {
  const added = Object.entries(lists).flatMap(([table, list]) =>
    Object.entries(list).flatMap(([member, field]) =>
      field.revision === undefined || field.computed ? [] : [migrationOf(table, member, field, field.revision)],
    ),
  )
  return Object.fromEntries(added)
}

export const storedLists = { account: accountFields, api_key: keyFields, record: recordFields } as const

function migrationOf(table: string, member: string, field: Field, revision: number): readonly [name: string, Migration] {
  const { name, type } = columnOf(member, field)
  const up: Migration['up'] = async database => {
    await database.schema.alterTable(table).addColumn(name, type).execute()
    if (field.filter)
      await database.schema.createIndex(`${table}_${name}`).on(table).columns([name, 'at', 'id']).where(name, 'is not', null).execute()
  }
  return [`${String(revision).padStart(4, '0')}-${table}-${name}`.replaceAll('_', '-'), { up }]
}
