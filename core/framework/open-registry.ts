import { PluginError } from '../foundation/errors.ts'
import { nearest } from '../foundation/nearest.ts'
import type { Registry, RegistryEntry } from './registry.ts'
import { misspelledMembers } from './misspelled-members.ts'
import { shapeProblem, type Shape } from './shape.ts'

export interface RegistryOptions {
  /** Several contributions may have the same name. */
  readonly isShared?: boolean
  /** Functions of which a contribution needs at least one. */
  readonly oneOf?: readonly string[]
  /** What to do with an object that is no contribution, as a sentence. */
  readonly advice?: (given: object) => string | undefined
}

/** The registry that an extension point has at first. Read-only once sealed. */
export class OpenRegistry<T> implements Registry<T> {
  readonly kind: string
  readonly #nameOf: (contribution: T) => string
  readonly #shape: Shape
  readonly #options: RegistryOptions
  readonly #entries: RegistryEntry<T>[] = []
  readonly #byName = new Map<string, RegistryEntry<T>>()
  #sealed = false

  /** `kind` is the word used in errors; `shape` is what `add` checks. */
  constructor(kind: string, nameOf: (contribution: T) => string, shape: Shape = {}, options: RegistryOptions = {}) {
    this.kind = kind
    this.#nameOf = nameOf
    this.#shape = shape
    this.#options = options
  }

  add(contribution: T, plugin: string, lens?: (contribution: T) => T): void {
    const problem = this.#problemOf(contribution)
    if (problem !== undefined) throw new PluginError(plugin, `adds ${this.#labelOf(contribution)}${problem}`)
    const name = this.#nameOf(contribution)
    const taken = this.#byName.get(name)
    if (this.#sealed) throw new PluginError(plugin, `adds ${this.kind} "${name}" after setup`)
    if (taken && !this.#options.isShared) {
      const remedy = taken.plugin === plugin ? 'Add it once' : 'Rename one of them, or leave out one of the plugins'
      throw new PluginError(plugin, `adds ${this.kind} "${name}", which plugin ${taken.plugin} already added. ${remedy}`)
    }
    const entry = { name, contribution: lens ? lens(contribution) : contribution, plugin }
    this.#entries.push(entry)
    if (!taken) this.#byName.set(name, entry)
  }

  /** The end of a sentence about each member of a valid contribution that is ignored, because its name is misspelled. */
  ignoredMembers(contribution: T): readonly string[] {
    return misspelledMembers(contribution as object, this.#shape, 1).map(
      ([given, known]) => `${this.#labelOf(contribution)} with the unknown member \`${given}\`: rename it if \`${known}\` was meant`,
    )
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

  #problemOf(contribution: unknown): string | undefined {
    const problem = shapeProblem(contribution, this.#shape)
    const { oneOf, advice } = this.#options
    if (problem === undefined) return oneOf && withoutAny(contribution as object, oneOf)
    const sentence = typeof contribution === 'object' && contribution !== null ? advice?.(contribution) : undefined
    return sentence === undefined ? problem : `${problem}. ${sentence}`
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

function withoutAny(contribution: object, functions: readonly string[]): string | undefined {
  if (functions.some(name => contribution[name as keyof typeof contribution] !== undefined)) return undefined
  return ` without a function: expected at least one of ${functions.join(', ')}, got an object with ${Object.keys(contribution).join(', ')}`
}
