import { nearest } from '../../core/kit.ts'

/** Reports each problem of a value, as a sentence that names its path. */
export type Check = (value: unknown, path: string, report: (problem: string) => void) => void

/** A check for each member of a table. */
export type Shape<T> = { readonly [N in keyof Required<T>]: Check }

/** All problems of a table, each in a few words. `required`: members that it must have. */
export function problemsOf(table: unknown, shape: Readonly<Record<string, Check>>, required: readonly string[] = []): readonly string[] {
  const problems: string[] = []
  membersLike(shape, required)(table, '', problem => void problems.push(problem))
  return problems
}

/** An object whose members are all known. Those that are undefined are absent. `required`: those that may not be. */
export function membersLike(shape: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  const known = Object.keys(shape)
  return (value, path, report) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return report(wrong(path, known.length > maxListed ? 'an object' : `an object of ${known.join(', ')}`, value))
    for (const name of required)
      if ((value as Readonly<Record<string, unknown>>)[name] === undefined) report(`${stepped(path, name)} is missing`)
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue
      const check = Object.hasOwn(shape, name) ? shape[name] : undefined
      if (check) check(member, stepped(path, name), report)
      else report(`unknown member ${stepped(path, name)}${advice(name, known)}`)
    }
  }
}

/** An object of any names, or of these. */
export function recordOf(check: Check, names?: readonly string[]): Check {
  return (value, path, report) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return report(wrong(path, 'an object', value))
    for (const [name, member] of Object.entries(value)) {
      if (names && !names.includes(name)) report(`unknown member ${stepped(path, name)}${advice(name, names)}`)
      else check(member, stepped(path, name), report)
    }
  }
}

export function listOf(check: Check): Check {
  return (value, path, report) => {
    if (!Array.isArray(value)) return report(wrong(path, 'an array', value))
    for (const [index, each] of value.entries()) check(each, `${path}[${index}]`, report)
  }
}

/** One of these words. */
export function wordOf(...words: readonly string[]): Check {
  return (value, path, report) => {
    if (words.includes(value as string)) return
    const near = typeof value === 'string' ? nearest(value, words) : []
    report(
      `${wrong(path, words.length > 1 ? `one of ${words.join(', ')}` : words[0]!, value)}${near.length > 0 ? `; did you mean ${near.join(', ')}?` : ''}`,
    )
  }
}

/** A value that passes `accepts`. `expected` completes "must be …". */
export function valueLike(expected: string, accepts: (value: unknown) => boolean): Check {
  return (value, path, report) => {
    if (!accepts(value)) report(wrong(path, expected, value))
  }
}

export const someText = valueLike('a text that is not empty', value => typeof value === 'string' && value !== '')
export const turnedOn = valueLike('true, or left out', value => value === true)
export const aFunction = valueLike('a function', value => typeof value === 'function')
export const aPattern = valueLike(
  'a regular expression without the flags g and y',
  value => value instanceof RegExp && !value.global && !value.sticky,
)
export const anObject = valueLike('an object', value => typeof value === 'object' && value !== null && !Array.isArray(value))
export const aDottedPath = valueLike(
  'a dotted path such as meta.tokens',
  value => typeof value === 'string' && /^[^.\s]+(\.[^.\s]+)*$/.test(value),
)
export const aPath = valueLike('a path such as /chat/completions', value => typeof value === 'string' && /^\/[^\s?#]*$/.test(value))
export const aCount = valueLike('a whole number above 0', value => Number.isSafeInteger(value) && (value as number) > 0)

function stepped(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function advice(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  if (near.length > 0) return `; did you mean ${near.join(', ')}?`
  return known.length > maxListed ? ' (docs/dialects.md lists those that there are)' : ` (expected ${known.join(', ')})`
}

/** More names say less than none. */
const maxListed = 16

function wrong(path: string, expected: string, value: unknown): string {
  return `${path || 'the table'} must be ${expected}, got ${shown(value)}`
}

const maxShown = 40

/** A long text may be a secret, and an object would fill the line. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value.length <= maxShown ? JSON.stringify(value) : 'a longer text'
  if (typeof value === 'function') return 'a function'
  if (value instanceof RegExp) return String(value).slice(0, maxShown)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
