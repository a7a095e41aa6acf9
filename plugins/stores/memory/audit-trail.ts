import type { AuditEntry, AuditFilter, AuditTrail, PageQuery } from '../../../core/stores.ts'
import { pageOf } from './page.ts'

/** Keeps the newest entries. */
export class MemoryAuditTrail implements AuditTrail {
  readonly #most: number
  #entries: AuditEntry[] = []

  constructor(most = 10_000) {
    this.#most = most
  }

  add(entry: AuditEntry): void {
    this.#entries.push(entry)
    if (this.#entries.length >= 2 * this.#most) this.#entries = this.#entries.slice(-this.#most)
  }

  page({ org, actor, target, from = -Infinity, to = Infinity }: AuditFilter, query: PageQuery): readonly AuditEntry[] {
    const wanted = this.#entries
      .slice(-this.#most)
      .filter(
        entry =>
          (org === undefined || entry.org === org) &&
          (actor === undefined || entry.actor === actor) &&
          (target === undefined || entry.target === target) &&
          entry.at >= from &&
          entry.at < to,
      )
    return pageOf(wanted, ({ at, id }) => ({ at, id }), query, true)
  }
}
