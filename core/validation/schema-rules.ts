import { createRequire } from 'node:module'
import type { Ajv, CodeKeywordDefinition, Format, Options } from 'ajv'
import { characters } from './text-length.ts'

/** How ajv reads a kind of schema, and what its validators do besides checking. */
export interface SchemaRules {
  /** Unique: validators that the build compiled are found by it. */
  readonly name: string
  readonly options: Options
  readonly formats?: Readonly<Record<string, Format>>
  /** Replace ajv's keywords of the same names. */
  readonly keywords?: (ajv: typeof import('ajv')) => readonly CodeKeywordDefinition[]
}

/** What compiled validators call that is not in them. */
export interface References {
  readonly formats: SchemaRules['formats']
  readonly characters: typeof characters
}

export function referencesOf({ formats }: SchemaRules): References {
  return { formats, characters }
}

const require = createRequire(import.meta.url)

/** Loads ajv, so call this only if there is something to compile: loading takes 40 ms, which a start can do without. */
export function ajvFor({ options, formats = {}, keywords }: SchemaRules, more: Options = {}): Ajv {
  const module = require('ajv') as typeof import('ajv')
  const ajv = new module.Ajv({ ...options, ...more, code: { ...options.code, ...more.code } })
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format)
  for (const definition of keywords?.(module) ?? []) ajv.removeKeyword(definition.keyword as string).addKeyword(definition)
  return ajv
}
