import { defaultAlertRules } from '../core/contracts/alert-rules.ts'

const { spentPercent, thresholds } = defaultAlertRules

/** The option `server.alerts`. */
export const alertSchema = {
  type: 'object',
  additionalProperties: false,
  default: { spentPercent: [...spentPercent], thresholds: [...thresholds] },
  properties: {
    spentPercent: {
      type: 'array',
      items: { type: 'integer', minimum: 1, maximum: 100 },
      uniqueItems: true,
      maxItems: 20,
      default: [...spentPercent],
      description: 'The parts of a spend cap or a credit to tell of, in percent.',
    },
    thresholds: {
      type: 'array',
      maxItems: 50,
      default: [...thresholds],
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['of'],
        properties: {
          of: {
            enum: ['gateway', 'providers', 'models'],
            description:
              '`gateway` adds up all requests. The others compare the attempts at each provider, or at each model of a provider.',
          },
          only: {
            type: 'array',
            items: { type: 'string', minLength: 1 },
            minItems: 1,
            maxItems: 100,
            description: 'Only these providers, by id, or models, as `provider/model`. Not with `gateway`.',
          },
          errorShare: {
            type: 'number',
            exclusiveMinimum: 0,
            maximum: 1,
            description: 'Tells when this share, such as 0.2, failed through a vendor or the gateway.',
          },
          p95Ms: {
            type: 'integer',
            minimum: 1,
            maximum: 3_600_000,
            description: 'Tells when the slowest twentieth took this long or longer. At most half of `windowMinutes`.',
          },
          minRequests: {
            type: 'integer',
            minimum: 1,
            default: 20,
            description: 'With fewer requests or attempts in the window, nothing is told.',
          },
          windowMinutes: {
            type: 'integer',
            minimum: 1,
            maximum: 1_440,
            default: 5,
            description: 'How far to look back. A request counts at the minute of its arrival.',
          },
        },
      },
      description: 'Thresholds for failures and latency.',
    },
    keyUnusedDays: {
      type: 'integer',
      minimum: 1,
      maximum: 3_650,
      description: 'Tells of API keys without a request for so many days. Default: never.',
    },
  },
  description: 'What to tell operators, if a plugin delivers alerts. See docs/alerts.md.',
} as const
