import { alertFormats, alertKinds, alertSeverities } from '../../../core/stores.ts'

const secret = { type: 'string', minLength: 1, maxLength: 200 } as const

/** A target of the operator. */
const target = {
  type: 'object',
  additionalProperties: false,
  required: ['url'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 100, description: 'How logs and lists call the target. Default: its host.' },
    url: {
      type: 'string',
      format: 'uri',
      pattern: '^https?://',
      maxLength: 2_000,
      writeOnly: true,
      description:
        'The address that gets a POST for each alert. It may be in a private network. With defaults(): TURNPIKE_ALERT_WEBHOOK_URL.',
    },
    format: {
      enum: alertFormats,
      default: 'json',
      description:
        'The form of the messages: that of a service, or `json`, the format of the gateway. With defaults(): TURNPIKE_ALERT_WEBHOOK_FORMAT.',
    },
    secret: {
      anyOf: [secret, { type: 'array', minItems: 1, maxItems: 3, items: secret }],
      writeOnly: true,
      description:
        'Signs messages as standardwebhooks.com describes: `whsec_` and the base64 of 24 to 64 bytes. Several, the newest first, to rotate it. Default: messages are not signed.',
    },
    kinds: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { enum: alertKinds },
      description: 'Only alerts of these kinds. Default: all.',
    },
    orgs: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', minLength: 1 },
      description: 'Only alerts of these organizations. Default: all, and those of the gateway.',
    },
    minSeverity: { enum: alertSeverities, default: 'info', description: 'The lowest severity of alerts to send.' },
  },
} as const

export const webhookOptions = {
  type: 'object',
  additionalProperties: false,
  properties: {
    targets: {
      type: 'array',
      maxItems: 50,
      default: [],
      items: target,
      description: 'Who gets the alerts of the gateway and of all organizations. With defaults(): TURNPIKE_ALERT_WEBHOOK_URL.',
    },
    maxTargetsPerOrganization: {
      type: 'integer',
      minimum: 0,
      maximum: 100,
      default: 20,
      description: 'How many targets an organization may have. They are set through the admin API. 0: none.',
    },
    allowPrivateAddresses: {
      type: 'boolean',
      default: false,
      description:
        'true: targets of organizations may be in private networks, on this machine too, and begin with http:. Otherwise they must be public, and begin with https:.',
    },
  },
} as const
