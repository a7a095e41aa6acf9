import type { JsonObject } from '../../core/index.ts'
import { table } from '../table.ts'

export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2))
}

/** One object, a line per member. */
export function printObject(object: JsonObject): void {
  console.log(
    table(
      undefined,
      Object.entries(object).map(([name, value]) => [name, cell(value)]),
    ),
  )
}

/** A list as a table of these members. `none` is printed if the list is empty. */
export function printList(entries: readonly JsonObject[], columns: readonly string[], none: string): void {
  if (entries.length === 0) console.log(none)
  else
    console.log(
      table(
        columns.map(column => column.replace(/_usd$/, ' (USD)').replaceAll('_', ' ').toUpperCase()),
        entries.map(entry => columns.map(column => cell(entry[column]))),
      ),
    )
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'number') return String(Number(value.toFixed(6)))
  return typeof value === 'string' ? value : JSON.stringify(value)
}
