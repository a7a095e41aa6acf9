import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Clock } from '../../foundation/clock.ts'
import type { Token } from '../../foundation/token.ts'
import { isNamedBy } from '../../framework/resolved-needs.ts'
import type { Maybe } from '../../runtime/pending.ts'
import { companionsOf } from '../companions.ts'
import { MovedClock, PluginStage } from '../plugin-stage.ts'
import { madeBy, type ConformanceSubject, type StoreToTest } from './subject.ts'

/** An empty store in one gateway or, if it is shared, in several. */
export class OpenedStore {
  readonly clock = new MovedClock()
  readonly pass: ((milliseconds: number) => Maybe<void>) | undefined
  readonly isShared: boolean
  readonly #store: StoreToTest
  readonly #subject: ConformanceSubject
  readonly #folder: string
  readonly #stages: PluginStage[] = []

  static async open(subject: ConformanceSubject): Promise<OpenedStore> {
    const store = (await subject.store?.()) ?? { plugin: madeBy(subject) }
    return new OpenedStore(subject, store, await mkdtemp(join(tmpdir(), 'turnpike-store-')))
  }

  private constructor(subject: ConformanceSubject, store: StoreToTest, folder: string) {
    this.#subject = subject
    this.#store = store
    this.#folder = folder
    this.isShared = store.isShared ?? false
    const goesByClock = isNamedBy(store.plugin.plugin, Clock)
    this.pass = store.pass?.bind(store) ?? (goesByClock ? milliseconds => this.clock.pass(milliseconds) : undefined)
  }

  /** Sets the plugin up in one more gateway. */
  async join(): Promise<PluginStage> {
    const uses = [this.#store.plugin, ...(this.#subject.plugins?.() ?? [])]
    const stage = await PluginStage.open([...(await companionsOf(uses)), ...uses], { clock: this.clock, folder: this.#folder })
    this.#stages.push(stage)
    return stage
  }

  /** The service of one gateway, and of another one that shares the store. */
  async services<T>(service: Token<T>): Promise<{ readonly own: T; readonly other: { readonly other?: T } }> {
    const own = (await this.join()).service(service)!
    const other = this.isShared ? (await this.join()).service(service) : undefined
    return { own, other: other === undefined ? {} : { other } }
  }

  /** For the object that the `open` of a suite returns. */
  get passing(): { readonly pass?: (milliseconds: number) => Maybe<void> } {
    return this.pass ? { pass: this.pass } : {}
  }

  async close(): Promise<void> {
    for (const stage of this.#stages.splice(0).reverse()) await stage.close()
    await this.#store.close?.()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
