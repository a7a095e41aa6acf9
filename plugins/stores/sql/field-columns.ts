import {
  snakeCase,
  type Field,
  type Fields,
  type SnakeCase,
  type StoredNames,
  type WithAbsent,
  type WithNulls,
} from '../../../core/stores.ts'

/** The row of an object: a column for each stored field, named in snake case. A missing member is null. */
export type Row<L> = {
  readonly [N in StoredNames<L> as SnakeCase<N>]: CellOf<L[N]> | (L[N] extends { readonly optional: true } ? null : never)
}
type CellOf<F> = F extends { readonly type: 'integer' | 'number' | 'time' | 'flag' | 'mark' } ? number : string
export type Cell = string | number | null

interface Column {
  readonly member: string
  readonly name: string
  readonly type: ColumnType
  readonly write: (value: unknown) => Cell
  readonly read: (cell: never) => unknown
}
export type ColumnType = 'text' | 'integer' | 'bigint' | 'double precision'

/** The columns of a list of fields. */
export class FieldColumns<L extends Fields> {
  readonly all: readonly Column[]
  readonly #ofMember: ReadonlyMap<string, Column>

  constructor(list: L) {
    this.all = Object.entries(list).flatMap(([member, field]) => (field.computed ? [] : [columnOf(member, field)]))
    this.#ofMember = new Map(this.all.map(column => [column.member, column]))
  }

  /** The columns of these members only. */
  row(members: Partial<WithAbsent<L>>): Partial<Row<L>> {
    const cells = Object.entries(members).map(([member, value]) => {
      const { name, write } = this.#ofMember.get(member)!
      return [name, value === undefined ? null : write(value)]
    })
    return Object.fromEntries(cells) as Partial<Row<L>>
  }

  /** For keys and accounts, which lack what is missing. Throws for a cell that cannot be read. */
  withAbsent(row: Row<L>): WithAbsent<L> {
    const object: Record<string, unknown> = {}
    for (const { member, name, read } of this.all) {
      const cell = cellOf(row, name)
      if (cell !== null) object[member] = read(cell as never)
    }
    return object as WithAbsent<L>
  }

  /** For records, which have null for what is missing. */
  withNulls(row: Row<L>): WithNulls<L> {
    const object: Record<string, unknown> = {}
    for (const { member, name, read } of this.all) {
      const cell = cellOf(row, name)
      object[member] = cell === null ? null : read(cell as never)
    }
    return object as WithNulls<L>
  }
}

function cellOf(row: object, name: string): Cell {
  return (row as Readonly<Record<string, Cell>>)[name]!
}

export function columnOf(member: string, { type }: Field): Column {
  return { member, name: snakeCase(member), ...forms[type as keyof typeof forms] }
}

const asIs = { write: (value: unknown) => value as Cell, read: (cell: Cell) => cell }
const json = {
  type: 'text',
  write: (value: unknown) => JSON.stringify(value),
  read: (cell: string) => JSON.parse(cell) as unknown,
} as const

/** How each type of field is stored. */
const forms = {
  text: { type: 'text', ...asIs },
  integer: { type: 'integer', ...asIs },
  number: { type: 'double precision', ...asIs },
  time: { type: 'bigint', ...asIs },
  flag: { type: 'integer', write: Number, read: (cell: number) => cell === 1 },
  mark: { type: 'integer', write: (value: unknown) => (value ? 1 : null), read: () => true },
  names: json,
  json,
} as const satisfies Readonly<Record<string, Omit<Column, 'member' | 'name'>>>
