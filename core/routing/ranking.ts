import type { Endpoint } from '../contracts/catalog.ts'
import type { SortStrategy, SortView } from '../contracts/sort-strategy.ts'
import { PluginError } from '../foundation/errors.ts'
import { kindOf } from '../foundation/kind-of.ts'
import { describePluginError, type Logger } from '../foundation/logger.ts'
import { isPending } from '../runtime/pending.ts'
import type { Sort } from './sorts.ts'

/** An endpoint with its value by a sort. */
export interface Ranked {
  readonly endpoint: Endpoint
  /** Absent without data or without a sort. */
  readonly value: number | undefined
  /** By the sort of models, if it differs. */
  readonly modelValue?: number | undefined
  /** Smaller keys come first. */
  readonly key: number
}

type Values = readonly (number | undefined)[]

/** The values of the endpoints by this sort. Undefined if the strategy failed, which the log says. */
export function valuesOf(
  { name, strategy, plugin }: Sort,
  endpoints: readonly Endpoint[],
  view: SortView & { sort: string },
  log: Logger,
): Values | undefined {
  view.sort = name
  try {
    const values = checked(strategy.values(endpoints, view), endpoints.length, plugin)
    if (values.some(Number.isNaN)) tellNaN(strategy, name, plugin, log)
    return values
  } catch (error) {
    log.error('a sort failed, so the endpoints keep the order of the catalog', { sort: name, plugin, ...describePluginError(error, false) })
    return undefined
  }
}

/** Sorts already reported: every request would report them again. */
const told = new WeakSet<SortStrategy>()

function tellNaN(strategy: SortStrategy, sort: string, plugin: string, log: Logger): void {
  if (told.has(strategy)) return
  told.add(strategy)
  const reason = `plugin ${plugin} returned NaN for an endpoint: expected a number, or undefined for no data`
  log.error('a sort returned a value without an order, which counts as no data', { sort, plugin, reason })
}

function checked(values: unknown, count: number, plugin: string): Values {
  if (Array.isArray(values) && values.length === count && values.every(value => value === undefined || typeof value === 'number'))
    return values as Values
  throw new PluginError(plugin, `returned bad values: expected an array of ${count}, each a number or undefined, got ${given(values)}`)
}

function given(values: unknown): string {
  if (isPending(values)) return 'a promise. Return the array at once'
  if (!Array.isArray(values)) return kindOf(values)
  const wrong = values.findIndex(value => value !== undefined && typeof value !== 'number')
  return wrong < 0 ? `an array of ${values.length}` : `${kindOf(values[wrong])} at index ${wrong}`
}

/** Endpoints without data come after those with data, but before infinitely bad ones. */
export function keyOf(value: number | undefined, { strategy }: Sort): number {
  if (value === undefined || Number.isNaN(value)) return Number.MAX_VALUE
  return strategy.first === 'lowest' ? value : -value
}

export function byKey(a: { readonly key: number }, b: { readonly key: number }): number {
  return a.key - b.key
}
