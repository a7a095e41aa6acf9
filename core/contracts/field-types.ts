import type { Json, PlainTypes, SnakeCase } from './fields.ts'

// The types that follow from a list of fields, `L`, and from one field, `F`, which is named `N`.

/** The names of a list's fields that stores have. */
export type StoredNames<L> = { [N in keyof L]: L[N] extends { readonly computed: true } ? never : N }[keyof L] & string

/** The names of a list's fields that are JSON. */
export type JsonNames<L> = { [N in keyof L]: L[N] extends { readonly type: keyof PlainTypes } ? never : N }[keyof L] & string

/** The value of a field in a store. */
export type Stored<F> = F extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : F extends { readonly type: infer T }
    ? T extends keyof PlainTypes
      ? PlainTypes[T]
      : T extends Json<infer Form, any>
        ? Form
        : never
    : never

/** A stored object that lacks the members that are missing: a key or an account. */
export type WithAbsent<L> = {
  readonly [N in StoredNames<L> as L[N] extends { readonly optional: true } ? never : N]: Stored<L[N]>
} & {
  readonly [N in StoredNames<L> as L[N] extends { readonly optional: true } ? N : never]?: Stored<L[N]> | undefined
}

/** A stored object that has null for the members that are missing: a record. */
export type WithNulls<L> = {
  readonly [N in StoredNames<L>]: L[N] extends { readonly optional: true } ? Stored<L[N]> | null : Stored<L[N]>
}

/** The value of a field in the admin API. */
export type Shown<F> =
  | ShownValue<F>
  | (F extends { readonly optional: true } ? (F extends { readonly ifMissing: unknown } ? never : null) : never)

/** The value of a field in the admin API, where it is not missing. */
export type ShownValue<F> = F extends { readonly type: 'time' }
  ? string
  : F extends { readonly type: keyof PlainTypes }
    ? Stored<F>
    : F extends { readonly type: Json<any, infer Form> }
      ? Form
      : never

/** The name of a field in the admin API. */
export type ShownName<N, F> = F extends { readonly shownAs: infer Other } ? (Other extends string ? Other : never) : SnakeCase<N & string>

/** An object as the admin API shows it. */
export type ShownObject<L> = {
  readonly [N in keyof L as L[N] extends { readonly levels: unknown } ? never : ShownName<N, L[N]>]: Shown<L[N]>
} & {
  readonly [N in keyof L as L[N] extends { readonly levels: unknown } ? ShownName<N, L[N]> : never]?: Shown<L[N]>
}

/** A stored object with what the admin API works out. Members may be missing either way. */
export type StoredOrComputed<L> = {
  readonly [
    N in keyof L as L[N] extends { readonly optional: true } ? never : L[N] extends { readonly computed: true } ? never : N
  ]: Stored<L[N]>
} & {
  readonly [N in keyof L as L[N] extends { readonly optional: true } | { readonly computed: true } ? N : never]?:
    | Stored<L[N]>
    | null
    | undefined
}

/** How the admin API shows stored JSON. One for each field whose forms differ. */
export type ShownForms<L> = {
  readonly [N in JsonNames<L> as ShownName<N, L[N]> extends never ? never : Stored<L[N]> extends ShownValue<L[N]> ? never : N]: (
    value: Stored<L[N]>,
  ) => ShownValue<L[N]>
} & { readonly [N in JsonNames<L>]?: (value: Stored<L[N]>) => ShownValue<L[N]> }

/** The members that callers of the admin API send. Null removes one. */
export type BodyOf<L> = {
  readonly [N in keyof L as L[N] extends { readonly set: string } ? ShownName<N, L[N]> : never]?:
    | Shown<L[N]>
    | (L[N] extends { readonly optional: true } ? null : never)
}

/** JSON with the names of its members in snake case, also within it. */
export type Snaked<T> = T extends readonly (infer Each)[]
  ? readonly Snaked<Each>[]
  : T extends object
    ? { [N in keyof T as N extends string ? SnakeCase<N> : never]: Snaked<T[N]> }
    : T
