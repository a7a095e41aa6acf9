import { createRequire } from 'node:module'
import type { Ajv, Options } from 'ajv'
import { characters } from './characters.ts'
import type { SchemaRules } from './schema-rules.ts'
import { textLengths } from './text-length.ts'

/** Functions outside compiled validators that they call. */
export interface References {
  readonly formats: SchemaRules['formats']
  readonly characters: typeof characters
}

export function referencesOf({ formats }: SchemaRules): References {
  return { formats, characters }
}

const require = createRequire(import.meta.url)

/** Loads ajv, so call this only if there is something to compile: loading takes 40 ms, which a start can do without. */
export function ajvFor({ options, formats = {}, countsCharacters }: SchemaRules, more: Options = {}): Ajv {
  const module = require('ajv') as typeof import('ajv')
  const ajv = new module.Ajv({ ...options, ...more, code: { ...options.code, ...more.code } })
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format)
  const replaced = countsCharacters ? textLengths(module) : []
  for (const definition of replaced) ajv.removeKeyword(definition.keyword as string).addKeyword(definition)
  return ajv
}
