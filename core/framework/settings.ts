import type { LogLevel } from '../foundation/logger.ts'
import { token } from '../foundation/token.ts'

/** Which pages may call the gateway from a browser. */
export interface Cors {
  /** Such as `https://app.example.com`; `*` is any. */
  readonly origins: readonly string[]
  /** How long a browser may keep the answer to a preflight. */
  readonly maxAgeSeconds: number
}

/** How the gateway as a whole behaves: the `server` section of the config, defaults filled in. */
export interface Settings {
  readonly logLevel: LogLevel
  readonly maxBodyBytes: number
  /** How long the bodies of all requests in progress may be together. */
  readonly maxLiveBodyBytes: number
  /** What one answer may take in memory, estimated. */
  readonly maxAnswerBytes: number
  /** How many events one answer may consist of. */
  readonly maxAnswerEvents: number
  /** What all answers in progress may take in memory together, estimated. */
  readonly maxLiveAnswerBytes: number
  /** A stream's status goes out after this long, although nothing was generated yet. */
  readonly commitAfterMs: number
  /** How long a stream may be silent before something is sent to keep it open. */
  readonly heartbeatMs: number
  /** The whole life of one request. */
  readonly runTimeoutMs: number
  /** How long storing a response may hold back its end. */
  readonly storeTimeoutMs: number
  readonly maxAttempts: number
  /** How often the last endpoint left is asked again after a failure that may pass. */
  readonly retries: number
  /** Hosts in private networks from which images and files may be fetched. */
  readonly mediaHosts: readonly string[]
  /** How many images and files the gateway fetches for one request. */
  readonly maxMediaCount: number
  /** How many bytes they may have together. */
  readonly maxMediaBytes: number
  /** How many bytes of them all requests may hold together. */
  readonly maxHeldMediaBytes: number
  /** Absent: browsers let no page of another origin read an answer. */
  readonly cors?: Cors
}
export const Settings = token<Settings>('settings')

export const defaultSettings: Settings = {
  logLevel: 'info',
  maxBodyBytes: 32 * 1024 * 1024,
  maxLiveBodyBytes: 128 * 1024 * 1024,
  maxAnswerBytes: 64 * 1024 * 1024,
  maxAnswerEvents: 500_000,
  maxLiveAnswerBytes: 256 * 1024 * 1024,
  commitAfterMs: 10_000,
  heartbeatMs: 15_000,
  runTimeoutMs: 900_000,
  storeTimeoutMs: 2_000,
  maxAttempts: 8,
  retries: 2,
  mediaHosts: [],
  maxMediaCount: 64,
  maxMediaBytes: 32 * 1024 * 1024,
  maxHeldMediaBytes: 256 * 1024 * 1024,
}
