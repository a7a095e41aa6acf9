import { complaint } from './complaint.ts'
import { isCompiledByBuild, lazyValidator } from './lazy-validator.ts'
import { ajvFor } from './compiler.ts'
import { nameMembers } from './known-names.ts'
import type { SchemaRules } from './schema-rules.ts'

/**
 * Returns a function that validates a body by a schema. It throws a 400 for the first problem, which names the field by its path. The
 * schema is compiled at the first call.
 */
export function bodyValidator(schema: object): (body: object) => void {
  return validatorBy(schema, bodyRules)
}

/** Like `bodyValidator`, for a body that contains a plugin's own schema: whatever JSON Schema allows is right in it. */
export function looseBodyValidator(schema: object): (body: object) => void {
  return validatorBy(schema, looseRules)
}

function validatorBy(schema: object, rules: SchemaRules): (body: object) => void {
  const validator = lazyValidator(schema, rules)
  nameMembers(schema)
  return body => {
    const validate = validator()
    if (!validate(body)) throw complaint(validate.errors!, body, schema)
  }
}

/** Schemas that were found to be right. They belong to plugins, which may be set up in several gateways. */
const sound = new WeakSet<object>()

/** Why `looseBodyValidator` cannot use a schema, if it cannot: `schema` is that of a body, with the plugin's own schema in it. */
export function bodySchemaProblem(schema: object, own: object): string | undefined {
  if (sound.has(own) || isCompiledByBuild(schema, looseRules)) return undefined
  try {
    const ajv = ajvFor(looseRules, { meta: true, validateSchema: true, strictSchema: true })
    ajv.addVocabulary([...extensionsIn(own)])
    // First by itself, for a path that starts at the plugin's schema.
    if (!ajv.validateSchema(own)) return ajv.errorsText(ajv.errors, { dataVar: 'schema' })
    ajv.compile(own)
    ajv.compile(schema)
    sound.add(own)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const bodyRules: SchemaRules = {
  name: 'body',
  options: {
    // The schema is our own. Validating it too would only slow down every start.
    meta: false,
    validateSchema: false,
    discriminator: true,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    // Optimizing doubles the compile time and saves nothing, because V8 optimizes anyway.
    code: { optimize: false },
  },
  countsCharacters: true,
}

const looseRules: SchemaRules = { ...bodyRules, name: 'loose-body', options: { ...bodyRules.options, strict: false, logger: false } }

/** Keywords that only other programs read. A keyword without `x-` that is unknown is probably misspelled. */
function extensionsIn(schema: object, found = new Set<string>()): ReadonlySet<string> {
  for (const [name, member] of Object.entries(schema)) {
    if (name.startsWith('x-')) found.add(name)
    if (typeof member === 'object' && member !== null) extensionsIn(member as object, found)
  }
  return found
}
