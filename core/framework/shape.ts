import { misspelledMembers, unknownMembers } from './misspelled-members.ts'
import { maxMs } from '../validation/milliseconds.ts'

/** A check of one member of a contribution. `expected` completes the sentence "expected …". */
export interface Member {
  readonly expected: string
  readonly accepts: (value: unknown) => boolean
  /** The first problem inside an accepted value, as the end of a sentence. */
  readonly within?: (value: unknown) => string | undefined
}

/** Checks by member name. Other members are not checked. */
export type Shape = Readonly<Record<string, Member>>

/** The members that a contract requires. */
export type RequiredNames<T> = { [N in keyof T]-?: {} extends Pick<T, N> ? never : N }[keyof T]

/** The first problem of a contribution, as the end of a sentence that starts with its name. Undefined if it is valid. */
export function shapeProblem(value: unknown, shape: Shape): string | undefined {
  if (typeof value !== 'object' || value === null) return `: expected an object, got ${show(value)}${instanceOf(value)}`
  for (const name in shape) {
    const { expected, accepts, within } = shape[name]!
    const member: unknown = value[name as keyof typeof value]
    if (!accepts(member)) return ` with a bad \`${name}\`: expected ${expected}, got ${show(member)}${renaming(value, name, shape)}`
    const inner = within?.(member)
    if (inner !== undefined) return ` with \`${name}\`${inner}`
  }
  return undefined
}

/** What to do about a class in the place of an object. */
function instanceOf(value: unknown): string {
  const isClass = typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))
  return isClass ? `. Make one of the class: new ${value.name || 'it'}(…)` : ''
}

/** What may be there in the place of a member that is not: one under another name. */
function renaming(value: object, name: string, shape: Shape): string {
  if (value[name as keyof typeof value] !== undefined) return ''
  const found = misspelledMembers(value, shape, 2).find(([, meant]) => meant === name)
  if (found) return `. Rename \`${found[0]}\` if that was meant`
  const others = unknownMembers(value, shape).filter(each => shape[name]!.accepts(value[each as keyof typeof value]))
  return others.length === 1 ? `. It has \`${others[0]}\`, which the contract does not know` : ''
}

export const text: Member = { expected: 'a non-empty string', accepts: value => typeof value === 'string' && value !== '' }
export const method: Member = { expected: 'a function', accepts: value => typeof value === 'function' }
export const flag: Member = { expected: 'true or false', accepts: value => typeof value === 'boolean' }
/** The part before the slash in `provider/model`. */
export const slug: Member = {
  expected: 'a non-empty string without slashes or white space',
  accepts: value => typeof value === 'string' && /^[^\s/]+$/.test(value),
}
export const texts: Member = { expected: 'an array of strings', accepts: value => Array.isArray(value) && value.every(text.accepts) }
export function isAboveZero(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value < Infinity
}

export function count(least: number): Member {
  return { expected: `a whole number from ${least}`, accepts: value => Number.isSafeInteger(value) && (value as number) >= least }
}

export const milliseconds: Member = {
  expected: `a number of milliseconds above 0, at most ${maxMs}`,
  accepts: value => typeof value === 'number' && value > 0 && value <= maxMs,
}

export function optional({ expected, accepts, within }: Member): Member {
  return {
    expected: `${expected}, or nothing`,
    accepts: value => value === undefined || accepts(value),
    within: value => (value === undefined ? undefined : within?.(value)),
  }
}

export function oneOf(...values: readonly string[]): Member {
  const [last, ...others] = values.map(value => `"${value}"`).reverse()
  const expected = others.length > 0 ? `${others.reverse().join(', ')} or ${last}` : last!
  return { expected, accepts: value => typeof value === 'string' && values.includes(value) }
}

/** Shortens values: long strings may be secrets, and objects would fill the line. */
export function show(value: unknown): string {
  if (typeof value === 'string') return isShortText(value) ? JSON.stringify(value) : 'a longer string'
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return value.length <= 4 && value.every(isShortText) ? JSON.stringify(value) : 'an array'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

function isShortText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 40
}
