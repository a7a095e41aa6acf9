import type { FromSchema } from 'json-schema-to-ts'
import { defaultSettings } from '../core/settings.ts'

const milliseconds = { type: 'integer', minimum: 1 } as const

/** The `server` section of the config: where to listen, and how the gateway as a whole behaves. */
export const serverSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    host: {
      type: 'string',
      // What listhen takes; it would serve on localhost instead of anything else.
      pattern: '^[0-9A-Za-z.:-]{1,63}$',
      default: '127.0.0.1',
      description: 'The address to listen on. `0.0.0.0` is every interface of the machine.',
    },
    port: { type: 'integer', minimum: 0, maximum: 65_535, default: 8080, description: 'The port to listen on. 0 takes any free one.' },
    logLevel: {
      enum: ['debug', 'info', 'warn', 'error', 'silent'],
      default: defaultSettings.logLevel,
      description: "The least serious kind of line in the gateway's own log, which goes to standard error.",
    },
    maxBodyBytes: {
      type: 'integer',
      minimum: 1,
      default: defaultSettings.maxBodyBytes,
      description: 'The largest request body, after decompression. A larger one is a 413.',
    },
    commitAfterMs: {
      ...milliseconds,
      default: defaultSettings.commitAfterMs,
      description: 'A stream sends its status after this long, although nothing was generated yet.',
    },
    heartbeatMs: {
      ...milliseconds,
      default: defaultSettings.heartbeatMs,
      description: 'How long a stream may be silent before something is sent to keep it open.',
    },
    runTimeoutMs: { ...milliseconds, default: defaultSettings.runTimeoutMs, description: 'The whole life of one request.' },
    storeTimeoutMs: {
      ...milliseconds,
      default: defaultSettings.storeTimeoutMs,
      description: 'How long storing a response may hold back its end.',
    },
    maxAttempts: {
      type: 'integer',
      minimum: 1,
      default: defaultSettings.maxAttempts,
      description: 'How many endpoints are tried for one request, at most.',
    },
    mediaHosts: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      default: [],
      description:
        'Hosts in private networks, such as `images.internal:9000`, from which images and files that callers name by URL may be fetched. All public addresses are allowed, everything else is refused.',
    },
    tls: {
      type: 'object',
      additionalProperties: false,
      required: ['cert', 'key'],
      properties: {
        cert: { type: 'string', minLength: 1, description: 'The file of the certificate and those that it depends on, in PEM.' },
        key: { type: 'string', minLength: 1, description: 'The file of its private key, in PEM.' },
        passphrase: { type: 'string', minLength: 1, writeOnly: true, description: 'The passphrase of the private key, if it has one.' },
      },
      description: 'Serve HTTPS instead of HTTP. Paths are relative to the config.',
    },
    cors: {
      type: 'object',
      additionalProperties: false,
      required: ['origins'],
      properties: {
        origins: {
          type: 'array',
          minItems: 1,
          items: { type: 'string', pattern: '^(\\*|[a-z][a-z0-9+.-]*://[^/\\s]+)$' },
          description: 'The origins, such as `https://app.example.com`; `*` is any.',
        },
        maxAgeSeconds: {
          type: 'integer',
          minimum: 1,
          default: 600,
          description: 'How long a browser may keep the answer to a preflight.',
        },
      },
      description:
        'The web pages that may call the gateway from a browser. Without it, browsers refuse them all. An API key in a page can be read by everybody who opens it.',
    },
    drainTimeoutMs: {
      type: 'integer',
      minimum: 0,
      default: 30_000,
      description:
        'After SIGTERM or SIGINT, how long open requests may go on before they are ended with an error. Connections that clients keep open are told to close with their next answer.',
    },
  },
} as const

/** As a config author writes it. */
export type ServerInput = Readonly<FromSchema<typeof serverSchema, { keepDefaultedPropertiesOptional: true }>>
/** With every default filled in. */
export type ServerOptions = Readonly<FromSchema<typeof serverSchema>>
