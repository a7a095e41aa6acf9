import type { Endpoint } from '../contracts/catalog.ts'
import type { Logger } from '../foundation/logger.ts'
import type { EndpointView } from './endpoint-view.ts'
import { identityOf, type NamedModel } from './named-models.ts'
import { byKey, keyOf, valuesOf, type Ranked } from './ranking.ts'
import type { Sort } from './sorts.ts'

/** The sorts of one request. Undefined for the order of the catalog. */
export interface AskedSorts {
  /** Orders models, where the caller leaves the choice open. */
  readonly models: Sort | undefined
  /** Orders the endpoints of one model. */
  readonly endpoints: Sort | undefined
}

/** Orders the remaining endpoints of a request: docs/protocol/routing.md#sorts. */
export class Order {
  readonly #sorts: AskedSorts
  readonly #view: EndpointView
  readonly #log: Logger

  constructor(sorts: AskedSorts, view: EndpointView, log: Logger) {
    this.#sorts = sorts
    this.#view = view
    this.#log = log
  }

  /** The endpoints of one name, best first. `left`: those that no rule passed over; all if absent. */
  of({ isAuto, endpoints: named }: NamedModel, left: ReadonlySet<Endpoint> | undefined): Ranked[] {
    const endpoints = left ? named.filter(endpoint => left.has(endpoint)) : named
    return isAuto ? this.#models(endpoints) : this.#ranked(endpoints).sort(byKey)
  }

  #ranked(endpoints: readonly Endpoint[]): Ranked[] {
    const sort = this.#sorts.endpoints
    const values = sort && valuesOf(sort, endpoints, this.#view, this.#log)
    return endpoints.map((endpoint, index) => {
      const value = values?.[index]
      return { endpoint, value, key: values ? keyOf(value, sort!) : 0 }
    })
  }

  /** A model ranks with its best endpoint. The endpoints of one model stay together. */
  #models(endpoints: readonly Endpoint[]): Ranked[] {
    const ranked = this.#ranked(endpoints)
    const sort = this.#sorts.models
    const isSame = sort?.name === this.#sorts.endpoints?.name
    const values = sort && !isSame ? valuesOf(sort, endpoints, this.#view, this.#log) : undefined
    const runs: { readonly model: string; readonly members: Ranked[]; key: number }[] = []
    ranked.forEach((each, index) => {
      const modelValue = values?.[index]
      const key = isSame ? each.key : values ? keyOf(modelValue, sort!) : 0
      const member = values ? { ...each, modelValue } : each
      const run = runs.at(-1)
      if (run?.model !== each.endpoint.model) runs.push({ model: each.endpoint.model, members: [member], key })
      else {
        run.members.push(member)
        run.key = Math.min(run.key, key)
      }
    })
    return runs.sort(byKey).flatMap(({ members }) => members.sort(byKey))
  }
}

/**
 * Joins the orders of all names, each endpoint once. Named providers come after the first endpoint of their model, and named models after
 * the first model of `auto`.
 */
export function joined(
  models: readonly NamedModel[],
  orders: readonly (readonly Ranked[])[],
  left: ReadonlySet<Endpoint> | undefined,
): readonly Ranked[] {
  const [first = [], ...others] = orders.map((ranked, index) => withFallbacks(ranked, models[index]!.fallbacks, left))
  if (others.length === 0) return models[0]!.fallbacks.length === 0 ? first : withoutRepeats(first)
  if (!models[0]!.isAuto) return withoutRepeats([...first, ...others.flat()])
  const isBest = ({ endpoint }: Ranked): boolean => endpoint.model === first[0]?.endpoint.model
  return withoutRepeats([...first.filter(isBest), ...others.flat(), ...first.filter(each => !isBest(each))])
}

function withFallbacks(
  ranked: readonly Ranked[],
  fallbacks: readonly Endpoint[],
  left: ReadonlySet<Endpoint> | undefined,
): readonly Ranked[] {
  if (fallbacks.length === 0) return ranked
  const known = new Map(ranked.map(each => [each.endpoint, each]))
  const usable = left ? fallbacks.filter(endpoint => left.has(endpoint)) : fallbacks
  const named = usable.map(endpoint => known.get(endpoint) ?? { endpoint, value: undefined, key: 0 })
  return [...ranked.slice(0, 1), ...named, ...ranked.slice(1)]
}

function withoutRepeats(ranked: readonly Ranked[]): readonly Ranked[] {
  const found = new Map<unknown, Ranked>()
  for (const each of ranked) {
    const identity = identityOf(each.endpoint)
    if (!found.has(identity)) found.set(identity, each)
  }
  return [...found.values()]
}
