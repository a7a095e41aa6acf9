import { isObject } from '../../core/foundation/json.ts'
import type { ToOwner } from './messages.ts'

// The checks of what comes to the owner. A process of another release, or with a fault, must not end it.

/** Longer ones are no names of buckets, groups, windows or fields. */
const maxNameLength = 2_000
const maxListed = 10_000

type Check = (value: unknown) => boolean

const name: Check = value => typeof value === 'string' && value.length <= maxNameLength
const number: Check = value => typeof value === 'number' && Number.isFinite(value)
/** 0 or more. */
const amount: Check = value => number(value) && (value as number) >= 0
const optional =
  (check: Check): Check =>
  value =>
    value === undefined || value === null || check(value)
const list =
  (check: Check): Check =>
  value =>
    Array.isArray(value) && value.length <= maxListed && value.every(check)
const object =
  (checks: Readonly<Record<string, Check>>): Check =>
  value =>
    isObject(value) && Object.entries(checks).every(([member, check]) => check(value[member]))
const numbers: Check = value =>
  isObject(value) &&
  Object.entries(value).length <= maxListed &&
  Object.entries(value).every(([field, count]) => name(field) && number(count))

const window = { bucket: name, tokens: amount, windowMs: amount }
const saved = optional(object({ used: amount, endsInMs: number }))
const flag: Check = value => typeof value === 'boolean'
const place = { bucket: name, place: name }
const windowClaim = object({ ...window, amount, saved })
const windowChange = object({
  group: name,
  bucket: name,
  windowMs: amount,
  run: optional(name),
  endsInMs: optional(number),
  amount: number,
})
const sharedChange = object({ map: name, key: name, forMs: number })

/** By name: the arguments of each call. */
const calls: Readonly<Record<string, readonly Check[]>> = {
  claim: [object({ group: name, places: list(object({ ...place, limit: amount })), windows: list(windowClaim) })],
  change: [list(windowChange), list(object({ ...place, group: name, isHeld: flag }))],
  states: [name, list(object({ ...window, saved }))],
  beat: [numbers],
  gauges: [],
  exchange: [list(object({ name, counts: numbers, forMs: amount })), optional(name)],
}

/** A message in a line that came to the owner. Undefined if it is none. */
export function toOwnerIn(line: string): ToOwner | undefined {
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    return undefined
  }
  return isToOwner(message) ? message : undefined
}

function isToOwner(message: unknown): message is ToOwner {
  if (!Array.isArray(message)) return false
  const [kind, ...rest] = message as readonly unknown[]
  if (kind === 'hello') return rest.length === 2 && number(rest[0]) && name(rest[1])
  if (kind === 'subscribe') return rest.length === 0
  if (kind === 'publish') return rest.length === 1 && sharedChange(rest[0])
  if (kind !== 'call') return false
  const [id, call, ...given] = rest
  const checks = typeof call === 'string' && Object.hasOwn(calls, call) ? calls[call]! : undefined
  return number(id) && checks !== undefined && checks.length === given.length && checks.every((check, index) => check(given[index]))
}
