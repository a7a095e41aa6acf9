import { defaultAlertRules, type AlertRules } from '../contracts/alert-rules.ts'
import type { HedgeAfter, SlowStream, Timeouts } from '../contracts/provider.ts'
import type { LogLevel } from '../foundation/logger.ts'
import { token } from '../foundation/token.ts'

/** Which web pages may call the gateway from a browser. */
export interface Cors {
  /** Such as `https://app.example.com`. `*` allows any origin. */
  readonly origins: readonly string[]
  /** How long browsers may cache a preflight response. */
  readonly maxAgeSeconds: number
}

/** The `server` section of the config, with defaults filled in. */
export interface Settings {
  readonly logLevel: LogLevel
  /** Plugins whose exceptions the log shows at the level `debug`. */
  readonly trustedPlugins: readonly string[]
  readonly maxBodyBytes: number
  /** How large the bodies of all requests in progress may be together. */
  readonly maxLiveBodyBytes: number
  /** How many connections plugins may keep open, such as WebSockets. */
  readonly maxConnections: number
  /** The most memory that one answer may take, estimated. */
  readonly maxAnswerBytes: number
  /** The most events in one answer. */
  readonly maxAnswerEvents: number
  /** The most memory that all answers in progress may take together, estimated. */
  readonly maxLiveAnswerBytes: number
  /** A stream's status is sent after this long, even if nothing was generated yet. */
  readonly commitAfterMs: number
  /** How long a stream may be silent before a heartbeat is sent. */
  readonly heartbeatMs: number
  /** The time limit for one request. */
  readonly runTimeoutMs: number
  /** How long a request may wait for running ones to release their holds under a spend cap. 0: not at all. */
  readonly creditWaitMs: number
  /** How long a request may wait for the store of responses: to read an earlier one, and to store its own at the end. */
  readonly storeTimeoutMs: number
  /** For providers without their own. */
  readonly timeouts: Timeouts
  readonly slowStream?: SlowStream | undefined
  readonly hedgeAfter?: HedgeAfter | undefined
  readonly maxAttempts: number
  /** The headers that may name a session, in lower case. The first one with a value counts. */
  readonly sessionHeaders: readonly string[]
  /** How long an endpoint's prompt cache counts as warm. 0 turns affinity off. */
  readonly affinityMs: number
  /** How much worse than the best endpoint one with a warm prompt cache may be: 0.5 means up to 50% slower. */
  readonly affinityDistance: number
  /** How many times the last remaining endpoint is retried after a transient failure. */
  readonly retries: number
  /** How often a model may use the gateway's tools before it has to answer. */
  readonly maxToolRounds: number
  /** The most calls of the gateway's tools in one request. `max_tool_calls` can only lower it. */
  readonly maxToolCalls: number
  readonly alerts: AlertRules
  /** The longest output of a tool that a model reads, in characters. */
  readonly maxToolOutputCharacters: number
  /** Hosts in private networks that images and files may be downloaded from. */
  readonly mediaHosts: readonly string[]
  /** The most images and files that the gateway downloads for one request. */
  readonly maxMediaCount: number
  /** Their largest total size. */
  readonly maxMediaBytes: number
  /** The largest total size for all requests in progress. */
  readonly maxHeldMediaBytes: number
  /** If absent, browsers do not let pages of other origins read answers. */
  readonly cors?: Cors
}
export const Settings = token<Settings>('settings')

export const defaultSettings: Settings = {
  logLevel: 'info',
  trustedPlugins: [],
  maxBodyBytes: 32 * 1024 * 1024,
  maxLiveBodyBytes: 128 * 1024 * 1024,
  maxConnections: 10_000,
  maxAnswerBytes: 64 * 1024 * 1024,
  maxAnswerEvents: 500_000,
  maxLiveAnswerBytes: 256 * 1024 * 1024,
  commitAfterMs: 10_000,
  heartbeatMs: 15_000,
  runTimeoutMs: 900_000,
  creditWaitMs: 2_000,
  storeTimeoutMs: 2_000,
  timeouts: { connectMs: 10_000, firstEventMs: 120_000, betweenEventsMs: 120_000, totalMs: 600_000 },
  maxAttempts: 8,
  sessionHeaders: [
    'x-claude-code-session-id',
    'session-id',
    'session_id',
    'x-session-id',
    'x-session-affinity',
    'x-litellm-session-id',
    'helicone-session-id',
  ],
  affinityMs: 600_000,
  affinityDistance: 0.5,
  retries: 2,
  maxToolRounds: 8,
  maxToolCalls: 64,
  alerts: defaultAlertRules,
  maxToolOutputCharacters: 40_000,
  mediaHosts: [],
  maxMediaCount: 64,
  maxMediaBytes: 32 * 1024 * 1024,
  maxHeldMediaBytes: 256 * 1024 * 1024,
}
