import type { Kysely } from 'kysely'
import { accountFields, keyFields, recordFields, type Field, type Fields } from '../../../../core/stores.ts'
import { columnOf } from '../field-columns.ts'
import { addedIndex, type Expansion } from './added-index.ts'

/** Up to this revision, the migration of a field made its index, too. */
const lastWithIndex = 38

/**
 * A migration for each `revision` of a list, which adds the columns of its fields and has the name of the first one. For filters of records,
 * there is one more, which makes the index.
 */
export function addedFields(lists: Readonly<Record<string, Fields>>): Readonly<Record<string, Expansion>> {
  const added = Object.entries(lists).flatMap(([table, list]) => {
    const later = Object.entries(list).filter(([, { revision, computed }]) => revision !== undefined && !computed)
    return [...Map.groupBy(later, ([, { revision }]) => revision!)].flatMap(([revision, fields]) => migrationsOf(table, fields, revision))
  })
  return Object.fromEntries(added)
}

export const storedLists = { account: accountFields, api_key: keyFields, record: recordFields } as const

type Named = readonly [name: string, Expansion]

function migrationsOf(table: string, fields: readonly (readonly [member: string, field: Field])[], revision: number): readonly Named[] {
  const columns = fields.map(([member, field]) => ({ ...columnOf(member, field), isFilter: field.filter === true }))
  const prefix = `${String(revision).padStart(4, '0')}-${table}-`
  const named = (name: string): string => `${prefix}${name}`.replaceAll('_', '-')
  const isWithIndex = revision <= lastWithIndex
  const up = async (database: Kysely<any>): Promise<void> => {
    for (const { name, type, isFilter } of columns) {
      await database.schema.alterTable(table).addColumn(name, type).execute()
      if (isFilter && isWithIndex)
        await database.schema.createIndex(`${table}_${name}`).on(table).columns([name, 'at', 'id']).where(name, 'is not', null).execute()
    }
  }
  const indexes = columns
    .filter(({ isFilter }) => isFilter && !isWithIndex)
    .map(({ name }): Named => {
      const index = { name: `${table}_${name}`, table, columns: [name, 'at', 'id'], where: `${name} is not null` }
      return [named(`${name}-index`), addedIndex(index)]
    })
  return [[named(columns[0]!.name), { up }], ...indexes]
}
