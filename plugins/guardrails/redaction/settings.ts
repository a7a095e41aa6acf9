import type { Wire } from '../../../core/kit.ts'

export const detectorNames = ['secret', 'email', 'iban', 'card', 'national_id', 'phone', 'ip', 'birth_date', 'person'] as const
export type DetectorName = (typeof detectorNames)[number]

const texts = { type: 'array', items: { type: 'string', minLength: 1, maxLength: 1_000 }, maxItems: 1_000 } as const

/** The redaction settings of a policy: docs/redaction.md#settings. */
export const settingsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    detectors: { type: 'array', items: { enum: detectorNames }, uniqueItems: true },
    custom: {
      type: 'array',
      maxItems: 50,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'pattern'],
        properties: {
          name: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_]{0,39}$' },
          pattern: { type: 'string', minLength: 1, maxLength: 1_000 },
        },
      },
    },
    allow: texts,
    deny: texts,
    replacement: { enum: ['placeholder', 'mask', 'refuse'] },
    restore: { type: 'boolean' },
    unreadable: { enum: ['pass', 'refuse'] },
  },
} as const

export type Settings = Wire<typeof settingsSchema>

/** Finds of dates and names are often wrong, so a key has to ask for them. */
export const usualDetectors: readonly DetectorName[] = ['secret', 'email', 'iban', 'card', 'national_id', 'phone', 'ip']
