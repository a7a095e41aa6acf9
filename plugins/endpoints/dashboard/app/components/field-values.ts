import { shownName, type Field, type Fields, type Shown, type ShownName, type Stored } from '../fields.ts'
import { metadataOf } from './metadata-field.ts'

type Entries = readonly (readonly [name: string, value: string])[]
type FormValue<N, F> = N extends 'metadata'
  ? Entries
  : F extends { readonly type: 'text' }
    ? Stored<F> | (F extends { readonly optional: true } ? '' : never)
    : F extends { readonly type: 'names' }
      ? readonly string[]
      : Shown<F>

/** The settings of a list as a form edits them. Empty texts and empty lists stand for nothing. */
export type FormValues<L> = {
  readonly [N in keyof L as L[N] extends { readonly set: 'always' } ? ShownName<N, L[N]> : never]: FormValue<N, L[N]>
}

/** The values of an object as the API shows it. An empty object gives those of a new one. */
export function valuesOf<L extends Fields>(list: L, object: object): FormValues<L> {
  return mapped(list, object, (name, field, value) => {
    if (name === 'metadata') return Object.entries(value ?? {})
    return value ?? field.ifMissing ?? (field.type === 'text' ? '' : field.type === 'names' ? [] : null)
  }) as FormValues<L>
}

/** As the API takes them. */
export function bodyOf<L extends Fields>(list: L, values: FormValues<L>): Readonly<Record<string, unknown>> {
  return mapped(list, values, (name, { type, optional, ifMissing }, value) => {
    if (name === 'metadata') return metadataOf(value as Entries)
    const isMissing = (type === 'text' && value === '') || (type === 'names' && (value as Entries).length === 0)
    return isMissing && optional && ifMissing === undefined ? null : value
  })
}

/** The members of the body that differ, except the policy. */
export function changedBody<L extends Fields>(list: L, before: FormValues<L>, after: FormValues<L>): Readonly<Record<string, unknown>> {
  const earlier = bodyOf(list, before)
  const changed = Object.entries(bodyOf(list, after)).filter(
    ([name, value]) => name !== 'policy' && JSON.stringify(value) !== JSON.stringify(earlier[name]),
  )
  return Object.fromEntries(changed)
}

function mapped(list: Fields, object: object, valueOf: (name: string, field: Field, value: unknown) => unknown): Record<string, unknown> {
  const settable = Object.entries(list).filter(([, { set }]) => set === 'always')
  return Object.fromEntries(
    settable.map(([name, field]) => {
      const shown = shownName(name, field)!
      return [shown, valueOf(name, field, object[shown as keyof typeof object])]
    }),
  )
}
