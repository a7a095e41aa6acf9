import { complaint } from './complaint.ts'
import { lazyValidator } from './lazy-validator.ts'
import type { SchemaRules } from './schema-rules.ts'
import { textLengths } from './text-length.ts'

/**
 * Returns a function that validates a body by a schema. It throws a 400 for the first problem, which names the field by its path. The
 * schema is compiled at the first call.
 */
export function bodyValidator(schema: object): (body: object) => void {
  const validator = lazyValidator(schema, bodyRules)
  return body => {
    const validate = validator()
    if (!validate(body)) throw complaint(validate.errors!, body, schema)
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
  keywords: textLengths,
}
