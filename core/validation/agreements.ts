import { features } from '../contracts/feature.ts'

const url = { type: 'string', format: 'uri' } as const
const excludes = {
  type: 'array',
  items: { enum: features },
  uniqueItems: true,
  description: 'Features that it does not cover. Requests that use any of these are not sent there.',
} as const

/** The schema of an option `zdr`: the zero-data-retention policy of a service that sees content. */
export const zdrAgreement = {
  type: 'object',
  additionalProperties: false,
  required: ['policy_url'],
  properties: {
    /** The page with the policy. */
    policy_url: url,
    /** The page with the certificate, if there is one. */
    certificate_url: url,
    excludes,
  },
} as const

/** The schema of an option `hipaa`: the business associate agreement with a service that sees content. */
export const hipaaAgreement = {
  type: 'object',
  additionalProperties: false,
  required: ['baa_url'],
  properties: {
    /** Where to read the agreement. */
    baa_url: url,
    /** Default: none. */
    excludes,
  },
} as const
