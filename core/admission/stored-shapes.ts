import { accountFields } from '../contracts/account-fields.ts'
import type { JsonNames, StoredNames } from '../contracts/field-types.ts'
import type { Field, Fields } from '../contracts/fields.ts'
import { keyFields } from '../contracts/key-fields.ts'
import { isObject, isPlainObject } from '../foundation/json.ts'
import { flag, oneOf, optional, text, texts, type Member, type Shape } from '../framework/shape.ts'

// The values that core can work with: a row with any other value would lose its limits unnoticed.

const string: Member = { expected: 'a string', accepts: value => typeof value === 'string' }
const time: Member = { expected: 'a number of milliseconds since the epoch', accepts: value => Number.isFinite(value) }
const amount: Member = { expected: 'a number from 0', accepts: isAmount }
const policy: Member = { expected: 'a plain object', accepts: isPlainObject }
const metadata: Member = {
  expected: 'an object of strings',
  accepts: value => isObject(value) && Object.values(value).every(string.accepts),
}
const previous: Member = {
  expected: 'an array of { hash: a string, validUntil: a number of milliseconds since the epoch }',
  accepts: value => isArrayOf(value, ({ hash, validUntil }) => text.accepts(hash) && time.accepts(validUntil)),
}
const limits: Member = {
  expected: 'an array of { windowMs: a number above 0 } with either { tokens } or { requests }, a number from 0',
  accepts: value =>
    isArrayOf(
      value,
      ({ windowMs, tokens, requests, exact }) =>
        isAmount(windowMs) &&
        windowMs > 0 &&
        (exact === undefined || typeof exact === 'boolean') &&
        (tokens === undefined ? isAmount(requests) : requests === undefined && isAmount(tokens)),
    ),
}

/** Read field by field when it applies, by `readLayer`. */
const readLater: Member = { expected: 'a policy', accepts: () => true }

export const keyShape = shapeOf(keyFields, { name: string, previous, policy: readLater, limits, metadata })
export const accountShape = shapeOf(accountFields, { name: string, policy, metadata })

/** A check for each stored field. `own`: checks of fields whose type alone does not say enough; the compiler demands one for all JSON. */
function shapeOf<L extends Fields>(list: L, own: Readonly<Record<JsonNames<L> & StoredNames<L>, Member>> & Shape): Shape {
  const stored = Object.entries(list).filter(([, { computed }]) => !computed)
  return Object.fromEntries(
    stored.map(([name, field]) => {
      const member = own[name] ?? memberOf(field)
      return [name, field.optional ? optional(member) : member]
    }),
  )
}

function memberOf({ type, choices }: Field): Member {
  if (choices) return oneOf(...choices)
  switch (type) {
    case 'integer':
    case 'number':
      return amount
    case 'time':
      return time
    case 'flag':
    case 'mark':
      return flag
    case 'names':
      return texts
    default:
      return text
  }
}

function isAmount(value: unknown): value is number {
  return Number.isFinite(value) && (value as number) >= 0
}

function isArrayOf(value: unknown, accepts: (each: Readonly<Record<string, unknown>>) => boolean): boolean {
  return Array.isArray(value) && value.every(each => isObject(each) && accepts(each))
}
