// Reading what vendors sent, none of which is certain.

export type Json = Readonly<Record<string, unknown>>

/** The value as an object; an empty one where it is none. */
export function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function string(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The value as a number, or null. */
export function count(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}
