import { hash } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import type { Ajv } from 'ajv'
import { ajvFor, referencesOf } from './compiler.ts'
import { precompiled } from './precompiled.ts'
import type { SchemaRules, Validator } from './schema-rules.ts'

/** A schema that may need a validator. Published on a diagnostics channel, from which the build learns what to compile. */
export interface AnnouncedSchema {
  readonly schema: object
  readonly rules: SchemaRules
}

export const announcedSchemas = channel('turnpike:schema')

/**
 * Returns a function that gives the validator of a schema. The first call compiles it, unless the build has, and throws if ajv does not
 * accept the schema.
 */
export function lazyValidator<T = unknown>(schema: object, rules: SchemaRules): () => Validator<T> {
  announcedSchemas.publish({ schema, rules } satisfies AnnouncedSchema)
  let validator: Validator<T> | undefined
  return () => (validator ??= (compiledByBuild(schema, rules) ?? compile(schema, rules)) as Validator<T>)
}

/** The key of a validator among those that the build compiled. */
export function fingerprint(schema: object, { name }: SchemaRules): string {
  return `${name}:${hash('sha256', JSON.stringify(schema), 'base64url')}`
}

export function isCompiledByBuild(schema: object, rules: SchemaRules): boolean {
  return compiledByBuild(schema, rules) !== undefined
}

function compiledByBuild(schema: object, rules: SchemaRules): Validator | undefined {
  if (precompiled.size === 0) return undefined
  return precompiled.get(fingerprint(schema, rules))?.(referencesOf(rules))
}

/** Creating one costs several times what an average schema does. */
const compilers = new WeakMap<SchemaRules, Ajv>()

function compile(schema: object, rules: SchemaRules): Validator {
  let ajv = compilers.get(rules)
  if (!ajv) compilers.set(rules, (ajv = ajvFor(rules)))
  try {
    return ajv.compile(schema)
  } finally {
    // It would keep every schema that it has seen.
    ajv.removeSchema()
  }
}
