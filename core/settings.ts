import type { LogLevel } from './logger.ts'
import { token } from './token.ts'

/** How the gateway as a whole behaves: the `server` section of the config, defaults filled in. */
export interface Settings {
  readonly logLevel: LogLevel
  readonly maxBodyBytes: number
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
  /** Hosts in private networks from which images and files may be fetched. */
  readonly mediaHosts: readonly string[]
}
export const Settings = token<Settings>('settings')

export const defaultSettings: Settings = {
  logLevel: 'info',
  maxBodyBytes: 32 * 1024 * 1024,
  maxAnswerBytes: 64 * 1024 * 1024,
  maxAnswerEvents: 500_000,
  maxLiveAnswerBytes: 256 * 1024 * 1024,
  commitAfterMs: 10_000,
  heartbeatMs: 15_000,
  runTimeoutMs: 900_000,
  storeTimeoutMs: 2_000,
  maxAttempts: 8,
  mediaHosts: [],
}
