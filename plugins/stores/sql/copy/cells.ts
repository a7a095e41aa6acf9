import { createHash, hash } from 'node:crypto'
import { storableText } from '../storable-text.ts'
import { CopyError } from './error.ts'
import type { Column, Kind, Table } from './layout.ts'

/** A value in the form in which both databases are compared. Whole numbers are digits, because they may have more than a `number` keeps. */
export type Cell = string | number | Uint8Array | null
/** In the order of the columns of its table. */
export type Row = readonly Cell[]

/** The row that a database returned. Throws for a value that its column cannot have; SQLite lets any column have any. */
export function rowOf(table: Table, found: Readonly<Record<string, unknown>>): Row {
  return table.columns.map(column => {
    const value = found[column.name]
    if (value === null) return null
    if (!isOf(column.kind, value))
      throw new CopyError(`${placeOf(table, column, found)} is ${describe(value)}: expected ${expected[column.kind]}`)
    // Postgres and SQLite differ in whether zero has a sign.
    return value === 0 ? 0 : value
  })
}

/** The same row for Postgres, whose texts have no NUL. `texts`: how many had one. */
export function storableRow(row: Row): { readonly row: Row; readonly texts: number } {
  let texts = 0
  const changed = row.map(cell => {
    if (typeof cell !== 'string') return cell
    const text = storableText(cell)
    if (text !== cell) texts++
    return text
  })
  return texts === 0 ? { row, texts } : { row: changed, texts }
}

export function keyOf(table: Table, row: Row): Row {
  return table.key.map(column => row[table.columns.indexOf(column)]!)
}

/** SHA-256 of the row, in hex. */
export function digestOf(row: Row): string {
  let text = ''
  const bytes: Uint8Array[] = []
  for (const cell of row) {
    if (cell === null) text += 'null;'
    else if (typeof cell === 'number') text += `real ${cell};`
    else if (typeof cell === 'string') text += `text ${cell.length};${cell}`
    else {
      text += `bytes ${cell.byteLength};`
      bytes.push(cell)
    }
  }
  if (bytes.length === 0) return hash('sha256', text)
  const whole = createHash('sha256').update(text)
  for (const each of bytes) whole.update(each)
  return whole.digest('hex')
}

/** The digest of all rows before, and this one. */
export function chained(before: string, digest: string): string {
  return hash('sha256', before + digest)
}

/** For a cursor: JSON has no bytes. */
export function keyText(key: Row): string {
  return JSON.stringify(key.map(cell => (cell instanceof Uint8Array ? { bytes: Buffer.from(cell).toString('base64') } : cell)))
}

export function keyOfText(text: string): Row {
  const cells = JSON.parse(text) as readonly (string | number | null | { readonly bytes: string })[]
  return cells.map(cell => (typeof cell === 'object' && cell !== null ? Buffer.from(cell.bytes, 'base64') : cell))
}

const expected: Readonly<Record<Kind, string>> = { text: 'text', integer: 'a whole number', real: 'a number', bytes: 'bytes' }

function isOf(kind: Kind, value: unknown): value is Exclude<Cell, null> {
  if (kind === 'bytes') return value instanceof Uint8Array
  if (kind === 'real') return typeof value === 'number'
  return typeof value === 'string' && (kind === 'text' || /^-?\d+$/.test(value))
}

/** Never the value, which may be a secret. */
function describe(value: unknown): string {
  return value instanceof Uint8Array ? `${value.byteLength} bytes` : typeof value === 'string' ? 'a text' : `a ${typeof value}`
}

function placeOf(table: Table, column: Column, found: Readonly<Record<string, unknown>>): string {
  const key = table.key.map(({ name }) => (typeof found[name] === 'string' ? found[name].slice(0, 80) : '…'))
  return `column ${column.name} of the row ${JSON.stringify(key)} in table ${table.name}`
}
