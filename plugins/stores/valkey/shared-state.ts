import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../core/index.ts'
import type { SharedChange, SharedState } from '../../../core/stores.ts'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { publishScript } from './scripts/publish.ts'

/** An entry that is gone is remembered as long, for gateways that were cut off. */
const goneKeptMs = 300_000
/** Beyond that, those that end first are deleted. */
const maxEntries = 100_000
/** Changes that wait for the server. Beyond that, the oldest are dropped. */
const maxWaiting = 10_000
/** Changes in one run of the script: other commands wait for it. */
const atOnce = 200
const scanCount = 500

interface Waiting {
  readonly value: string
  /** On `Clock.elapsed`. */
  readonly until: number
}

/** Entries with an end, which gateways send each other over pub/sub. One that was cut off reads them again. */
export class ValkeySharedState implements SharedState {
  readonly #connection: Connection
  readonly #keys: Keys
  readonly #clock: Clock
  readonly #process = randomBytes(6).toString('base64url')
  /** By entry: only the last change of each counts. */
  readonly #waiting = new Map<string, Waiting>()
  #isSending = false
  #receive: ((change: SharedChange) => void) | undefined
  /** The numbers of changes that came while entries are read: those that are read may be older. */
  #seen: Map<string, number> | undefined

  constructor(connection: Connection, keys: Keys, clock: Clock) {
    this.#connection = connection
    this.#keys = keys
    this.#clock = clock
    connection.subscribe(keys.channel, message => this.#heard(message))
    connection.onReady(() => {
      void this.#send()
      void this.#readAll().catch(() => {})
    })
  }

  publish({ map, key, value, forMs }: SharedChange): void {
    const entry = JSON.stringify([map, key])
    this.#waiting.delete(entry)
    const isGone = value === undefined || forMs <= 0
    this.#waiting.set(entry, { value: isGone ? '' : JSON.stringify(value), until: this.#clock.elapsed() + (isGone ? 0 : forMs) })
    if (this.#waiting.size > maxWaiting) this.#waiting.delete(this.#waiting.keys().next().value!)
    void this.#send()
  }

  async subscribe(receive: (change: SharedChange) => void): Promise<void> {
    this.#receive = receive
    if (!this.#connection.isReady) return
    try {
      await this.#readAll()
    } catch (error) {
      if (!this.#connection.isClosed) throw error
    }
  }

  /** Sends what waits, together with what comes while it is sent. */
  async #send(): Promise<void> {
    if (this.#isSending || !this.#connection.isReady) return
    this.#isSending = true
    // All changes of one turn of the event loop are sent at once.
    await Promise.resolve()
    try {
      while (this.#waiting.size > 0 && this.#connection.isReady) await this.#sendSome()
    } catch {
      // The connection has reported it. They are sent when there is one again.
    } finally {
      this.#isSending = false
    }
  }

  async #sendSome(): Promise<void> {
    const some = [...this.#waiting].slice(0, atOnce)
    const now = this.#clock.elapsed()
    const values = [this.#keys.channel, this.#process, String(goneKeptMs), String(maxEntries)]
    for (const [entry, { value, until }] of some) {
      const leftMs = value === '' ? 0 : Math.max(0, Math.ceil(until - now))
      values.push(entry, String(leftMs), leftMs > 0 ? value : '')
      this.#waiting.delete(entry)
    }
    try {
      await this.#connection.run(publishScript, this.#keys.shared, values)
    } catch (error) {
      for (const [entry, change] of some) if (!this.#waiting.has(entry)) this.#waiting.set(entry, change)
      throw error
    }
  }

  #heard(message: string): void {
    const [process, ...changes] = textsOf(message)
    if (process === this.#process) return
    for (let at = 0; at + 3 < changes.length; at += 4) {
      const [number, entry, forMs, value] = changes.slice(at, at + 4) as [string, string, string, string]
      this.#seen?.set(entry, Number(number))
      this.#pass(entry, value, Number(forMs))
    }
  }

  /** All entries that are valid, and those that were deleted lately. */
  async #readAll(): Promise<void> {
    if (!this.#receive) return
    const seen = (this.#seen = new Map<string, number>())
    const [entries] = this.#keys.shared
    const time = (await this.#connection.send(entries, ['TIME'])) as [string, string]
    const now = Number(time[0]) * 1_000 + Math.floor(Number(time[1]) / 1_000)
    let cursor = '0'
    do {
      const [next, found] = (await this.#connection.send(entries, ['HSCAN', entries, cursor, 'COUNT', String(scanCount)])) as [
        string,
        string[],
      ]
      cursor = next
      for (let at = 0; at < found.length; at += 2) this.#found(found[at]!, found[at + 1]!, now, seen)
    } while (cursor !== '0')
    if (this.#seen === seen) this.#seen = undefined
  }

  #found(entry: string, text: string, now: number, seen: ReadonlyMap<string, number>): void {
    const [, number, ends, process, value] = /^(\d+) (\d+) (\S+) (.*)$/s.exec(text) ?? []
    if (value === undefined || process === this.#process || (seen.get(entry) ?? 0) >= Number(number)) return
    const leftMs = Number(ends) - now
    if (value === '' || leftMs > 0) this.#pass(entry, value, leftMs)
  }

  #pass(entry: string, value: string, forMs: number): void {
    const [map, key] = textsOf(entry)
    const known = value === '' ? undefined : parsed(value)
    if (map === undefined || key === undefined || (known === undefined && value !== '')) return
    this.#receive?.(value === '' ? { map, key, forMs: 0 } : { map, key, value: known, forMs })
  }
}

/** Empty for what no gateway wrote: something else may use the server, too. */
function textsOf(json: string): readonly string[] {
  const list = parsed(json)
  return Array.isArray(list) && list.every(each => typeof each === 'string') ? list : []
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
