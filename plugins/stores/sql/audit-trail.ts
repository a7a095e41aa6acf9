import type { Kysely } from 'kysely'
import type { AuditEntry, AuditFilter, AuditTrail, PageQuery } from '../../../core/stores.ts'
import { beforeInTime } from './page.ts'
import type { Tables } from './tables.ts'

export class SqlAuditTrail implements AuditTrail {
  readonly #database: Kysely<Tables>
  readonly #reader: Kysely<Tables>

  constructor(database: Kysely<Tables>, reader = database) {
    this.#database = database
    this.#reader = reader
  }

  async add({ id, at, actor, action, target, org, changes }: AuditEntry): Promise<void> {
    await this.#database
      .insertInto('audit')
      .values({ id, at, actor, action, target, org, changes: JSON.stringify(changes) })
      .execute()
  }

  async page({ org, actor, target, from, to }: AuditFilter, { limit, after }: PageQuery): Promise<readonly AuditEntry[]> {
    let query = this.#reader.selectFrom('audit').selectAll().orderBy('at', 'desc').orderBy('id', 'desc').limit(limit)
    if (org !== undefined) query = query.where('org', '=', org)
    if (actor !== undefined) query = query.where('actor', '=', actor)
    if (target !== undefined) query = query.where('target', '=', target)
    if (from !== undefined) query = query.where('at', '>=', from)
    if (to !== undefined) query = query.where('at', '<', to)
    if (after) query = query.where(beforeInTime('at', after))
    return (await query.execute()).map(({ changes, ...entry }) => ({ ...entry, changes: JSON.parse(changes) }))
  }
}
