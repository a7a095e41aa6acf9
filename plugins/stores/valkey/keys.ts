/**
 * The names of keys. In a cluster, a key is on the node of the part of its name in braces, so that what a script changes together is on one
 * node: all of a group, all that is known of processes, all sums, all that gateways tell each other.
 */
export class Keys {
  readonly #prefix: string

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  place(group: string, bucket: string): string {
    return `${this.#tag(group)}p:${bucket}`
  }

  window(group: string, bucket: string): string {
    return `${this.#tag(group)}w:${bucket}`
  }

  /** The number of the last batch that a process sent for a group. */
  batchOf(group: string, process: string): string {
    return `${this.#tag(group)}b:${process}`
  }

  /** `part`: of the cluster, see `partsOfCluster`. */
  generation(part: string): readonly [generation: string, last: string] {
    return [`${this.#prefix}{${part}}generation`, `${this.#prefix}{${part}}last`]
  }

  get processes(): readonly [alive: string, gauges: string] {
    return [`${this.#prefix}{processes}alive`, `${this.#prefix}{processes}gauges`]
  }

  batchOfProcess(process: string): string {
    return `${this.#prefix}{processes}b:${process}`
  }

  batchOfCounts(process: string): string {
    return `${this.#prefix}{counts}b:${process}`
  }

  get counts(): readonly [position: string, changed: string, ends: string] {
    return [`${this.#prefix}{counts}position`, `${this.#prefix}{counts}changed`, `${this.#prefix}{counts}ends`]
  }

  /** The prefix of the keys of sums. */
  get sums(): string {
    return `${this.#prefix}{counts}s:`
  }

  get shared(): readonly [entries: string, ends: string, number: string] {
    return [`${this.#prefix}{shared}entries`, `${this.#prefix}{shared}ends`, `${this.#prefix}{shared}number`]
  }

  get channel(): string {
    return `${this.#prefix}{shared}changes`
  }

  /** `g:`, so that no group is taken for one of the others. */
  #tag(group: string): string {
    return `${this.#prefix}{g:${/[%}]/.test(group) ? group.replaceAll('%', '%25').replaceAll('}', '%7D') : group}}`
  }
}
