import { invalidRequest, type JsonObject, type PolicyLayer } from '../../../core/index.ts'
import { bodyValidator } from '../../../core/kit.ts'
import type { KeyChange, KeyLimit, SpendPeriod } from '../../../core/stores.ts'
import { expectedInstant, instantIn } from './instant.ts'
import { idSchema, metadataSchema, nameSchema, spendCapSchema, spendPeriodSchema, timeSchema } from './member-schemas.ts'
import { changedPolicy, policySchema } from './policy-schema.ts'

/** The body of `POST` and `PATCH`. Members of `PATCH` that are null are removed. */
export interface KeyBody {
  readonly name?: string
  readonly org?: string
  readonly team?: string | null
  readonly user?: string | null
  readonly policy?: Readonly<Record<string, PolicyLayer['zdr'] | null>>
  readonly models?: readonly string[] | null
  readonly providers?: readonly string[] | null
  readonly guardrails?: readonly string[] | null
  readonly allow_unpriced?: boolean | null
  readonly spend_cap_usd?: number | null
  readonly spend_period?: SpendPeriod | null
  readonly limits?: readonly LimitBody[] | null
  readonly max_concurrency?: number | null
  readonly expires_at?: string | null
  readonly disabled?: boolean | null
  readonly metadata?: Readonly<Record<string, string>> | null
}

interface LimitBody {
  readonly tokens?: number
  readonly requests?: number
  readonly window_s: number
}

/** Longer windows would outlast the timers that end them. */
const longestWindowSeconds = 24 * 86_400
const names = { type: ['array', 'null'], maxItems: 1_000, uniqueItems: true, items: { type: 'string', minLength: 1, maxLength: 300 } }
const amount = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }

const changeable: JsonObject = {
  name: nameSchema,
  policy: policySchema('key'),
  models: { ...names, description: 'Names, aliases, provider/model, and patterns with *. Null: all.' },
  providers: { ...names, description: 'Ids, and patterns with *. Null: all.' },
  guardrails: { ...names, description: 'Guardrails to apply besides those that always apply.' },
  allow_unpriced: { type: ['boolean', 'null'], description: 'With a cap or credit: allow models without a known price.' },
  spend_cap_usd: spendCapSchema,
  spend_period: spendPeriodSchema,
  limits: {
    type: ['array', 'null'],
    maxItems: 20,
    items: {
      type: 'object',
      required: ['window_s'],
      additionalProperties: false,
      properties: { tokens: amount, requests: amount, window_s: { type: 'integer', minimum: 1, maximum: longestWindowSeconds } },
      oneOf: [{ required: ['tokens'] }, { required: ['requests'] }],
    },
    description: 'The most tokens or requests in each window of so many seconds.',
  },
  max_concurrency: { type: ['integer', 'null'], minimum: 1, maximum: 1_000_000, description: 'Requests to models in progress at once.' },
  expires_at: { ...timeSchema, type: ['string', 'null'] },
  disabled: { type: ['boolean', 'null'] },
  metadata: metadataSchema,
}

export const keyChangeSchema: JsonObject = { type: 'object', additionalProperties: false, properties: changeable }
export const newKeySchema: JsonObject = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: {
    org: { ...idSchema, description: 'Default: default, or the organization of the admin token.' },
    team: { ...idSchema, type: ['string', 'null'] },
    user: { ...idSchema, type: ['string', 'null'] },
    ...changeable,
  },
}

export const checkKeyChange = bodyValidator(keyChangeSchema)
export const checkNewKey = bodyValidator(newKeySchema)

/** Only the members that the body names. */
export function keyChange(key: { readonly policy: PolicyLayer }, body: KeyBody): KeyChange {
  const { name, policy, limits, expires_at: expiresAt, models, providers, guardrails, disabled, metadata } = body
  return {
    ...(name !== undefined && { name }),
    ...(policy !== undefined && { policy: changedPolicy(key.policy, policy) }),
    ...(models !== undefined && { models: models ?? undefined }),
    ...(providers !== undefined && { providers: providers ?? undefined }),
    ...(guardrails !== undefined && { guardrails: guardrails?.length ? guardrails : undefined }),
    ...(body.allow_unpriced !== undefined && { allowUnpriced: body.allow_unpriced ?? undefined }),
    ...(body.spend_cap_usd !== undefined && { spendCapUsd: body.spend_cap_usd ?? undefined }),
    ...(body.spend_period !== undefined && { spendPeriod: body.spend_period ?? undefined }),
    ...(limits !== undefined && { limits: limits?.length ? limits.map(limitOf) : undefined }),
    ...(body.max_concurrency !== undefined && { maxConcurrency: body.max_concurrency ?? undefined }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt === null ? undefined : timeIn(expiresAt) }),
    ...(disabled !== undefined && { disabled: disabled ?? undefined }),
    ...(metadata !== undefined && { metadata: metadata ?? undefined }),
  }
}

function limitOf({ tokens, requests, window_s: seconds }: LimitBody): KeyLimit {
  const windowMs = seconds * 1000
  return tokens === undefined ? { requests: requests!, windowMs } : { tokens, windowMs }
}

function timeIn(text: string): number {
  const ms = instantIn(text)
  if (ms !== undefined) return ms
  throw invalidRequest(`Invalid value for 'expires_at': ${expectedInstant}.`, 'expires_at')
}
