import type { FromSchema } from 'json-schema-to-ts'
import { alertSchema } from './alert-schema.ts'
import { hedgeAfterOption, slowStreamOption } from '../core/provider-kit/sending-options.ts'
import { defaultSettings } from '../core/framework/settings.ts'
import { milliseconds } from '../core/validation/milliseconds.ts'

/** The `server` section of the config: where to listen, and how the gateway as a whole behaves. */
export const serverSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    host: {
      type: 'string',
      format: 'listen-address',
      default: '127.0.0.1',
      description: 'The address to listen on. `0.0.0.0` means all interfaces of the machine.',
    },
    port: { type: 'integer', minimum: 0, maximum: 65_535, default: 8080, description: 'The port to listen on. 0 takes any free one.' },
    workers: {
      anyOf: [{ const: 'auto' }, { type: 'integer', minimum: 1, maximum: 256 }],
      default: 1,
      description:
        'How many processes serve. `auto` is one for each core that the gateway may use. With more than one, a further process starts them and replaces those that end. See docs/workers.md.',
    },
    admin: {
      anyOf: [
        { const: false },
        {
          type: 'object',
          additionalProperties: false,
          properties: {
            host: { type: 'string', format: 'listen-address', description: 'The address. Default: `127.0.0.1`.' },
            port: {
              type: 'integer',
              minimum: 0,
              maximum: 65_535,
              description: 'The port. Default: 8081, or any free one if `server.port` is 0.',
            },
            hosts: {
              type: 'array',
              items: { type: 'string', format: 'host-name' },
              description:
                'Names and addresses that clients use for the listener, such as that of a proxy: `gateway.example.com`. Requests for any other host get a 421. `localhost`, the address that a connection reached and the host of `publicUrl` in the option `openId` of the dashboard need no entry.',
            },
            trustedProxies: {
              type: 'array',
              items: { type: 'string', format: 'network' },
              description:
                'Addresses and networks, such as `10.0.0.0/8`, of proxies whose header `x-forwarded-for` says where a request comes from. Wrong admin tokens are counted by that address.',
            },
          },
        },
      ],
      description:
        'Where the admin API listens, if a plugin adds one: never on the port of the public API. `false` turns it off. `--admin-host` and `--admin-port` replace its address. With `tls`, it uses the same certificate.',
    },
    logLevel: {
      enum: ['debug', 'info', 'warn', 'error', 'silent'],
      default: defaultSettings.logLevel,
      description: "The lowest level of lines in the gateway's log, which goes to standard error.",
    },
    trustedPlugins: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      default: defaultSettings.trustedPlugins,
      description:
        'Plugins, by name, whose exceptions the log shows with message and stack at the level `debug`: your own, while you write them. A message may quote a prompt, so never those of a request whose policy has `logging` off.',
    },
    maxBodyBytes: {
      type: 'integer',
      minimum: 1,
      default: defaultSettings.maxBodyBytes,
      description: 'The largest request body, after decompression. A larger one is a 413.',
    },
    maxLiveBodyBytes: {
      type: 'integer',
      minimum: 1,
      default: defaultSettings.maxLiveBodyBytes,
      description:
        'The most bytes of the bodies of all requests in progress together, each until it is answered. One API key may use half of it. Beyond that, requests get a 503 with `retry-after`. A body takes up to five times its length in memory.',
    },
    maxConnections: {
      type: 'integer',
      minimum: 1,
      default: defaultSettings.maxConnections,
      description:
        'How many connections plugins may keep open after an upgrade, such as WebSockets. One API key may have half of them. Beyond that an upgrade is a 503 with `retry-after`. Other connections do not count.',
    },
    maxAnswerBytes: {
      type: 'integer',
      minimum: 1,
      default: defaultSettings.maxAnswerBytes,
      description:
        'The most memory that one answer may take, by estimate: two bytes per character, 128 per event, 2,048 per output item. A larger answer ends as a failure of its provider.',
    },
    maxAnswerEvents: {
      type: 'integer',
      minimum: 1,
      default: defaultSettings.maxAnswerEvents,
      description:
        'The most events, such as pieces of text, that a provider may send for one answer. An answer with more ends as a failure.',
    },
    maxLiveAnswerBytes: {
      type: 'integer',
      minimum: 1,
      default: defaultSettings.maxLiveAnswerBytes,
      description:
        'The most memory that all answers in progress may take together, by the same estimate. An answer counts until its client has read it. Above the limit, the owner whose answers take the most loses its largest one, with a 503. In practice, answers take about four times this memory.',
    },
    commitAfterMs: {
      ...milliseconds,
      default: defaultSettings.commitAfterMs,
      description: 'After this time a stream sends its status, even if nothing has been generated yet.',
    },
    heartbeatMs: {
      ...milliseconds,
      default: defaultSettings.heartbeatMs,
      description: 'How long a stream may be silent before the gateway sends something to keep it open.',
    },
    runTimeoutMs: {
      ...milliseconds,
      default: defaultSettings.runTimeoutMs,
      description: 'The most time that one request may take, waits included.',
    },
    creditWaitMs: {
      ...milliseconds,
      minimum: 0,
      default: defaultSettings.creditWaitMs,
      description: 'How long a request may wait for room under a spend cap while running requests hold it. 0: not at all.',
    },
    storeTimeoutMs: {
      ...milliseconds,
      default: defaultSettings.storeTimeoutMs,
      description:
        'How long a request may wait to read an earlier response, and then to store its own. After that, a read is a 503, and a response is not stored. While large responses are being stored, the limit grows by a second for each million of their characters.',
    },
    timeouts: {
      type: 'object',
      additionalProperties: false,
      default: defaultSettings.timeouts,
      properties: {
        connectMs: { ...milliseconds, default: defaultSettings.timeouts.connectMs, description: 'To connect.' },
        firstEventMs: { ...milliseconds, default: defaultSettings.timeouts.firstEventMs, description: 'To the first event of a stream.' },
        betweenEventsMs: {
          ...milliseconds,
          default: defaultSettings.timeouts.betweenEventsMs,
          description: 'Between two events of a stream.',
        },
        totalMs: { ...milliseconds, default: defaultSettings.timeouts.totalMs, description: 'The whole attempt.' },
      },
      description: "Timeouts for one attempt at a provider. A provider's own option `timeouts` overrides them.",
    },
    slowStream: {
      ...slowStreamOption,
      description: 'For providers without their own `slowStream`: the pace below which a stream counts as too slow.',
    },
    hedgeAfter: { ...hedgeAfterOption, description: 'For providers without their own `hedgeAfter`: when to ask a second endpoint.' },
    maxToolRounds: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: defaultSettings.maxToolRounds,
      description: "How often a model may use the gateway's tools in one request. After that, it is asked once more without them.",
    },
    maxToolCalls: {
      type: 'integer',
      minimum: 1,
      maximum: 10_000,
      default: defaultSettings.maxToolCalls,
      description:
        "The most calls of the gateway's tools in one request. A request can only lower it, with `max_tool_calls`. Further calls do not run.",
    },
    maxToolOutputCharacters: {
      type: 'integer',
      minimum: 1_000,
      default: defaultSettings.maxToolOutputCharacters,
      description: 'The longest output of a tool that a model reads. Longer ones are cut.',
    },
    maxAttempts: {
      type: 'integer',
      minimum: 1,
      default: defaultSettings.maxAttempts,
      description: 'The most endpoints to try for one request.',
    },
    sessionHeaders: {
      type: 'array',
      items: { type: 'string', pattern: '^[a-z0-9!#$%&*+.^_|~-]+$' },
      maxItems: 16,
      default: [...defaultSettings.sessionHeaders],
      description:
        'The headers that name the session of a request, in lower case: the first one with a value counts, and comes before members of the body. See docs/sessions.md.',
    },
    affinityMs: {
      ...milliseconds,
      minimum: 0,
      default: defaultSettings.affinityMs,
      description:
        'How long the requests of a session or of a `user`, and responses that continue each other, stay at the endpoint that answered last, because its prompt cache is warm. 0 turns this off.',
    },
    affinityDistance: {
      type: 'number',
      minimum: 0,
      default: defaultSettings.affinityDistance,
      description:
        'How much worse than the best endpoint the one with the warm prompt cache may be. 0.5 keeps an endpoint that takes up to 50% longer.',
    },
    retries: {
      type: 'integer',
      minimum: 0,
      default: defaultSettings.retries,
      description:
        'How often to retry the last remaining endpoint after a failure that may pass, such as a broken connection or a 503. The waits are short and random.',
    },
    mediaHosts: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      default: [],
      description:
        'Hosts in private networks, such as `images.internal:9000`, that callers may name in the URL of an image or a file. All public addresses are allowed. Everything else is refused, no matter whether the gateway or the provider would fetch it.',
    },
    maxMediaCount: {
      type: 'integer',
      minimum: 0,
      default: defaultSettings.maxMediaCount,
      description:
        'The most images and files that the gateway fetches for one request, for providers that only take them inline. More are a 400.',
    },
    maxMediaBytes: {
      type: 'integer',
      minimum: 1,
      default: defaultSettings.maxMediaBytes,
      description:
        'The most bytes of images and files that the gateway fetches for one request. More are a 400. What callers send inline only counts toward `maxBodyBytes`.',
    },
    maxHeldMediaBytes: {
      type: 'integer',
      minimum: 1,
      default: defaultSettings.maxHeldMediaBytes,
      description:
        'The most bytes of fetched images and files that all requests hold together until the providers answer. A request above the limit waits up to 10 s, then gets a 503 with `retry-after`. In memory they take a third more.',
    },
    tls: {
      type: 'object',
      additionalProperties: false,
      required: ['cert', 'key'],
      properties: {
        cert: { type: 'string', minLength: 1, description: 'A PEM file with the certificate and its chain.' },
        key: { type: 'string', minLength: 1, description: 'A PEM file with the private key.' },
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
          items: { type: 'string', format: 'cors-origin' },
          description: 'Exact origins, such as `https://app.example.com`. `*` allows any origin.',
        },
        maxAgeSeconds: {
          type: 'integer',
          minimum: 1,
          default: 600,
          description: 'How long a browser may cache the answer to a preflight.',
        },
      },
      description:
        'The web pages that may call the gateway from a browser. Without it, browsers block all of them. Everyone who opens a page can read an API key in it.',
    },
    alerts: alertSchema,
    extraCaFile: {
      type: 'string',
      minLength: 1,
      description:
        'A PEM file with certificate authorities to trust for connections to providers, in addition to those of Node.js. A relative path starts at the folder of the config. Use it where a company inspects TLS traffic.',
    },
    drainAnnounceMs: {
      ...milliseconds,
      minimum: 0,
      default: 5_000,
      description:
        'After SIGTERM or SIGINT, how long the gateway still takes connections while health checks get a 503 and every answer closes its connection, so that load balancers send new requests elsewhere. A second signal ends it. A gateway that was started from a terminal does without.',
    },
    drainTimeoutMs: {
      ...milliseconds,
      minimum: 0,
      default: 30_000,
      description: 'After `drainAnnounceMs`, how long open requests may continue before they end with an error.',
    },
  },
} as const

/** As the config has it. */
export type ServerInput = Readonly<FromSchema<typeof serverSchema, { keepDefaultedPropertiesOptional: true }>>
/** With all defaults filled in. */
export type ServerOptions = Readonly<FromSchema<typeof serverSchema>>
