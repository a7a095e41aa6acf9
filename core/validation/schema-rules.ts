/** How a kind of schema is read, and what its validators do besides checking. */
export interface SchemaRules {
  /** Unique: validators that the build compiled are found by it. */
  readonly name: string
  /** Options of ajv. */
  readonly options: SchemaOptions
  readonly formats?: Readonly<Record<string, StringFormat>>
  /** Counts `minLength` and `maxLength` in Unicode characters, in time that does not grow with the text. */
  readonly countsCharacters?: true
}

export interface SchemaOptions {
  readonly allErrors?: boolean
  readonly allowUnionTypes?: boolean
  readonly code?: { readonly optimize?: boolean }
  readonly discriminator?: boolean
  readonly logger?: false
  readonly meta?: boolean
  readonly strict?: boolean
  readonly strictRequired?: boolean
  readonly strictTuples?: boolean
  readonly useDefaults?: boolean
  readonly validateSchema?: boolean
  /** Adds the value and its schema to each fault. */
  readonly verbose?: boolean
}

export type StringFormat = RegExp | TextCheck | { readonly type: 'string'; readonly validate: TextCheck }
type TextCheck = (text: string) => boolean

/** Checks a value. After a value that fails, `errors` says why, until the next call. */
export interface Validator<T = unknown> {
  (value: unknown): value is T
  errors?: null | SchemaFault[]
}

/** Where a value departs from its schema. */
export interface SchemaFault {
  /** The word in the schema that the value fails, such as `required`. */
  readonly keyword: string
  /** A JSON pointer into the value. */
  readonly instancePath: string
  /** A JSON pointer into the schema. */
  readonly schemaPath: string
  /** Details, by the keyword. */
  readonly params: Readonly<Record<string, any>>
  /** The name that is wrong, if a name is. */
  readonly propertyName?: string
  readonly message?: string
  /** With `verbose`: the keyword's value, the schema around it, and the value that fails. */
  readonly schema?: unknown
  readonly parentSchema?: Readonly<Record<string, unknown>>
  readonly data?: unknown
}
