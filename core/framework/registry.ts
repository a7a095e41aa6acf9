import { PluginError } from '../foundation/errors.ts'
import { nearest } from '../foundation/nearest.ts'
import { shapeProblem, type Shape } from './shape.ts'

/** What plugins contributed at one extension point, by name and in setup order. Read-only once sealed. */
export class Registry<T> {
  readonly kind: string
  readonly #nameOf: (contribution: T) => string
  readonly #shape: Shape
  readonly #entries = new Map<string, { readonly contribution: T; readonly plugin: string }>()
  #sealed = false

  /** `kind` is the word used in errors; `shape` is what `add` checks. */
  constructor(kind: string, nameOf: (contribution: T) => string, shape: Shape = {}) {
    this.kind = kind
    this.#nameOf = nameOf
    this.#shape = shape
  }

  /** Throws a `PluginError` for a malformed contribution, a name that is taken, and anything after sealing. */
  add(contribution: T, plugin: string): void {
    const problem = shapeProblem(contribution, this.#shape)
    if (problem !== undefined) throw new PluginError(plugin, `adds ${this.#labelOf(contribution)}${problem}`)
    const name = this.#nameOf(contribution)
    const taken = this.#entries.get(name)
    if (this.#sealed) throw new PluginError(plugin, `adds ${this.kind} "${name}" after setup`)
    if (taken) throw new PluginError(plugin, `adds ${this.kind} "${name}", which plugin ${taken.plugin} already added`)
    this.#entries.set(name, { contribution, plugin })
  }

  get(name: string): T | undefined {
    return this.#entries.get(name)?.contribution
  }

  names(): string[] {
    return [...this.#entries.keys()]
  }

  values(): T[] {
    return Array.from(this.#entries.values(), entry => entry.contribution)
  }

  pluginOf(name: string): string | undefined {
    return this.#entries.get(name)?.plugin
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
    const { name, id } = contribution as { readonly name?: unknown; readonly id?: unknown }
    const label = name ?? id
    return typeof label === 'string' && label !== '' ? `${this.kind} "${label}"` : this.#anyOne
  }
  get #anyOne(): string {
    return `${/^[aeiou]/.test(this.kind) ? 'an' : 'a'} ${this.kind}`
  }
}
