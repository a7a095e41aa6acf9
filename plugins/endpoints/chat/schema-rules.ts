import { maxTextLength } from '../../../core/kit.ts'

// What the schemas of a request share. Members may be null, and unknown ones are allowed everywhere.

export const string = { type: 'string' } as const
export const boolean = { type: ['boolean', 'null'] } as const
export const optionalString = { type: ['string', 'null'] } as const
export const text = { type: 'string', maxLength: maxTextLength } as const

type Rule = Readonly<Record<string, unknown>>

/** `then` for values whose `member` is one of the keys. Others are allowed: they go to upstreams of the same dialect. */
export function byValueOf(member: string, rules: Readonly<Record<string, Rule>>) {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return Object.entries(rules).map(([value, then]) => ({ if: { required: [member], properties: { [member]: { const: value } } }, then }))
}
