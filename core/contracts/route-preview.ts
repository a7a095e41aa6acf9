import type { ApiKey } from './key-store.ts'
import type { RoutedCandidate, RoutingRecord } from './log-sink.ts'

/** A request for a preview of the order of endpoints. */
export interface RouteQuery {
  readonly model: string
  /** Of models and of endpoints. */
  readonly sort?: string | undefined
  readonly interval?: string | undefined
  /** Without one, everything is allowed. */
  readonly key?: ApiKey | undefined
}

export interface PreviewedEndpoint extends RoutedCandidate {
  /** Attempts in the interval. */
  readonly requests: number
  readonly uptime: number | null
  readonly circuitOpen: boolean
}

/** The record that a request would leave now, with every endpoint. */
export interface RoutePreview extends Omit<RoutingRecord, 'candidates'> {
  /** Of the values. */
  readonly unit: string | null
  readonly candidates: readonly PreviewedEndpoint[]
}
