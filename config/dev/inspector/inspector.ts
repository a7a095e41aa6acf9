import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestRecord } from '../../../core/contracts/log-sink.ts'
import type { RunContext } from '../../../core/contracts/run-context.ts'
import type { Masks } from '../../../core/foundation/masks.ts'
import { Inspection } from './inspection.ts'
import type { Step, StepOf } from './step.ts'

/** Where code runs: for which request and, within it, in which step. */
export interface Place {
  readonly inspection: Inspection
  readonly step?: Step | undefined
}

const maxRequests = 100
/** Of all requests, in characters. */
const maxContent = 24_000_000

/** The newest requests, in memory. It outlives the gateways that reloads replace. */
export class Inspector {
  readonly #masks: Masks
  readonly #places = new AsyncLocalStorage<Place>()
  readonly #requests = new Map<string, Inspection>()
  #version = 0

  constructor(masks: Masks) {
    this.#masks = masks
  }

  /** Where the caller runs. Undefined outside of a request. */
  get here(): Place | undefined {
    return this.#places.getStore()
  }

  within<T>(place: Place, run: () => T): T {
    return this.#places.run(place, run)
  }

  /** A request whose id is not known yet. */
  unnamed(): Inspection {
    return new Inspection(this.#masks, () => void this.#version++)
  }

  /** Lists the request under its id. Returns the one that is listed there already, if there is one. */
  named(inspection: Inspection, id: string): Inspection {
    const known = this.#requests.get(id)
    if (known || inspection.id !== undefined) return known ?? inspection
    inspection.id = id
    this.#requests.set(id, inspection)
    this.#version++
    this.#forget()
    return inspection
  }

  /** The request of a context, with its policy. */
  of({ id, caller }: RunContext): Inspection {
    const inspection = this.#requests.get(id) ?? this.named(this.#unnamedHere() ?? this.unnamed(), id)
    inspection.admit(caller.policy)
    return inspection
  }

  /** Begins a step of the request, within the one that runs. */
  begin(inspection: Inspection, of: StepOf): Step {
    const here = this.here
    return inspection.step(of, here?.inspection === inspection ? here.step : undefined)
  }

  /** The request is over. */
  closed(record: RequestRecord): void {
    this.named(this.unnamed(), record.id).close(record)
    this.#forget()
  }

  find(id: string): Inspection | undefined {
    return this.#requests.get(id)
  }

  /** The newest first. */
  list(): { readonly version: number; readonly requests: readonly object[] } {
    return { version: this.#version, requests: Array.from(this.#requests.values(), each => each.summary).reverse() }
  }

  clear(): void {
    this.#requests.clear()
    this.#version++
  }

  #unnamedHere(): Inspection | undefined {
    const inspection = this.here?.inspection
    return inspection?.id === undefined ? inspection : undefined
  }

  #forget(): void {
    let characters = 0
    for (const { characters: own } of this.#requests.values()) characters += own
    for (const [id, { characters: own }] of this.#requests) {
      if (this.#requests.size <= maxRequests && (characters <= maxContent || this.#requests.size === 1)) return
      characters -= own
      this.#requests.delete(id)
    }
  }
}
