import { accountLevels, type Account } from '../contracts/account-store.ts'
import { spendPeriods, type ApiKey } from '../contracts/key-store.ts'
import { isObject, isPlainObject } from '../foundation/json.ts'
import { flag, oneOf, optional, text, texts, type Member, type Shape } from '../framework/shape.ts'

// What core can work with: a row with anything else would lose its limits unnoticed. The compiler demands every member of the contracts.

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
      ({ windowMs, tokens, requests }) =>
        isAmount(windowMs) && windowMs > 0 && (tokens === undefined ? isAmount(requests) : requests === undefined && isAmount(tokens)),
    ),
}

/** Read field by field when it applies, by `readLayer`. */
const readLater: Member = { expected: 'a policy', accepts: () => true }

export const keyShape = {
  id: text,
  hash: text,
  previous: optional(previous),
  name: string,
  org: text,
  team: optional(text),
  user: optional(text),
  policy: readLater,
  models: optional(texts),
  providers: optional(texts),
  spendCapUsd: optional(amount),
  allowUnpriced: optional(flag),
  spendPeriod: optional(oneOf(...spendPeriods)),
  limits: optional(limits),
  maxConcurrency: optional(amount),
  guardrails: optional(texts),
  expiresAt: optional(time),
  disabled: optional(flag),
  hidden: optional(flag),
  metadata: optional(metadata),
  createdAt: time,
} satisfies { readonly [M in keyof ApiKey]-?: Member } & Shape

export const accountShape = {
  level: oneOf(...accountLevels),
  org: text,
  id: text,
  name: string,
  team: optional(text),
  policy,
  spendCapUsd: optional(amount),
  spendPeriod: optional(oneOf(...spendPeriods)),
  hasCredit: optional(flag),
  metadata: optional(metadata),
  createdAt: time,
} satisfies { readonly [M in keyof Account]-?: Member } & Shape

function isAmount(value: unknown): value is number {
  return Number.isFinite(value) && (value as number) >= 0
}

function isArrayOf(value: unknown, accepts: (each: Readonly<Record<string, unknown>>) => boolean): boolean {
  return Array.isArray(value) && value.every(each => isObject(each) && accepts(each))
}
