import type { JsonObject } from '../../../core/index.ts'

// Members that several objects have. Null removes a setting.

const longestId = 64
/** An account may be named by a person, so ids are not only those that the gateway makes. */
export const idSchema: JsonObject = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._@-]*$', maxLength: longestId }
/** Begins with something visible. No control characters: a terminal would obey them, and Postgres stores no NUL. */
export const nameSchema: JsonObject = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*$',
}
export const spendCapSchema: JsonObject = { type: ['number', 'null'], minimum: 0, maximum: 1_000_000_000, description: 'US dollars.' }
export const spendPeriodSchema: JsonObject = {
  enum: ['day', 'week', 'month', null],
  description: 'In UTC; a week starts on Monday. Null: the cap is for all time.',
}
export const metadataSchema: JsonObject = {
  type: ['object', 'null'],
  maxProperties: 16,
  propertyNames: { maxLength: 64 },
  additionalProperties: { type: 'string', maxLength: 512 },
}
export const timeSchema: JsonObject = { type: 'string', description: 'A time such as 2026-01-31T12:00:00.000Z.' }
