import { hedgePercentiles, type SendingRules } from '../contracts/provider.ts'
import { milliseconds } from '../validation/milliseconds.ts'

// How requests are sent: options of every provider plugin, and settings of the server for providers without them.

export const timeoutsOption = {
  type: 'object',
  additionalProperties: false,
  properties: {
    /** As in `Timeouts`, like the others. */
    connectMs: milliseconds,
    /** To the first event of a stream. */
    firstEventMs: milliseconds,
    /** From one event of a stream to the next. */
    betweenEventsMs: milliseconds,
    /** The whole attempt. */
    totalMs: milliseconds,
  },
  description:
    'Timeouts for one attempt: to connect, to the first event of a stream, between its events, and in total. Defaults: those of `server.timeouts`.',
} as const

export const slowStreamOption = {
  type: 'object',
  additionalProperties: false,
  required: ['tokensPerSecond', 'overMs'],
  properties: {
    tokensPerSecond: { type: 'number', exclusiveMinimum: 0, description: 'The pace that is expected, estimated from the text.' },
    overMs: { ...milliseconds, description: 'How long a stream may take to reach this speed, counted from its first event.' },
  },
  description:
    'A stream this slow counts as a timeout, and the next endpoint is tried, if one is left. The caller sees nothing of a stream until it has shown its pace. Default: `server.slowStream`.',
} as const

export const hedgeAfterOption = {
  anyOf: [milliseconds, { enum: hedgePercentiles }, { const: false }],
  description:
    'When to ask a second endpoint if the first one has not begun to answer: after so many milliseconds, or after a percentile of its times to the first event in the last 15 minutes (of whole answers, if the request does not stream). The first to answer wins, and the other is aborted. Vendors may bill both; the caller pays for the answer alone. Default: `server.hedgeAfter`.',
} as const

/** Spread these into a provider's options, and pass their values on to `httpProvider`. */
export const sendingOptions = {
  timeouts: timeoutsOption,
  maxConcurrent: {
    type: 'integer',
    minimum: 1,
    description:
      'The most requests under way at this provider at once, in all processes that count together. Others wait in a queue; callers take turns. Default: no limit.',
  },
  maxQueued: {
    type: 'integer',
    minimum: 0,
    description:
      'The most requests that wait for `maxConcurrent`, which it needs, in each process. Beyond that, the next endpoint is tried; if none is left, the answer is a 503 with `retry-after`. Default: 100.',
  },
  slowStream: slowStreamOption,
  hedgeAfter: hedgeAfterOption,
} as const

/** The options of a plugin that are about sending. */
export function sendingRules({ timeouts, maxConcurrent, maxQueued, slowStream, hedgeAfter }: SendingRules): SendingRules {
  return {
    ...(timeouts && { timeouts }),
    ...(maxConcurrent !== undefined && { maxConcurrent }),
    ...(maxQueued !== undefined && { maxQueued }),
    ...(slowStream && { slowStream }),
    ...(hedgeAfter !== undefined && { hedgeAfter }),
  }
}
