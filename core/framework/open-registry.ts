import { PluginError } from '../foundation/errors.ts'
import { nearest } from '../foundation/nearest.ts'
import type { Registry, RegistryEntry } from './registry.ts'
import { shapeProblem, type Shape } from './shape.ts'

/** The registry that an extension point has at first. Read-only once sealed. */
export class OpenRegistry<T> implements Registry<T> {
  readonly kind: string
  readonly #nameOf: (contribution: T) => string
  readonly #shape: Shape
  readonly #isShared: boolean
  readonly #entries: RegistryEntry<T>[] = []
  readonly #byName = new Map<string, RegistryEntry<T>>()
  #sealed = false

  /** `kind` is the word used in errors; `shape` is what `add` checks. `isShared`: several contributions may have the same name. */
  constructor(kind: string, nameOf: (contribution: T) => string, shape: Shape = {}, isShared = false) {
    this.kind = kind
    this.#nameOf = nameOf
    this.#shape = shape
    this.#isShared = isShared
  }

  add(contribution: T, plugin: string): void {
    const problem = shapeProblem(contribution, this.#shape)
    if (problem !== undefined) throw new PluginError(plugin, `adds ${this.#labelOf(contribution)}${problem}`)
    const name = this.#nameOf(contribution)
    const taken = this.#byName.get(name)
    if (this.#sealed) throw new PluginError(plugin, `adds ${this.kind} "${name}" after setup`)
    if (taken && !this.#isShared) throw new PluginError(plugin, `adds ${this.kind} "${name}", which plugin ${taken.plugin} already added`)
    const entry = { name, contribution, plugin }
    this.#entries.push(entry)
    if (!taken) this.#byName.set(name, entry)
  }

  get(name: string): T | undefined {
    return this.#byName.get(name)?.contribution
  }

  names(): string[] {
    return [...this.#byName.keys()]
  }

  values(): T[] {
    return this.#entries.map(({ contribution }) => contribution)
  }

  entries(): readonly RegistryEntry<T>[] {
    return [...this.#entries]
  }

  pluginOf(name: string): string | undefined {
    return this.#byName.get(name)?.plugin
  }

  nearest(name: string): readonly string[] {
    return nearest(name, this.names())
  }

  seal(): void {
    this.#sealed = true
  }

  /** A malformed contribution may not have the members that make up its name. */
  #labelOf(contribution: unknown): string {
    if (typeof contribution !== 'object' || contribution === null) return this.#anyOne
    const { name, id, type } = contribution as { readonly name?: unknown; readonly id?: unknown; readonly type?: unknown }
    const label = name ?? id ?? type
    return typeof label === 'string' && label !== '' ? `${this.kind} "${label}"` : this.#anyOne
  }
  get #anyOne(): string {
    return `${/^[aeiou]/.test(this.kind) ? 'an' : 'a'} ${this.kind}`
  }
}
