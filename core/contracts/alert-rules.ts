/** A threshold over which operators are told. */
export interface AlertThreshold {
  /** `gateway`: all requests together. `providers`, `models`: the attempts at each of them by itself. */
  readonly of: 'gateway' | 'providers' | 'models'
  /** Only these providers, or these models as `provider/model`. Default: each. */
  readonly only?: readonly string[] | undefined
  /** The share of failures by a vendor or the gateway, from 0 to 1. */
  readonly errorShare?: number | undefined
  /** How long the slowest twentieth takes, at least. */
  readonly p95Ms?: number | undefined
  /** With fewer requests or attempts in the window, nothing is told. */
  readonly minRequests: number
  readonly windowMinutes: number
}

/** When to tell what: the option `server.alerts`. It matters only if a plugin adds an alert channel. */
export interface AlertRules {
  /** The parts of a cap or a credit, in percent. */
  readonly spentPercent: readonly number[]
  readonly thresholds: readonly AlertThreshold[]
  /** Tells of keys that were not used for so long. Default: never. */
  readonly keyUnusedDays?: number | undefined
}

export const defaultAlertRules: AlertRules = {
  spentPercent: [50, 80, 100],
  thresholds: [
    { of: 'gateway', errorShare: 0.2, minRequests: 20, windowMinutes: 5 },
    { of: 'providers', errorShare: 0.5, minRequests: 20, windowMinutes: 5 },
  ],
}

/** A certificate that the gateway shows to its clients. */
export interface ServedCertificate {
  /** The first name in it. */
  readonly name: string
  /** Its SHA-256 fingerprint. */
  readonly fingerprint: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}
