import fc, { type Arbitrary } from 'fast-check'
import { canary } from './schema-values.ts'

type Key = string | number
type Container = Record<Key, unknown>

/** The changes to one place of a request, and how often each occurs. `as-it-is` is the control: the gateway should accept it. */
const kinds = {
  'as-it-is': 3,
  null: 2,
  missing: 2,
  'more-members': 2,
  prototype: 2,
  unicode: 2,
  twice: 1,
  'another-type': 2,
  'out-of-range': 2,
  empty: 1,
  huge: 1,
  'deeply-nested': 1,
  'unknown-name': 1,
} as const
export type MutationKind = keyof typeof kinds

export interface Mutation {
  readonly kind: MutationKind
  readonly chosen: number
}

export const mutations: Arbitrary<Mutation> = fc.record({
  kind: fc.oneof(...Object.entries(kinds).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind as MutationKind) }))),
  chosen: fc.nat({ max: 1_000 }),
})

const otherTypes: readonly unknown[] = [
  0,
  -1,
  1.5,
  true,
  false,
  canary,
  '',
  [],
  {},
  [[]],
  [null],
  [canary],
  { type: canary },
  { type: null },
]
const outOfRange: readonly unknown[] = [
  -1,
  0,
  0.5,
  21,
  1e21,
  -1e308,
  2 ** 53,
  5e-324,
  '',
  ' ',
  'x'.repeat(129),
  'y'.repeat(513),
  Array(17).fill(canary),
]
const odd: readonly string[] = [
  '\ud800',
  '\udc00\ud800',
  '\u0000',
  '\u2028\u2029',
  '\ufeff',
  '👩‍👩‍👧‍👦',
  'e\u0301'.repeat(40),
  '\u202e',
  '"\\\n\r\t',
  '🙂'.repeat(64),
]
const magicMembers: readonly string[] = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', 'then']
const magicValues: readonly unknown[] = [null, {}, { polluted: true }, canary, [], 1]

/** Changes the value at `path` in `root`, in place. */
export function mutate(root: object, path: readonly Key[], { kind, chosen }: Mutation): void {
  const parent = path.slice(0, -1).reduce<unknown>((value, key) => (value as Container)[key], root) as Container
  const key = path.at(-1)!
  const pick = <T>(from: readonly T[]): T => from[chosen % from.length]!
  const value = parent[key]
  const target = (typeof value === 'object' && value !== null ? value : parent) as Container
  switch (kind) {
    case 'as-it-is':
      return
    case 'missing':
      if (Array.isArray(parent)) parent.splice(key as number, 1)
      else delete parent[key]
      return
    case 'twice':
      if (Array.isArray(parent)) parent.splice(key as number, 0, structuredClone(value))
      else if (Array.isArray(value)) value.push(...structuredClone(value))
      return
    case 'more-members':
      return define(target, `unknown_${chosen}`, pick(magicValues))
    case 'prototype':
      return define(target, pick(magicMembers), pick(magicValues))
    case 'unicode':
      parent[key] = typeof value === 'string' ? pick([`${value}${pick(odd)}`, pick(odd)]) : pick(odd)
      return
    default:
      parent[key] = replacements[kind](pick)
  }
}

const replacements: Readonly<
  Record<
    'null' | 'another-type' | 'out-of-range' | 'empty' | 'huge' | 'deeply-nested' | 'unknown-name',
    (pick: <T>(from: readonly T[]) => T) => unknown
  >
> = {
  null: () => null,
  'another-type': pick => pick(otherTypes),
  'out-of-range': pick => pick(outOfRange),
  empty: pick => pick(['', [], {}]),
  huge: pick =>
    pick([
      canary.repeat(4_000),
      Array(3_000).fill(canary),
      Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`m${index}`, canary])),
    ]),
  'deeply-nested': pick => nested(pick([20, 125, 128, 200, 1_000])),
  'unknown-name': pick => pick([`${canary} name`, 'web_search_preview', 'function', 'message', 'assistant', 'auto', 'MESSAGE']),
}

function nested(depth: number): unknown {
  let value: unknown = canary
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { type: value }
  return value
}

/** As JSON would: `__proto__` becomes a member like any other. */
function define(target: object, name: string, value: unknown): void {
  if (Array.isArray(target)) return void target.push({ [name]: value })
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}
