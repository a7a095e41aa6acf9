import type { Clock } from '../../../core/index.ts'
import { freezeDeeply, recentValues, type Maybe } from '../../../core/stores.ts'
import { onStandstill } from './standstill.ts'

export interface RowCacheOptions<T> {
  /** How long a row counts as current. 0 turns the cache off. */
  readonly ttlMs: number
  /** How long a row may answer while the database does not. */
  readonly staleMs: number
  /** Also remembers that a row does not exist. Only for ids that callers cannot make up: others would evict real rows. */
  readonly keepsUnknown: boolean
  /** Reads a row. A throw means that the database is down. */
  readonly load: (id: string) => Promise<T | undefined>
}

interface Entry<T> {
  value: T | undefined
  /** The value as text. While it is the same, so is the object. */
  text: string
  readAt: number
  /** When to ask the database again after it failed. */
  retryAt: number
}

const maxRows = 10_000
const retryAfterMs = 1_000

/**
 * Answers from memory for a short time, so that changes by other processes are seen soon; and for longer while the database is down. What it
 * keeps is frozen.
 */
export class RowCache<T> {
  readonly #clock: Clock
  readonly #options: RowCacheOptions<T>
  readonly #entries = recentValues<string, Entry<T>>(maxRows)
  /** So that many requests at once read a row once. */
  readonly #loading = new Map<string, Promise<T | undefined>>()

  constructor(clock: Clock, options: RowCacheOptions<T>) {
    this.#clock = clock
    this.#options = options
  }

  /** Synchronous if the answer is in memory. Throws if the database is down and memory has no answer. */
  find(id: string): Maybe<T | undefined> {
    const { ttlMs, staleMs, load } = this.#options
    if (ttlMs === 0) return load(id)
    const entry = this.#entries.get(id)
    if (!entry) return this.#load(id)
    const now = this.#clock.elapsed()
    if (now - entry.readAt < ttlMs) return entry.value
    if (now - entry.readAt >= staleMs) return this.#load(id)
    if (entry.retryAt === 0) return this.#loadInTime(id, entry)
    // After a failure, nobody waits for the database while there is an answer.
    if (now >= entry.retryAt) this.#load(id).catch(() => {})
    return entry.value
  }

  /** For a row that memory has, but that may have changed. */
  async #loadInTime(id: string, entry: Entry<T>): Promise<T | undefined> {
    const { promise: late, resolve } = Promise.withResolvers<T | undefined>()
    const answered = onStandstill(() => {
      entry.retryAt = this.#clock.elapsed() + retryAfterMs
      resolve(entry.value)
    })
    try {
      return await Promise.race([this.#load(id), late])
    } finally {
      answered()
    }
  }

  /** Call after a change by this process. */
  forget(id: string): void {
    this.#entries.delete(id)
    this.#loading.delete(id)
  }

  #load(id: string): Promise<T | undefined> {
    const known = this.#loading.get(id)
    if (known) return known
    const loading: Promise<T | undefined> = this.#read(id, () => this.#loading.get(id) === loading)
    this.#loading.set(id, loading)
    return loading
  }

  async #read(id: string, isWanted: () => boolean): Promise<T | undefined> {
    const readAt = this.#clock.elapsed()
    try {
      const value = await this.#options.load(id)
      // A change that was made meanwhile may be missing.
      return isWanted() ? this.#keep(id, value, readAt) : value
    } catch (error) {
      const entry = this.#entries.get(id)
      const now = this.#clock.elapsed()
      if (!entry || now - entry.readAt >= this.#options.staleMs) throw error
      entry.retryAt = now + retryAfterMs
      return entry.value
    } finally {
      if (isWanted()) this.#loading.delete(id)
    }
  }

  /** `readAt`: when the read began. The row may have changed since. */
  #keep(id: string, value: T | undefined, readAt: number): T | undefined {
    if (value === undefined && !this.#options.keepsUnknown) {
      this.#entries.delete(id)
      return undefined
    }
    const text = JSON.stringify(value) ?? ''
    const known = this.#entries.get(id)
    const kept = known?.text === text ? known.value : freezeDeeply(value)
    this.#entries.set(id, { value: kept, text, readAt, retryAt: 0 })
    return kept
  }
}
