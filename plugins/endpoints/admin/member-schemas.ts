import type { JsonObject } from '../../../core/index.ts'
import { idSchema, textSchema } from '../../../core/admin.ts'

// Members that several objects have. Null removes a setting.

/** An account may be named by a person, so ids are not only those that the gateway makes. */
export const idText: JsonObject = { type: 'string', ...idSchema }
export const nameText: JsonObject = { type: 'string', ...textSchema }
export const metadataSchema: JsonObject = {
  type: ['object', 'null'],
  maxProperties: 16,
  propertyNames: { maxLength: 64 },
  additionalProperties: { type: 'string', maxLength: 512 },
}
