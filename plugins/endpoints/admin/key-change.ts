import type { JsonObject, PolicyLayer } from '../../../core/index.ts'
import { bodyValidator } from '../../../core/kit.ts'
import { keyFields, type KeyChange, type KeyLimit } from '../../../core/stores.ts'
import { fieldsOf, type BodyOf, type ShownLimit } from '../../../core/admin.ts'
import { changedMembers } from './changed-members.ts'
import { bodySchema } from './field-schemas.ts'
import { metadataSchema } from './member-schemas.ts'
import { changedPolicy, policySchema } from './policy-schema.ts'

/** The body of `POST` and `PATCH`. Members of `PATCH` that are null are removed. */
export interface KeyBody extends Omit<BodyOf<typeof keyFields>, 'policy'> {
  readonly policy?: Readonly<Record<string, PolicyLayer['zdr'] | null>>
}

/** Longer windows would outlast the timers that end them. */
const maxWindowSeconds = 24 * 86_400
const amount = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
const limitsSchema: JsonObject = {
  type: ['array', 'null'],
  maxItems: 20,
  items: {
    type: 'object',
    required: ['window_s'],
    additionalProperties: false,
    properties: {
      tokens: amount,
      requests: amount,
      window_s: { type: 'integer', minimum: 1, maximum: maxWindowSeconds },
      exact: { type: 'boolean', description: 'True: requests are refused with 503 while processes cannot count together.' },
    },
    oneOf: [{ required: ['tokens'] }, { required: ['requests'] }],
  },
}
const ownSchemas = { policy: policySchema('key'), limits: limitsSchema, metadata: metadataSchema }

const settable = fieldsOf(keyFields, ({ set }) => set !== undefined)
export const keyChangeSchema = bodySchema(
  fieldsOf(keyFields, ({ set }) => set === 'always'),
  ownSchemas,
)
export const newKeySchema = bodySchema(settable, ownSchemas, ['name'])

export const checkKeyChange = bodyValidator(keyChangeSchema)
export const checkNewKey = bodyValidator(newKeySchema)

/** Only the members that the body names. */
export function keyChange(key: { readonly policy: PolicyLayer }, body: KeyBody): KeyChange {
  return changedMembers(settable, body, {
    policy: (policy: NonNullable<KeyBody['policy']>) => changedPolicy(key.policy, policy),
    limits: (limits: readonly ShownLimit[]) => limits.map(limitOf),
  })
}

function limitOf({ tokens, requests, window_s: seconds, exact }: ShownLimit): KeyLimit {
  const window = { windowMs: seconds * 1000, ...(exact && { exact }) }
  return tokens === undefined ? { requests: requests!, ...window } : { tokens, ...window }
}
