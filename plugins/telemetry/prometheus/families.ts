import { Counter, Histogram, type Family } from './family.ts'
import type { Metric } from './metric.ts'

export interface Bounds {
  /** In seconds. */
  readonly duration: readonly number[]
  readonly firstEvent: readonly number[]
}

/** What may have series by owner. */
export const ownerLabels = ['org', 'team', 'key'] as const
export type OwnerLabel = (typeof ownerLabels)[number]

const owners: Readonly<Record<OwnerLabel, string>> = { org: 'organization', team: 'team', key: 'API key' }

/** The metrics of requests and attempts, in the order of a scrape: docs/telemetry.md has the same. */
export class Families {
  readonly requests = this.#counter('requests', 'Requests by the class of the status that was delivered', ['surface', 'kind', 'status'])
  readonly requestDuration: Histogram
  readonly requestFirstEvent: Histogram
  readonly errors = this.#counter('errors', 'Requests that failed', ['surface', 'reason', 'code'])
  readonly refusals = this.#counter('refusals', 'Requests that a rule or a limit of the gateway refused', ['reason', 'level'])
  readonly attempts = this.#counter('attempts', 'Attempts at vendors', ['provider', 'model', 'outcome'])
  readonly attemptDuration: Histogram
  readonly attemptFirstEvent: Histogram
  readonly failovers = this.#counter('failovers', 'Times that another endpoint was asked after one of this provider', ['provider'])
  readonly queueWait = this.#counter('queue_wait_seconds', 'Time that attempts waited for a place at the provider', ['provider'])
  readonly tokens = this.#counter('tokens', 'Tokens. No token is of two kinds', ['provider', 'model', 'kind'])
  readonly cost = this.#counter('cost_usd', 'Cost of requests in US dollars', ['provider', 'model'])
  readonly unpriced = this.#counter('unpriced_requests', 'Requests with tokens whose cost is unknown', ['provider', 'model'])
  readonly guardrails = this.#counter('guardrail_checks', 'Looks of guardrails at inputs and outputs', ['guardrail', 'stage', 'outcome'])
  readonly #families: Family<unknown>[]

  constructor({ duration, firstEvent }: Bounds) {
    const histogram = (name: string, help: string, labels: readonly string[], bounds: readonly number[]): Histogram =>
      new Histogram(`turnpike_${name}_seconds`, `${help}.`, labels, bounds)
    this.requestDuration = histogram('request_duration', 'Time from the arrival of a request to its end', ['surface', 'kind'], duration)
    this.requestFirstEvent = histogram(
      'request_first_event',
      'Time from the arrival of a request to the first event of its answer',
      ['surface', 'kind'],
      firstEvent,
    )
    this.attemptDuration = histogram('attempt_duration', 'Duration of attempts', ['provider', 'model'], duration)
    this.attemptFirstEvent = histogram(
      'attempt_first_event',
      'Time from the beginning of an attempt to the first event of its answer',
      ['provider', 'model'],
      firstEvent,
    )
    this.#families = [
      this.requests,
      this.requestDuration,
      this.requestFirstEvent,
      this.errors,
      this.refusals,
      this.attempts,
      this.attemptDuration,
      this.attemptFirstEvent,
      this.failovers,
      this.queueWait,
      this.tokens,
      this.cost,
      this.unpriced,
      this.guardrails,
    ]
  }

  /** The metrics of one kind of owners. */
  owned(label: OwnerLabel): Readonly<Record<'requests' | 'tokens' | 'cost', Counter>> {
    const owned = {
      requests: this.#counter(`${label}_requests`, `Requests of each ${owners[label]}`, [label, 'status']),
      tokens: this.#counter(`${label}_tokens`, `Tokens of each ${owners[label]}. No token is of two kinds`, [label, 'kind']),
      cost: this.#counter(`${label}_cost_usd`, `Cost of the requests of each ${owners[label]} in US dollars`, [label]),
    }
    this.#families.push(...Object.values(owned))
    return owned
  }

  read(): readonly Metric[] {
    return this.#families.map(family => family.read())
  }

  #counter(name: string, help: string, labels: readonly string[]): Counter {
    return new Counter(`turnpike_${name}_total`, `${help}.`, labels)
  }
}
