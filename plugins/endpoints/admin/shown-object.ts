import type { Fields } from '../../../core/stores.ts'
import { shownName, type ShownForms, type ShownObject, type StoredOrComputed } from '../../../core/admin.ts'
import { time } from './replies.ts'

/** Objects of a list as the API shows them, in the order of the list. `forms`: how JSON is shown. */
export function shownBy<L extends Fields>(list: L, forms: ShownForms<L>): (object: StoredOrComputed<L>) => ShownObject<L> {
  const own = forms as Readonly<Record<string, (value: unknown) => unknown>>
  const members = Object.entries(list).flatMap(([name, field]) => {
    const shown = shownName(name, field)
    const formOf = field.type === 'time' ? (value: unknown) => time(value as number) : own[name]
    return shown === null ? [] : [{ name, shown, formOf, ifMissing: field.ifMissing ?? null }]
  })
  return object => {
    const result: Record<string, unknown> = {}
    for (const { name, shown, formOf, ifMissing } of members) {
      const value: unknown = object[name as keyof typeof object]
      result[shown] = value === undefined || value === null ? ifMissing : formOf ? formOf(value) : value
    }
    return result as ShownObject<L>
  }
}
