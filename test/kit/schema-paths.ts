/** The part of JSON Schema that the product's schemas use. */
export interface SchemaNode {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly additionalProperties?: SchemaNode
  readonly items?: SchemaNode
  readonly oneOf?: readonly SchemaNode[]
  readonly anyOf?: readonly SchemaNode[]
  readonly then?: SchemaNode
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
}

/** A member, an entry of a list, any member of a map, or one of several variants. */
export type Step = { readonly member: string } | { readonly entry: true } | { readonly key: true } | { readonly variant: number }

/** A place in a schema, such as `input[]<message>.content[]<input_text>.text`. */
export interface SchemaPath {
  readonly name: string
  readonly steps: readonly Step[]
  readonly schema: SchemaNode
}

/** Every place below the root, parents before children. */
export function pathsOf(schema: SchemaNode, name = '', steps: readonly Step[] = []): readonly SchemaPath[] {
  const below = (step: Step, to: SchemaNode, label: string): readonly SchemaPath[] => {
    const here = { name: `${name}${label}`, steps: [...steps, step], schema: to }
    return [...('variant' in step ? [] : [here]), ...pathsOf(to, here.name, here.steps)]
  }
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([member, to]) => below({ member }, to, name === '' ? member : `.${member}`)),
    ...(schema.additionalProperties ? below({ key: true }, schema.additionalProperties, '{}') : []),
    ...(schema.items ? below({ entry: true }, schema.items, '[]') : []),
    ...variantsOf(schema).flatMap((to, variant) => below({ variant }, to, `<${labelOf(to)}>`)),
  ]
}

/** The alternatives of which a value is one. Rules between members (`oneOf` lists of `required`) are none. */
export function variantsOf(schema: SchemaNode): readonly SchemaNode[] {
  const branches = schema.oneOf ?? schema.anyOf ?? []
  return branches.some(isMemberRule) ? [] : branches
}

/** Of the members that such a rule is about, which ones each branch requires. */
export function memberRules(schema: SchemaNode): readonly (readonly string[])[] {
  return (schema.oneOf ?? schema.anyOf ?? []).filter(isMemberRule).map(({ required = [] }) => required)
}

function isMemberRule({ type, properties, enum: values, oneOf, anyOf }: SchemaNode): boolean {
  return type === undefined && properties === undefined && values === undefined && oneOf === undefined && anyOf === undefined
}

export function labelOf({ type, properties, enum: values }: SchemaNode): string {
  const tag = properties?.['type']
  if (tag?.const !== undefined) return String(tag.const)
  if (tag?.enum) return 'foreign'
  return values ? 'name' : (type ?? 'any')
}
