import { accountFields, keyFields, recordFields, type Field, type Fields } from '../../../../core/stores.ts'
import { columnOf } from '../field-columns.ts'
import { addedIndex, type Expansion } from './added-index.ts'

/** Up to this revision, the migration of a field made its index, too. */
const lastWithIndex = 38

/** Migrations for each field that has a `revision`: they add the column and, for a filter of records, an index. */
export function addedFields(lists: Readonly<Record<string, Fields>>): Readonly<Record<string, Expansion>> {
  const added = Object.entries(lists).flatMap(([table, list]) =>
    Object.entries(list).flatMap(([member, field]) =>
      field.revision === undefined || field.computed ? [] : migrationsOf(table, member, field, field.revision),
    ),
  )
  return Object.fromEntries(added)
}

export const storedLists = { account: accountFields, api_key: keyFields, record: recordFields } as const

type Named = readonly [name: string, Expansion]

function migrationsOf(table: string, member: string, field: Field, revision: number): readonly Named[] {
  const { name: column, type } = columnOf(member, field)
  const name = `${String(revision).padStart(4, '0')}-${table}-${column}`.replaceAll('_', '-')
  const index = addedIndex({ name: `${table}_${column}`, table, columns: [column, 'at', 'id'], where: `${column} is not null` })
  const isWithIndex = field.filter === true && revision <= lastWithIndex
  const up: Expansion['up'] = async database => {
    await database.schema.alterTable(table).addColumn(column, type).execute()
    if (isWithIndex)
      await database.schema
        .createIndex(`${table}_${column}`)
        .on(table)
        .columns([column, 'at', 'id'])
        .where(column, 'is not', null)
        .execute()
  }
  return [[name, { up }], ...(field.filter && !isWithIndex ? [[`${name}-index`, index] as Named] : [])]
}
