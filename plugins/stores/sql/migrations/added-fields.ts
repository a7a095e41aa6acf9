import type { Migration } from 'kysely/migration'
import { accountFields, keyFields, recordFields, type Field, type Fields } from '../../../../core/stores.ts'
import { columnOf } from '../field-columns.ts'

/**
 * A migration for each `revision` of a list: it adds the columns of its fields and, for filters of records, an index each. It has the name of
 * its first field.
 */
export function addedFields(lists: Readonly<Record<string, Fields>>): Readonly<Record<string, Migration>> {
  const added = Object.entries(lists).flatMap(([table, list]) => {
    const later = Object.entries(list).filter(([, { revision, computed }]) => revision !== undefined && !computed)
    return [...Map.groupBy(later, ([, { revision }]) => revision!)].map(([revision, fields]) => migrationOf(table, fields, revision))
  })
  return Object.fromEntries(added)
}

export const storedLists = { account: accountFields, api_key: keyFields, record: recordFields } as const

function migrationOf(
  table: string,
  fields: readonly (readonly [member: string, field: Field])[],
  revision: number,
): readonly [name: string, Migration] {
  const columns = fields.map(([member, field]) => ({ ...columnOf(member, field), isFilter: field.filter }))
  const up: Migration['up'] = async database => {
    for (const { name, type, isFilter } of columns) {
      await database.schema.alterTable(table).addColumn(name, type).execute()
      if (isFilter)
        await database.schema.createIndex(`${table}_${name}`).on(table).columns([name, 'at', 'id']).where(name, 'is not', null).execute()
    }
  }
  return [`${String(revision).padStart(4, '0')}-${table}-${columns[0]!.name}`.replaceAll('_', '-'), { up }]
}
