/** The keywords of a JSON Schema that say where the secrets of a value are. */
interface SchemaKeywords {
  readonly $ref?: unknown
  readonly writeOnly?: unknown
  readonly properties?: Readonly<Record<string, unknown>>
  readonly patternProperties?: Readonly<Record<string, unknown>>
  readonly additionalProperties?: unknown
  readonly items?: unknown
  readonly prefixItems?: readonly unknown[]
  readonly anyOf?: readonly unknown[]
  readonly oneOf?: readonly unknown[]
  readonly allOf?: readonly unknown[]
  readonly if?: unknown
  readonly then?: unknown
  readonly else?: unknown
}

/** Which parts of a value are secret, by `writeOnly: true` in its schema. Where a schema has alternatives, what any of them calls secret is. */
export class SecretSchema {
  readonly isSecret: boolean
  readonly #schemas: readonly SchemaKeywords[]
  readonly #root: unknown

  constructor(schemas: readonly unknown[], isSecret = false, root: unknown = schemas[0]) {
    const all = new Set<SchemaKeywords>()
    for (const schema of schemas) addWithAlternatives(schema, root, all)
    this.#schemas = [...all]
    this.#root = root
    this.isSecret = isSecret || this.#schemas.some(({ writeOnly }) => writeOnly === true)
  }

  /** Of a member of an object. */
  member(name: string): SecretSchema {
    return this.#within(
      this.#schemas.flatMap(({ properties, patternProperties = {}, additionalProperties }) => {
        if (properties && Object.hasOwn(properties, name)) return [properties[name]]
        const matching = Object.entries(patternProperties).filter(([pattern]) => new RegExp(pattern).test(name))
        return matching.length > 0 ? matching.map(([, schema]) => schema) : [additionalProperties]
      }),
    )
  }

  /** Of an entry of an array. */
  entry(index: number): SecretSchema {
    return this.#within(
      this.#schemas.map(({ prefixItems, items }) => prefixItems?.[index] ?? (Array.isArray(items) ? (items as unknown[])[index] : items)),
    )
  }

  #within(schemas: readonly unknown[]): SecretSchema {
    return new SecretSchema(schemas, this.isSecret, this.#root)
  }
}

function addWithAlternatives(schema: unknown, root: unknown, all: Set<SchemaKeywords>): void {
  if (typeof schema !== 'object' || schema === null || all.has(schema)) return
  all.add(schema)
  const { anyOf = [], oneOf = [], allOf = [], $ref, if: condition, then, else: otherwise } = schema as SchemaKeywords
  for (const each of [...anyOf, ...oneOf, ...allOf, condition, then, otherwise]) addWithAlternatives(each, root, all)
  if (typeof $ref === 'string' && $ref.startsWith('#')) addWithAlternatives(referred($ref, root), root, all)
}

function referred(pointer: string, root: unknown): unknown {
  const steps = pointer.split('/').slice(1)
  return steps.reduce<unknown>((value, step) => (value as Readonly<Record<string, unknown>> | undefined)?.[step], root)
}
