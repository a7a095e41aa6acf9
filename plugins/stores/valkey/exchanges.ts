import type { CountDelta, CountSum } from '../../../core/stores.ts'
import type { Connection } from './connection.ts'
import type { Deliveries } from './deliveries.ts'
import type { Keys } from './keys.ts'
import { exchangeScript } from './scripts/exchange.ts'

/** Sums in one run of the script: other commands wait for it. */
const deltasAtOnce = 100
const sumsAtOnce = 200

/** Adds to sums that all processes share, and reads those that have changed. */
export class Exchanges {
  readonly #connection: Connection
  readonly #deliveries: Deliveries
  readonly #keys: Keys
  readonly #numberKey: string

  constructor(connection: Connection, deliveries: Deliveries, keys: Keys, process: string) {
    this.#connection = connection
    this.#deliveries = deliveries
    this.#keys = keys
    this.#numberKey = keys.batchOfCounts(process)
  }

  async exchange(
    deltas: readonly CountDelta[],
    since: string | undefined,
  ): Promise<{ readonly sums: readonly CountSum[]; readonly since: string }> {
    for (let from = deltasAtOnce; from < deltas.length; from += deltasAtOnce)
      await this.#add(deltas.slice(from, from + deltasAtOnce), 'none')
    const sums = new Map<string, CountSum>()
    let page = await this.#add(deltas.slice(0, deltasAtOnce), since !== undefined && /^\d+$/.test(since) ? since : '')
    for (;;) {
      const [reached, hasMore, ...all] = page
      for (let index = 0; index < all.length; index += 2) {
        const name = all[index] as string
        sums.set(name, { name, counts: countsOf(all[index + 1] as readonly string[]) })
      }
      if (hasMore === 0) return { sums: [...sums.values()], since: reached }
      page = await this.#add([], reached)
    }
  }

  async #add(deltas: readonly CountDelta[], since: string): Promise<Page> {
    const values = [since, String(sumsAtOnce), this.#keys.sums]
    for (const { name, counts, forMs } of deltas) {
      const fields = Object.entries(counts)
      values.push(name, String(Math.ceil(forMs)), String(fields.length))
      for (const [field, count] of fields) values.push(field, String(count))
    }
    const keys = [...this.#keys.counts, ...deltas.map(({ name }) => this.#keys.sums + name)]
    if (deltas.length > 0) return (await this.#deliveries.deliver(exchangeScript, this.#numberKey, keys, values)) as Page
    return (await this.#connection.run(exchangeScript, [this.#numberKey, ...keys], ['0', '0', ...values])) as Page
  }
}

type Page = [reached: string, hasMore: number, ...(string | readonly string[])[]]

function countsOf(fields: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (let index = 0; index < fields.length; index += 2) counts[fields[index]!] = Number(fields[index + 1])
  return counts
}
