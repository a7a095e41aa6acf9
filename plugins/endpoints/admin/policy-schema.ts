import { policyFields } from '../../../core/admin.ts'
import type { JsonObject, PolicyLayer } from '../../../core/index.ts'

function setting(level: 'account' | 'key', hasSettings: boolean): JsonObject {
  return {
    type: ['object', 'null'],
    required: ['value'],
    additionalProperties: false,
    properties: {
      value: { type: 'boolean', description: 'true: the field is on.' },
      ...(level === 'account' && {
        enforced: { type: 'boolean', description: 'Locks the field on all keys below. Without it, the setting has no effect.' },
      }),
      ...(hasSettings && { settings: { type: 'object', description: 'For the plugin that enforces the field.' } }),
    },
  }
}

/** Fields that are left out stay as they are; null removes one. */
export function policySchema(level: 'account' | 'key'): JsonObject {
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(policyFields.map(field => [field, setting(level, field === 'redaction')])),
  }
}

/** The policy after a change: null removes a field. */
export function changedPolicy<P extends PolicyLayer>(policy: P, change: Readonly<Record<string, P[keyof P] | null>>): P {
  const changed = Object.entries({ ...policy, ...change }).filter(([, setting]) => setting !== null && setting !== undefined)
  return Object.fromEntries(changed) as P
}
