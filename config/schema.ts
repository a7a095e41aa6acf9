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
      description: 'The largest request body; a larger one is a 413.',
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
    extraCaFile: {
      type: 'string',
      minLength: 1,
      description:
        'A PEM file with certificate authorities to trust for connections to providers, in addition to those of Node.js. Use it where a company inspects TLS traffic.',
    },
    drainTimeoutMs: {
      type: 'integer',
      minimum: 0,
      default: 30_000,
      description: 'After SIGTERM or SIGINT, how long open requests may go on before they are ended with an error.',
    },
  },
} as const

/** As a config author writes it. */
export type ServerInput = Readonly<FromSchema<typeof serverSchema, { keepDefaultedPropertiesOptional: true }>>
/** With every default filled in. */
export type ServerOptions = Readonly<FromSchema<typeof serverSchema>>
