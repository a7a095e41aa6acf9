import type { CallKind } from '../contracts/call-wrapper.ts'
import type { CallObserver } from '../contracts/call-observer.ts'
import type { Catalog } from '../contracts/catalog.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { Clock } from '../foundation/clock.ts'
import type { Logger } from '../foundation/logger.ts'
import type { Registry } from '../framework/registry.ts'
import { LoadedObserver } from './loaded-observer.ts'
import { Observed, type Observing } from './observed.ts'

/** The observers of a gateway that has some. */
export class Observers {
  readonly #loaded: readonly LoadedObserver[]
  readonly #clock: Clock
  readonly #catalog: Catalog

  /** The observers of a gateway, if a plugin adds any. */
  static of(registry: Registry<CallObserver>, log: Logger, clock: Clock, catalog: Catalog): Observers | undefined {
    const loaded = registry.values().map(observer => new LoadedObserver(observer, registry.pluginOf(observer.name)!, log))
    return loaded.length > 0 ? new Observers(loaded, clock, catalog) : undefined
  }

  private constructor(loaded: readonly LoadedObserver[], clock: Clock, catalog: Catalog) {
    this.#loaded = loaded
    this.#clock = clock
    this.#catalog = catalog
  }

  /** Tells them of a call that begins. Undefined if none wants to know more. */
  begin({ id, caller, record }: RequestScope, kind: CallKind): Observed | undefined {
    const { key, policy } = caller
    const showsNames = policy.logging.value
    const call = Object.freeze({
      id,
      kind,
      surface: record.surface,
      at: record.at,
      keyId: key.id,
      org: key.org ?? null,
      stream: record.stream,
      requestedModel: showsNames || kind === 'decision' || this.#isListed(record.requestedModel) ? record.requestedModel : null,
    })
    const observing: Observing[] = []
    for (const by of this.#loaded) {
      const observation = by.begin(call)
      if (observation) observing.push({ by, observation })
    }
    return observing.length > 0 ? new Observed(observing, record, this.#clock, showsNames) : undefined
  }

  /** The record keeps the name of a decision's model only if it may. */
  #isListed(name: string | null): boolean {
    if (name === null || name === 'auto') return true
    const slash = name.indexOf('/')
    return this.#catalog.resolve(name) !== undefined || this.#catalog.endpoint(name.slice(0, slash), name.slice(slash + 1)) !== undefined
  }
}
