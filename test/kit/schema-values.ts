import fc, { type Arbitrary } from 'fast-check'
import { labelOf, memberRules, variantsOf, type SchemaNode, type Step } from './schema-paths.ts'

/** In every text that a request holds; to be found nowhere else. */
export const canary = 'CANARY-7f3a'

/** Values that a valid request needs and a schema alone does not define, by the name of their place. */
export type Specials = Readonly<Record<string, Arbitrary<unknown>>>

/** Values that a schema accepts. The place that `steps` lead to is always there: first in its list, and in its variant. */
export function valueOf(schema: SchemaNode, specials: Specials, name: string, steps: readonly Step[] = []): Arbitrary<unknown> {
  if (specials[name] && steps.length === 0) return specials[name]
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const variants = variantsOf(schema)
  if (variants.length > 0) return variantOf(variants, specials, name, steps)
  switch (schema.type) {
    case 'object':
      return objectOf(schema, specials, name, steps)
    case 'array':
      return listOf(schema, specials, name, steps)
    case 'string':
      return textOf(schema)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 100_000, 2 ** 31) })
    case 'number':
      return fc.double({ min: schema.minimum ?? -10, max: schema.maximum ?? 10, noNaN: true })
    case 'boolean':
      return fc.boolean()
    default:
      throw new Error(`no values are known for ${name}: ${JSON.stringify(schema)}`)
  }
}

function variantOf(variants: readonly SchemaNode[], specials: Specials, name: string, steps: readonly Step[]): Arbitrary<unknown> {
  const [step, ...rest] = steps
  const named = (variant: SchemaNode): string => `${name}<${labelOf(variant)}>`
  if (step && 'variant' in step) return valueOf(variants[step.variant]!, specials, named(variants[step.variant]!), rest)
  return fc.oneof(...variants.map(variant => valueOf(variant, specials, named(variant))))
}

function objectOf(schema: SchemaNode, specials: Specials, name: string, steps: readonly Step[]): Arbitrary<unknown> {
  const [step, ...rest] = steps
  const { properties = {}, additionalProperties } = schema
  const wanted = step && 'member' in step ? step.member : undefined
  const rules = memberRules(schema)
  const ruled = rules.find(members => wanted !== undefined && members.includes(wanted)) ?? rules[0] ?? []
  const excluded = schema.oneOf ? rules.flat().filter(member => !ruled.includes(member)) : []
  const required = [...(schema.required ?? []), ...(schema.then?.required ?? []), ...ruled, ...(wanted === undefined ? [] : [wanted])]
  const members = Object.entries(properties)
    .filter(([member]) => !excluded.includes(member))
    .map(([member, to]) => [member, valueOf(to, specials, `${name}.${member}`, member === wanted ? rest : [])] as const)
  const known = fc.record(Object.fromEntries(members), { requiredKeys: required, noNullPrototype: true })
  if (!additionalProperties && members.length > 0) return known
  const values = additionalProperties ? valueOf(additionalProperties, specials, `${name}{}`) : word
  const others = fc.dictionary(fc.string({ maxLength: 8 }), values, { maxKeys: 3, noNullPrototype: true })
  if (!step || !('key' in step)) return others
  return fc.tuple(others, valueOf(additionalProperties!, specials, `${name}{}`, rest)).map(([more, value]) => ({ ...more, key: value }))
}

function listOf({ items = {}, minItems = 0 }: SchemaNode, specials: Specials, name: string, steps: readonly Step[]): Arbitrary<unknown> {
  const [step, ...rest] = steps
  const entry = valueOf(items, specials, `${name}[]`, step ? rest : [])
  return fc.array(entry, { minLength: step ? 1 : minItems, maxLength: 2 })
}

const word = fc.string({ unit: 'grapheme', maxLength: 8 }).map(text => `${canary} ${text}`)

function textOf({ pattern, maxLength = 100 }: SchemaNode): Arbitrary<string> {
  if (pattern !== undefined)
    return fc
      .stringMatching(new RegExp(pattern))
      .map(text => text.slice(0, maxLength))
      .filter(text => new RegExp(pattern).test(text))
  return word.map(text => [...text].slice(0, maxLength).join(''))
}
