import { isObject, type JsonObject } from '../../core/index.ts'
import { firstText } from '../../core/kit.ts'

// Replies are read member by member, because hosts of this dialect omit, null and rename more than any schema allows.

export function object(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined
}

export function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** A string that is not empty. */
export function text(value: unknown): string | undefined {
  return firstText(value)
}

export function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
