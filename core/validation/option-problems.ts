import { isObject } from '../foundation/json.ts'
import { nearest } from '../foundation/nearest.ts'
import { millisecondsProblem } from './milliseconds.ts'
import { pathText } from './path.ts'
import { pathsTo } from './paths-to.ts'
import type { SchemaFault } from './schema-rules.ts'

export interface OptionProblemsRules {
  /** The owner of the options, as the start of every path: `server`. */
  readonly root?: string
  /** By the name of a format, what completes "must be …". */
  readonly formats?: Readonly<Record<string, string>>
  /** Where to set an option that is nowhere in the schema, as the end of a sentence. */
  readonly elsewhere?: (name: string) => string | undefined
}

/**
 * The mistakes in options that are configured, each in a few words: the option by its path, and what was expected. `schema`: that of the
 * options. What came is added if the validator is verbose and the option is not secret.
 */
export function optionProblems(
  errors: readonly SchemaFault[],
  schema: object,
  { root = '', formats = {}, elsewhere = () => undefined }: OptionProblemsRules = {},
): readonly string[] {
  const relevant = errors.filter(
    error => error.keyword !== 'anyOf' && !errors.some(other => isNearer(other, error)) && !errors.some(other => isPlainer(other, error)),
  )
  const problems = relevant.map(error => {
    const path = pathText([...(root ? [root] : []), ...stepsOf(error.instancePath)])
    const { keyword, params } = error
    if (keyword === 'required') return `${path && `${path}.`}${params.missingProperty} is missing`
    if (keyword === 'additionalProperties')
      return unknown({ path, root, name: String(params.additionalProperty), owner: ownerOf(error, schema), schema, elsewhere })
    const forms = relevant.filter(other => other.instancePath === error.instancePath && isForm(other))
    const expected = isForm(error) ? forms.map(formOf).join(' or ') : formats[params.format]
    const { example, source } = described(error, schema)
    const limit = keyword === 'pattern' && example !== undefined ? `must look like ${example}` : limitOf(error)
    return `${path || 'the value'} ${expected === undefined ? limit : `must be ${expected}`}${came(error)}${source}`
  })
  return [...new Set(problems)]
}

/** If an option may have several forms, errors about a form of another type are noise once one form has the right type. */
function isNearer(other: SchemaFault, error: SchemaFault): boolean {
  const { schemaPath, instancePath } = error
  const form = schemaPath.lastIndexOf('/anyOf/')
  if (!isForm(error) || form < 0 || other.keyword === 'anyOf') return false
  if (isForm(other) && other.instancePath === instancePath) return false
  return other.schemaPath.startsWith(schemaPath.slice(0, form + '/anyOf/'.length)) && other.instancePath.startsWith(instancePath)
}

/** A format has a name, and a pattern beside it says the same again. */
function isPlainer(other: SchemaFault, error: SchemaFault): boolean {
  return error.keyword === 'pattern' && other.keyword === 'format' && other.instancePath === error.instancePath
}

/** Reads two things from the description of an option: the example after `such as`, and the variable that `defaults()` reads. */
function described({ schemaPath, params }: SchemaFault, schema: object): { readonly example?: string; readonly source: string } {
  const { description } = (at(stepsOf(schemaPath).slice(0, -1), schema) ?? {}) as { readonly description?: unknown }
  const text = typeof description === 'string' ? description : ''
  const variable = /With defaults\(\): ([A-Z0-9_]+(?: or [A-Z0-9_]+)*)/.exec(text)?.[1]
  const example = /such as `?([^\s`,]+)/.exec(text)?.[1]?.replace(/[.;:]$/, '')
  return {
    ...(example !== undefined && new RegExp(String(params.pattern)).test(example) && { example }),
    source: variable === undefined ? '' : ` (${variable} with defaults())`,
  }
}

/** True if the error lists the allowed values, so that those of all forms of an option make one sentence. */
function isForm({ keyword }: SchemaFault): boolean {
  return keyword === 'type' || keyword === 'enum' || keyword === 'const'
}

function formOf({ keyword, params, parentSchema }: SchemaFault): string {
  if (keyword === 'enum') return `one of ${(params.allowedValues as readonly unknown[]).join(', ')}`
  if (keyword === 'const') return String(params.allowedValue)
  return [params.type as string | readonly string[]]
    .flat()
    .map(type => (type === 'object' ? `an object${membersOf(parentSchema)}` : withArticle(type)))
    .join(' or ')
}

/** Too many members say less than none. */
const maxMembers = 6

function membersOf(schema: SchemaFault['parentSchema']): string {
  const names = Object.keys((schema?.['properties'] ?? {}) as object)
  return names.length > 0 && names.length <= maxMembers ? ` of ${names.join(', ')}` : ''
}

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

function limitOf({ keyword, message, params }: SchemaFault): string {
  switch (keyword) {
    case 'minLength':
    case 'minItems':
      return params.limit === 1 ? 'must not be empty' : message!
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'exclusiveMinimum':
      return `must be above ${params.limit}`
    case 'maximum':
      return millisecondsProblem(keyword, params.limit) ?? `must be at most ${params.limit}`
    default:
      return message ?? 'is not valid'
  }
}

interface UnknownOption {
  readonly path: string
  readonly root: string
  readonly name: string
  readonly owner: unknown
  readonly schema: object
  readonly elsewhere: (name: string) => string | undefined
}

/** The exact name in another place says more than a similar one here. */
function unknown({ path, root, name, owner, schema, elsewhere }: UnknownOption): string {
  const shown = `${path && `${path}.`}${name}`
  const within = pathsTo(name, schema).map(place => (root === '' ? place : `${root}.${place}`))
  if (within.length > 0) return `unknown option ${shown}; set ${within.slice(0, 3).join(' or ')} instead`
  const known = isObject(owner) ? Object.keys(owner['properties'] ?? {}) : []
  const near = nearest(name, known)
  const place = elsewhere(name)
  if (place !== undefined) return `unknown option ${shown}; ${place}${near.length > 0 ? ` (or did you mean ${near.join(', ')}?)` : ''}`
  const advice = near.length > 0 ? `; did you mean ${near.join(', ')}?` : known.length > 0 ? ` (expected ${known.join(', ')})` : ''
  return `unknown option ${shown}${advice}`
}

function ownerOf({ schemaPath }: SchemaFault, schema: object): unknown {
  return at(stepsOf(schemaPath).slice(0, -1), schema)
}

function at(steps: readonly (string | number)[], schema: object): unknown {
  return steps.reduce<unknown>((value, step) => (value as Readonly<Record<string, unknown>> | undefined)?.[step], schema)
}

/** An object may hold a secret. JSON has no NaN, which a config gets from `Number(env('PORT'))`. */
function came({ data, parentSchema }: SchemaFault): string {
  if (!parentSchema || parentSchema['writeOnly'] === true) return ''
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) return ', got an object'
  return `, got ${typeof data === 'number' && !Number.isFinite(data) ? String(data) : JSON.stringify(data)}`
}

/** For pointers such as `/models/0` and `#/properties/models`. */
function stepsOf(pointer: string): readonly (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map(step => (/^\d+$/.test(step) ? Number(step) : decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')))
}
