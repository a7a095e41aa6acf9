import { firstText, isObject, type JsonObject } from '../../../core/index.ts'

// What the vendor sends is looked at member by member: hosts of this dialect leave out, null and misname more than any schema admits.

export function object(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined
}

export function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** A string that says something. */
export function text(value: unknown): string | undefined {
  return firstText(value)
}

export function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
