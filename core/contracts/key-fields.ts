import type { ShownObject, WithAbsent } from './field-types.ts'
import { idSchema, type Fields, type Json } from './fields.ts'
import type { Level, PolicyField, PolicyLayer } from './policy.ts'

/** Everything that an API key has, except its secret. */
export const keyFields = {
  id: { type: 'text', about: 'The middle part of `tp_<id>_<secret>`.' },
  hash: { type: 'text', shownAs: null, about: "HMAC-SHA-256 of the whole key under the server's pepper, base64url." },
  previous: {
    type: 'json' as Json<readonly EarlierSecret[]>,
    optional: true,
    shownAs: null,
    about: 'After rotations, the hashes of earlier secrets, the newest first.',
  },
  name: { type: 'text', set: 'always', about: 'A name for people.' },
  org: { type: 'text', set: 'once', schema: idSchema, about: 'The organization. Default: default, or that of the admin token.' },
  team: { type: 'text', optional: true, set: 'once', schema: idSchema, about: 'The team.' },
  user: { type: 'text', optional: true, set: 'once', schema: idSchema, about: 'The user.' },
  policy: { type: 'json' as Json<PolicyLayer>, set: 'always', about: 'The settings of the key for each field of the policy.' },
  models: {
    type: 'names',
    optional: true,
    set: 'always',
    option: '--models <a,b>',
    about: 'The models it may use: names, aliases, provider/model, and patterns such as openai/*. Default: all.',
  },
  providers: {
    type: 'names',
    optional: true,
    set: 'always',
    option: '--providers <a,b>',
    about: 'The providers it may use: ids, and patterns with *. Default: all.',
  },
  tools: {
    type: 'names',
    optional: true,
    set: 'always',
    option: '--tools <a,b>',
    revision: 34,
    about: 'The tools of the gateway it may use: types, mcp/server, mcp/server/tool, and patterns such as mcp/docs/get_*. Default: all.',
  },
  guardrails: {
    type: 'names',
    optional: true,
    ifMissing: [],
    set: 'always',
    about: 'Guardrails to apply in addition to those that always apply.',
  },
  allowUnpriced: {
    type: 'flag',
    optional: true,
    ifMissing: false,
    set: 'always',
    option: '--allow-unpriced',
    about: 'With a cap or credit: allow models without a known price.',
  },
  spendCapUsd: {
    type: 'number',
    optional: true,
    set: 'always',
    option: '--spend-cap <usd>',
    schema: { minimum: 0, maximum: 1_000_000_000 },
    about: 'The most it may spend, in US dollars.',
  },
  spendPeriod: {
    type: 'text',
    choices: ['day', 'week', 'month'],
    optional: true,
    set: 'always',
    option: '--spend-period <period>',
    about: 'The period of the cap, in UTC; a week starts on Monday. Default: a cap on all time.',
  },
  limits: {
    type: 'json' as Json<readonly KeyLimit[], readonly ShownLimit[]>,
    optional: true,
    ifMissing: [],
    set: 'always',
    option: '--limits <list>',
    about: 'The most tokens or requests to models in windows, such as 100000t/60s,10r/1s:exact on the command line.',
  },
  maxConcurrency: {
    type: 'integer',
    optional: true,
    set: 'always',
    option: '--max-concurrency <number>',
    schema: { minimum: 1, maximum: 1_000_000 },
    about: 'The most requests to models in progress at once.',
  },
  expiresAt: {
    type: 'time',
    optional: true,
    set: 'always',
    option: '--expires <time>',
    about: 'The time when it stops working, such as 2026-12-31T00:00:00Z.',
  },
  disabled: { type: 'flag', optional: true, ifMissing: false, set: 'always', about: 'True if its requests are refused.' },
  hidden: {
    type: 'mark',
    optional: true,
    shownAs: null,
    about: 'It was deleted but has records, so it is disabled and left out of lists.',
  },
  metadata: {
    type: 'json' as Json<Readonly<Record<string, string>>>,
    optional: true,
    ifMissing: {},
    set: 'always',
    about: 'Texts by name, for your own use.',
  },
  policySource: {
    type: 'json' as Json<Readonly<Record<PolicyField, Level>>>,
    optional: true,
    computed: true,
    about: 'The level that sets each field of the policy. Missing if the policy is not available.',
  },
  policyError: { type: 'text', optional: true, computed: true, about: 'Why the policy is not available.' },
  createdAt: { type: 'time', about: 'The time of creation.' },
  previousValidUntil: { type: 'time', optional: true, computed: true, about: 'The last time when an earlier secret works.' },
  lastUsedAt: { type: 'time', optional: true, computed: true, about: 'The arrival of its latest request.' },
  spentUsd: { type: 'number', computed: true, about: 'US dollars: in the period of its cap or, without a cap, in all.' },
  heldUsd: {
    type: 'number',
    optional: true,
    computed: true,
    about: 'US dollars of its cap that requests under way hold, or that a gateway held which ended a minute ago. Missing without a cap.',
  },
  leftUsd: {
    type: 'number',
    optional: true,
    computed: true,
    about: 'US dollars of its cap that are neither spent nor held. Missing without a cap.',
  },
} as const satisfies Fields

/** A stored API key: everything but the secret. */
export interface ApiKey extends WithAbsent<typeof keyFields> {}

/** A key as the admin API shows it. */
export interface ShownKey extends ShownObject<typeof keyFields> {}

/** Valid until `validUntil`, in milliseconds since the epoch. */
export interface EarlierSecret {
  readonly hash: string
  readonly validUntil: number
}

/** The most tokens, or the most requests to models, in a window. */
export type KeyLimit = {
  readonly windowMs: number
  /** Requests are refused with 503 while it cannot be kept across all processes. */
  readonly exact?: boolean
} & ({ readonly tokens: number; readonly requests?: undefined } | { readonly requests: number; readonly tokens?: undefined })

/** A limit as the admin API shows it. */
export interface ShownLimit {
  /** Absent if it limits requests. */
  readonly tokens?: number
  /** Absent if it limits tokens. */
  readonly requests?: number
  /** Seconds. */
  readonly window_s: number
  /** Requests are refused with 503 while it cannot be kept across all processes. Default: false. */
  readonly exact?: boolean
}
