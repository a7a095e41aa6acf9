import { hipaaAgreement, milliseconds, zdrAgreement } from '../../../core/kit.ts'
import { versions } from './conventions.ts'
import { signals } from './signals.ts'

const address = { type: 'string', format: 'uri', pattern: '^https?://[^@]+$', writeOnly: true } as const
const headers = { type: 'object', additionalProperties: { type: 'string' }, default: {}, writeOnly: true } as const

export const options = {
  type: 'object',
  additionalProperties: false,
  required: ['endpoint'],
  properties: {
    endpoint: {
      ...address,
      pattern: '^https?://[^@?#]+$',
      description:
        'The address of the collector for OTLP over HTTP, such as http://collector.example.com:4318. `/v1/traces`, `/v1/metrics` and `/v1/logs` are added to it. With defaults(): OTEL_EXPORTER_OTLP_ENDPOINT.',
    },
    urls: {
      type: 'object',
      additionalProperties: false,
      properties: {
        traces: { ...address, description: 'Instead of `endpoint` with `/v1/traces`.' },
        metrics: { ...address, description: 'Instead of `endpoint` with `/v1/metrics`.' },
        logs: { ...address, description: 'Instead of `endpoint` with `/v1/logs`.' },
      },
      default: {},
      description: 'Whole addresses of single signals, if they go elsewhere.',
    },
    headers: {
      ...headers,
      description: 'Headers to send, such as { authorization: `Bearer ${env("COLLECTOR_TOKEN")}` }.',
    },
    signalHeaders: {
      type: 'object',
      additionalProperties: false,
      properties: {
        traces: { ...headers, description: 'For traces.' },
        metrics: { ...headers, description: 'For metrics.' },
        logs: { ...headers, description: 'For log records.' },
      },
      default: {},
      writeOnly: true,
      description: 'More headers, for single signals.',
    },
    signals: {
      type: 'array',
      items: { enum: signals },
      minItems: 1,
      uniqueItems: true,
      default: signals,
      description: 'The signals to send.',
    },
    serviceName: { type: 'string', minLength: 1, default: 'turnpike', description: 'The resource attribute `service.name`.' },
    resource: {
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean'] },
      default: {},
      description: "More resource attributes, such as { 'deployment.environment.name': 'production' }.",
    },
    conventions: {
      enum: versions,
      default: '1.41',
      description:
        'The version of the names for generative AI. 1.41: the last release that has them. latest: the development version as of November 2026, which may change with any version of Turnpike.',
    },
    sampling: {
      type: 'object',
      additionalProperties: false,
      properties: {
        ratio: { type: 'number', minimum: 0, maximum: 1, default: 1, description: 'The share of traces to send.' },
        parent: {
          type: 'boolean',
          default: true,
          description: 'true: a request with a valid header `traceparent` is sampled as its caller says, whatever the ratio.',
        },
        maxPerSecond: {
          type: 'integer',
          minimum: 1,
          maximum: 1_000_000,
          default: 500,
          description: 'The most traces to send in a second, of each process. Under more load, the requests between them have none.',
        },
      },
      default: {},
      description: 'Which traces are sent. Metrics are always of all requests, and log records whatever the sampling.',
    },
    requestLogs: {
      enum: ['failed', 'all'],
      default: 'failed',
      description:
        'The requests that have a log record. failed: those with an error; the spans tell of the others, if they are sampled. all: every request.',
    },
    propagate: {
      type: 'boolean',
      default: true,
      description:
        'true: if traces are sent, vendors get the header `traceparent`, with the trace id and the id of the span of the attempt.',
    },
    accounts: {
      type: 'boolean',
      default: true,
      description: 'true: spans and log records name the key, the organization and the team, by their ids. Metrics never do.',
    },
    content: {
      type: 'boolean',
      default: false,
      description:
        'true: also send prompts and answers of generations, for callers whose policy has logging on and redaction off. They leave the gateway as log records, so `signals` must have traces and logs.',
    },
    zdr: {
      ...zdrAgreement,
      description: 'The zero-data-retention policy of whoever gets the telemetry. Without it, content of keys with zdr on is left out.',
    },
    hipaa: {
      ...hipaaAgreement,
      description:
        'The business associate agreement with whoever gets the telemetry. Without it, content of keys in HIPAA mode is left out.',
    },
    compression: { enum: ['none', 'gzip'], default: 'none', description: 'gzip: compress everything that is sent.' },
    timeoutMs: { ...milliseconds, default: 10_000, description: 'How long one request to the collector may take, in milliseconds.' },
    delayMs: {
      ...milliseconds,
      default: 1_000,
      description: 'How long spans and log records wait for others before they are sent together, in milliseconds.',
    },
    metricIntervalMs: { ...milliseconds, default: 60_000, description: 'How often metrics are sent, in milliseconds.' },
    maxQueueMegabytes: {
      type: 'integer',
      minimum: 1,
      maximum: 1_024,
      default: 8,
      description: 'For each signal: once so much waits to be sent, new spans and log records are dropped and counted.',
    },
    flushMs: {
      type: 'integer',
      minimum: 0,
      maximum: 9_000,
      default: 5_000,
      description: 'How long a stop of the gateway waits for the last of the telemetry, in milliseconds.',
    },
  },
} as const
