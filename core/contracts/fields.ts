// Records, keys and accounts are each described by one list of fields. Their types, columns, JSON, command-line options, forms and docs follow
// from it. These files import nothing at run time but each other, so that the dashboard can read the same lists in the browser.

/** One member of a record, a key or an account. */
export interface Field {
  /**
   * `time` is milliseconds since the epoch, and a text such as 2026-01-31T12:00:00.000Z in the admin API. `mark` is true or missing. `names` is
   * a list of texts. `Json` is anything else: whoever stores, shows or checks such a field has code for it.
   */
  readonly type: keyof PlainTypes | Json<any, any>
  /** One sentence for the docs, the OpenAPI description, the help of the command and the dashboard. */
  readonly about: string
  /** Some of the texts that it may have, which the dashboard suggests. */
  readonly examples?: readonly string[]
  /** The only texts that it may have. */
  readonly choices?: readonly string[]
  /** It may be missing. A record then has null, a key or account lacks the member. */
  readonly optional?: true
  /** The admin API shows this instead of null where it is missing. */
  readonly ifMissing?: unknown
  /** Its name in the admin API. Default: the name in snake case. Null: the API does not show it. */
  readonly shownAs?: string | null
  /** No store has it: the admin API works it out. */
  readonly computed?: true
  /** Callers of the admin API may set it `once`, when they create the object, or `always`. Default: never. */
  readonly set?: 'once' | 'always'
  /** More JSON Schema for the value that callers send. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** The command-line option that sets it, such as `--note <text>`. */
  readonly option?: string
  /** Lists of records can be narrowed to one value of it: in the admin API, the command and the dashboard. */
  readonly filter?: true
  /** The admin API knows it at these levels of accounts only. */
  readonly levels?: readonly string[]
  /**
   * For a field that is added to a list: the number of the migration that gives stored objects this member, one above the highest so far.
   * Fields that are added together share it. They must be optional, because older objects lack them.
   */
  readonly revision?: number
}

/** A list of fields, by their names. */
export type Fields = Readonly<Record<string, Field>>

/** The values of the plain types of fields. */
export interface PlainTypes {
  /** Any text. */
  readonly text: string
  /** A whole number. */
  readonly integer: number
  /** Any finite number. */
  readonly number: number
  /** Milliseconds since the epoch. */
  readonly time: number
  /** True or false. */
  readonly flag: boolean
  readonly mark: true
  /** A list of texts. */
  readonly names: readonly string[]
}

/** Any JSON: as it is stored and, where that differs, as the admin API shows it. Written as `'json' as Json<Stored, Shown>`. */
export type Json<Stored, Shown = Stored> = 'json' & {
  /** For types alone: no field has it. */
  readonly forms?: readonly [Stored, Shown]
}

/** The type of `snakeCase`: `elapsedMs` as `elapsed_ms`. */
export type SnakeCase<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : S

/** `elapsedMs` as `elapsed_ms`. */
export function snakeCase<S extends string>(name: S): SnakeCase<S> {
  return name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`) as SnakeCase<S>
}

/** The name of a field in the admin API. Null: it is not shown. */
export function shownName(name: string, { shownAs }: Field): string | null {
  return shownAs === undefined ? snakeCase(name) : shownAs
}

/** Some fields of a list, in its order. */
export function fieldsOf(list: Fields, isWanted: (field: Field, name: string) => boolean): Fields {
  return Object.fromEntries(Object.entries(list).filter(([name, field]) => isWanted(field, name)))
}

/** JSON Schema of ids that people may choose. */
export const idSchema = { pattern: '^[A-Za-z0-9][A-Za-z0-9._@-]*$', maxLength: 64 } as const

/** JSON Schema of all other texts. They begin with something visible; a terminal would obey control characters, and Postgres stores no NUL. */
export const textSchema = {
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*$',
} as const
