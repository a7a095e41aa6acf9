// For surfaces whose callers may send what only a vendor's own API has: which of it the operator allows.

/** An option that names what callers may send. */
export const allowedOption = {
  anyOf: [{ type: 'boolean' }, { type: 'array', items: { type: 'string', minLength: 1 } }],
  default: true,
} as const

/** True for a name that such an option allows: `true` allows all, `false` none, a list what it names. An entry may end in `*`. */
export function allowedBy(option: boolean | readonly string[]): (name: string) => boolean {
  if (typeof option === 'boolean') return () => option
  return name => option.some(entry => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry))
}

/** Ends of warnings about what was left out. */
export const turnedOff = 'was left out: the operator has turned it off'
export { unpriced } from '../generation/lowering/parameters.ts'
