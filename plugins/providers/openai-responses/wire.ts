import type { JsonObject } from '../../../core/index.ts'

// What the vendor sends is looked at member by member: hosts of this dialect leave out, null and misname more than any schema admits.

export function object(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}

export function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(entry => object(entry) !== undefined) : []
}

/** A string that says something. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
