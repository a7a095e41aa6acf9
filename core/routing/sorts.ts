import { wire } from '../framework/container.ts'
import type { SortStrategy } from '../contracts/sort-strategy.ts'
import { AssemblyError, invalidRequest } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { nearest } from '../foundation/nearest.ts'
import { SortStrategies } from '../framework/extension-points.ts'
import type { Registry } from '../framework/registry.ts'

/** A value of `sort`, and the strategy that answers to it. */
export interface Sort {
  readonly name: string
  readonly strategy: SortStrategy
  /** The plugin that added the strategy. */
  readonly plugin: string
}

const maxShownLength = 40

/** Finds the strategy of a sort among those that are loaded. */
export class Sorts {
  readonly #registry: Registry<SortStrategy>
  readonly #byName = new Map<string, Sort>()
  readonly #patterns: readonly { readonly matches: RegExp; readonly strategy: SortStrategy }[]
  /** Absent if no loaded strategy is the default: endpoints then keep the order of the catalog. */
  readonly default: Sort | undefined

  static {
    wire(this, [SortStrategies])
  }

  constructor(registry: Registry<SortStrategy>) {
    this.#registry = registry
    const strategies = registry.values()
    for (const strategy of strategies)
      if (strategy.pattern === undefined) this.#byName.set(strategy.name, this.#sort(strategy.name, strategy))
    this.#patterns = strategies.flatMap(strategy =>
      strategy.pattern === undefined ? [] : [{ matches: new RegExp(strategy.pattern), strategy }],
    )
    const standard = strategies.find(({ isDefault }) => isDefault)
    this.default = standard && this.#sort(standard.name, standard)
  }

  /** The sort that a request names, or else the default. Throws a 400 that names the nearest known sort. */
  asked(name: string | undefined, param: string): Sort | undefined {
    if (name === undefined) return this.default
    const named = this.#byName.get(name)
    if (named) return named
    const pattern = this.#patterns.find(({ matches }) => matches.test(name))
    if (pattern) return this.#sort(name, pattern.strategy)
    throw invalidRequest(wording`Invalid value for '${own(param)}': ${shown(name)} is not a sort. ${own(this.#advice(name))}`, param)
  }

  #sort(name: string, strategy: SortStrategy): Sort {
    return { name, strategy, plugin: this.#registry.pluginOf(strategy.name) ?? strategy.name }
  }

  #advice(name: string): string {
    const strategies = this.#registry.values()
    if (strategies.length === 0) return 'This gateway has no sorts: leave it out.'
    const near = nearest(
      name,
      strategies.flatMap(({ name, pattern, examples = [] }) => (pattern === undefined ? name : examples)),
    )
    return near.length > 0 ? `Did you mean ${near.join(', ')}?` : `Expected ${strategies.map(each => each.name).join(', ')}.`
  }
}

/** Throws an `AssemblyError` if several strategies are the default. */
export function checkDefaultSort(registry: Registry<SortStrategy>): void {
  const standards = registry.values().filter(({ isDefault }) => isDefault)
  if (standards.length < 2) return
  const named = standards.map(({ name }) => `"${name}" of plugin ${registry.pluginOf(name)}`).join(' and ')
  throw new AssemblyError(`${named} are both the default sort. Load one of them, or set isDefault in one only.`)
}

function shown(name: string): string {
  return name.length <= maxShownLength ? `'${name}'` : 'a longer string'
}
