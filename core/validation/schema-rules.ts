/** How a kind of schema is read, and what its validators do besides checking. */
export interface SchemaRules {
  /** Unique: validators that the build compiled are found by it. */
  readonly name: string
  /** Options of ajv. */
  readonly options: SchemaOptions
  /** By the name that `format` has in a schema. */
  readonly formats?: Readonly<Record<string, StringFormat>>
  /** Counts `minLength` and `maxLength` in Unicode characters, in time that does not grow with the text. */
  readonly countsCharacters?: true
}

/** Options of ajv, which explains them: https://ajv.js.org/options.html. */
export interface SchemaOptions {
  /** Find all faults, not only the first one. */
  readonly allErrors?: boolean
  /** Allow several types in `type`. */
  readonly allowUnionTypes?: boolean
  /** How ajv writes a validator. */
  readonly code?: {
    /** False: do not optimize it, so that it is made sooner. */
    readonly optimize?: boolean
  }
  /** Choose the branch of `oneOf` by the keyword `discriminator`. */
  readonly discriminator?: boolean
  readonly logger?: false
  /** False: leave out the schemas of JSON Schema. */
  readonly meta?: boolean
  /** Refuse schemas with unknown keywords. */
  readonly strict?: boolean
  /** Refuse schemas that require what `properties` does not have. */
  readonly strictRequired?: boolean
  /** Refuse tuples without a length. */
  readonly strictTuples?: boolean
  /** Write the `default` of absent members into the value. */
  readonly useDefaults?: boolean
  /** False: do not check the schema itself. */
  readonly validateSchema?: boolean
  /** Adds the value and its schema to each fault. */
  readonly verbose?: boolean
}

/** A check of texts, by a pattern or a function. */
export type StringFormat =
  | RegExp
  | TextCheck
  | {
      readonly type: 'string'
      /** True if the text is well formed. */
      readonly validate: TextCheck
    }
type TextCheck = (text: string) => boolean

/** Checks a value. After a value that fails, `errors` says why, until the next call. */
export interface Validator<T = unknown> {
  (value: unknown): value is T
  /** Null or absent after a value that passed. */
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
  /** A sentence by ajv, such as `must be string`. */
  readonly message?: string
  /** With `verbose`: the keyword's value, the schema around it, and the value that fails. */
  readonly schema?: unknown
  /** The schema around the keyword, with `verbose`. */
  readonly parentSchema?: Readonly<Record<string, unknown>>
  /** The value that fails, with `verbose`. */
  readonly data?: unknown
}
