/** The option `background` of the plugin. */
export const backgroundOption = {
  type: 'object',
  additionalProperties: false,
  default: {},
  description: 'Responses that run in the background: docs/protocol/background.md. They need a store that keeps them.',
  properties: {
    maxRunning: {
      type: 'integer',
      minimum: 0,
      default: 1_000,
      description: 'How many may run at once in this gateway. 0: none, and requests with `background` wait for the answer.',
    },
    maxRunningPerKey: {
      type: 'integer',
      minimum: 1,
      default: 50,
      description: 'How many of one API key may run at once, in all processes that count together.',
    },
    maxEventBytes: {
      type: 'integer',
      minimum: 65_536,
      default: 67_108_864,
      description: 'The most that the events of one response may take, in characters. A response with more ends with an error.',
    },
    keepHours: {
      type: 'integer',
      minimum: 1,
      maximum: 24,
      default: 24,
      description: 'How many hours after its end a stream can be resumed, and a failed or cancelled response be read.',
    },
    webhook: {
      type: 'object',
      additionalProperties: false,
      required: ['url', 'secret'],
      description: 'Whom to tell when a response has ended: its id and status, without content. Default: nobody.',
      properties: {
        url: { type: 'string', format: 'uri', pattern: '^https?://', description: 'The address that gets a POST.' },
        secret: {
          type: 'string',
          minLength: 16,
          writeOnly: true,
          description: 'Signs the POST as standardwebhooks.com describes. `whsec_` and base64, or any other text.',
        },
        allowPrivate: {
          type: 'boolean',
          default: false,
          description:
            'true: the address may be in a private network, and begin with http:. Otherwise it must be public, and begin with https:.',
        },
      },
    },
  },
} as const

export interface BackgroundOptions {
  readonly maxRunning: number
  readonly maxRunningPerKey: number
  readonly maxEventBytes: number
  readonly keepHours: number
  readonly webhook?: WebhookOptions
}

export interface WebhookOptions {
  readonly url: string
  readonly secret: string
  readonly allowPrivate: boolean
}
