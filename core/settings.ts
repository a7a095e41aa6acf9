import type { LogLevel } from './logger.ts'
import { token } from './token.ts'

/** How the gateway as a whole behaves: the `server` section of the config, defaults filled in. */
export interface Settings {
  readonly logLevel: LogLevel
  readonly maxBodyBytes: number
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
  commitAfterMs: 10_000,
  heartbeatMs: 15_000,
  runTimeoutMs: 900_000,
  storeTimeoutMs: 2_000,
  maxAttempts: 8,
  mediaHosts: [],
}

/** What the operator has to set right, told in the message. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}
