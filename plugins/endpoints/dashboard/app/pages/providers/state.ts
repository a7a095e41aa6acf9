import type { EndpointMetrics } from '../models/catalog.ts'

/** A provider of `GET /admin/v1/providers`. */
export interface Provider {
  readonly id: string
  readonly plugin: string | null
  readonly credentials: readonly { readonly id: string; readonly account: string; readonly rests_for_ms: number }[]
  readonly circuits: readonly { readonly model: string; readonly state: 'closed' | 'open' | 'half-open'; readonly open_for_ms: number }[]
  readonly queue: {
    readonly running: number
    readonly waiting: number
    readonly max_concurrent: number
    readonly max_queued: number
  } | null
}

/** The sums over a provider's endpoints. */
export interface ProviderSum {
  readonly requests: number
  /** From 0 to 1. Null: nothing was tried. */
  readonly uptime: number | null
}

export function sumOf(endpoints: readonly EndpointMetrics[]): ProviderSum {
  const requests = endpoints.reduce((sum, each) => sum + each.requests, 0)
  const good = endpoints.reduce((sum, each) => sum + each.requests * (each.uptime ?? 1), 0)
  return { requests, uptime: requests === 0 ? null : good / requests }
}

export interface ProviderCondition {
  readonly tone: 'good' | 'warn' | 'bad' | 'neutral'
  readonly text: string
}

/** The most serious problem, in a few words. */
export function stateOf({ circuits, credentials, queue }: Provider, { requests, uptime }: ProviderSum): ProviderCondition {
  const open = circuits.filter(({ state }) => state === 'open').length
  if (open > 0) return { tone: 'bad', text: open === 1 ? '1 circuit open' : `${open} circuits open` }
  const resting = credentials.filter(({ rests_for_ms: ms }) => ms > 0).length
  if (resting > 0 && resting === credentials.length) return { tone: 'bad', text: 'all credentials rest' }
  if (resting > 0) return { tone: 'warn', text: resting === 1 ? '1 credential rests' : `${resting} credentials rest` }
  if (queue && queue.waiting > 0) return { tone: 'warn', text: `${queue.waiting} requests wait` }
  if (uptime !== null && uptime < 0.95) return { tone: 'warn', text: 'many failures' }
  return requests === 0 ? { tone: 'neutral', text: 'not used lately' } : { tone: 'good', text: 'healthy' }
}
