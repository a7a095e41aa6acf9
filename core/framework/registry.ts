import { PluginError } from '../foundation/errors.ts'
import { nearest } from '../foundation/nearest.ts'

/** What plugins contributed at one extension point, by name and in the order of set-up. Read-only once sealed. */
export class Registry<T> {
  readonly kind: string
  readonly #nameOf: (contribution: T) => string
  readonly #entries = new Map<string, { readonly contribution: T; readonly plugin: string }>()
  #sealed = false

  /** `kind` is the word used in errors. */
  constructor(kind: string, nameOf: (contribution: T) => string) {
    this.kind = kind
    this.#nameOf = nameOf
  }

  add(contribution: T, plugin: string): void {
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
}
