import type { JsonObject } from '../../../core/index.ts'
import { alertFormats, alertKinds, alertMessageStates, alertSeverities, type AlertMessage } from '../../../core/stores.ts'
import type { AlertTargetView } from '../../../core/admin.ts'
import type { Shown } from './descriptions.ts'
import { time } from './replies.ts'

/** A target as the API shows it. The address and the secrets are never shown again. */
export function shownTarget(target: AlertTargetView): JsonObject {
  const { id, org, name, format, host, urlEnd, secretEnds, kinds, minSeverity, orgs, disabled, createdAt } = target
  const { waiting, failed, deliveredAt, endedAt } = target
  return {
    object: 'alert_target',
    id,
    org,
    source: org === null ? 'config' : 'api',
    name,
    format,
    host,
    url_end: urlEnd,
    secret_ends: secretEnds,
    kinds,
    min_severity: minSeverity,
    orgs,
    disabled,
    waiting,
    failed,
    delivered_at: deliveredAt === null ? null : time(deliveredAt),
    ended_at: endedAt === null ? null : time(endedAt),
    created_at: createdAt === 0 ? null : time(createdAt),
  }
}

export function shownMessage({ id, target, org, kind, alert, digest, state, at, tries, failure, endedAt }: AlertMessage): JsonObject {
  return {
    object: 'alert_message',
    id,
    target,
    org,
    kind,
    alert,
    digest: digest && { from: time(digest.from), to: time(digest.to), counts: digest.counts },
    state,
    tries,
    failure,
    created_at: time(at),
    ended_at: endedAt === null ? null : time(endedAt),
  }
}

const text = { type: 'string' }
const textOrNull = { type: ['string', 'null'] }
const count = { type: 'integer', minimum: 0 }

export const targetShown: Shown = [
  'AlertTarget',
  {
    type: 'object',
    properties: {
      object: { const: 'alert_target' },
      id: text,
      org: { ...textOrNull, description: 'Null: a target of the operator.' },
      source: { enum: ['config', 'api'], description: 'Those of the config are changed there.' },
      name: text,
      format: { enum: [...alertFormats] },
      host: text,
      url_end: { ...textOrNull, description: 'The last four characters of the address, unless it is short.' },
      secret_ends: { type: 'array', items: text, description: 'The last four characters of each secret.' },
      kinds: { type: ['array', 'null'], items: { enum: [...alertKinds] } },
      min_severity: { enum: [...alertSeverities] },
      orgs: { type: ['array', 'null'], items: text, description: 'The organizations whose alerts it gets. Null: all.' },
      disabled: { type: 'boolean' },
      waiting: { ...count, description: 'How many messages wait to be delivered.' },
      failed: { ...count, description: 'How many could not be delivered.' },
      delivered_at: { ...textOrNull, description: 'When the last message of the last 7 days was delivered.' },
      ended_at: {
        ...textOrNull,
        description: 'When it answered 410 Gone. It gets nothing until a test succeeds or its address is changed.',
      },
      created_at: textOrNull,
    },
  },
]

export const messageShown: Shown = [
  'AlertMessage',
  {
    type: 'object',
    properties: {
      object: { const: 'alert_message' },
      id: { ...text, description: 'The webhook-id, which is the same at every try.' },
      target: text,
      org: textOrNull,
      kind: { enum: [...alertKinds, 'digest'] },
      alert: { ...textOrNull, description: 'The id of the alert. Null: a digest.' },
      digest: { type: ['object', 'null'], description: 'How many alerts of each kind were left out.' },
      state: { enum: [...alertMessageStates] },
      tries: count,
      failure: { ...textOrNull, description: 'Why the last try failed.' },
      created_at: text,
      ended_at: textOrNull,
    },
  },
]
