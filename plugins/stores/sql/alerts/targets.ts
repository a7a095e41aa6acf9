import type { Kysely } from 'kysely'
import { isObject, type Logger } from '../../../../core/index.ts'
import type { AlertTarget, AlertTargetChange, AlertTargetStore, PageQuery } from '../../../../core/stores.ts'
import { lockedAccounts } from '../account-lock.ts'
import { afterInTime } from '../page.ts'
import type { SealedParts } from '../sealed-parts.ts'
import type { Tables } from '../tables.ts'
import type { AlertTargetTable } from './target-tables.ts'

/** What organizations set is encrypted as a whole. */
export class SqlAlertTargets implements AlertTargetStore {
  readonly #database: Kysely<Tables>
  readonly #reader: Kysely<Tables>
  readonly #parts: SealedParts
  readonly #log: Logger

  constructor(database: Kysely<Tables>, parts: SealedParts, log: Logger, reader = database) {
    this.#database = database
    this.#reader = reader
    this.#parts = parts
    this.#log = log
  }

  async add(target: AlertTarget, most: number): Promise<boolean> {
    const { id, org, createdAt } = target
    const row = { id, org, created_at: createdAt, revision: 0, settings: await this.#seal(target) }
    return await lockedAccounts(this.#database, async transaction => {
      const others = await transaction.selectFrom('alert_target').select('id').where('org', '=', org).limit(most).execute()
      if (others.length >= most) return false
      await transaction.insertInto('alert_target').values(row).execute()
      return true
    })
  }

  async find(id: string): Promise<AlertTarget | undefined> {
    const row = await this.#reader.selectFrom('alert_target').selectAll().where('id', '=', id).executeTakeFirst()
    return row && (await this.#open(row))
  }

  async page(org: string | undefined, { limit, after }: PageQuery): Promise<readonly AlertTarget[]> {
    let query = this.#reader.selectFrom('alert_target').selectAll().orderBy('created_at').orderBy('id').limit(limit)
    if (org !== undefined) query = query.where('org', '=', org)
    if (after) query = query.where(afterInTime('created_at', after))
    const targets = await Promise.all((await query.execute()).map(row => this.#open(row)))
    return targets.filter(target => target !== undefined)
  }

  async update(id: string, change: (current: AlertTarget) => AlertTargetChange): Promise<AlertTarget | undefined> {
    for (;;) {
      const row = await this.#database.selectFrom('alert_target').selectAll().where('id', '=', id).executeTakeFirst()
      const current = row && (await this.#open(row))
      if (!current) return undefined
      const changed = { ...current, ...change(current) }
      const { numUpdatedRows } = await this.#database
        .updateTable('alert_target')
        .set({ settings: await this.#seal(changed), revision: row.revision + 1 })
        .where('id', '=', id)
        .where('revision', '=', row.revision)
        .executeTakeFirstOrThrow()
      if (numUpdatedRows > 0n) return changed
    }
  }

  async remove(id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#database.deleteFrom('alert_target').where('id', '=', id).executeTakeFirstOrThrow()
    return numDeletedRows > 0n
  }

  async #seal({ id, org, createdAt: _, ...settings }: AlertTarget): Promise<Uint8Array> {
    return await this.#parts.seal(org, { owner: org, id, part: 'alert-target' }, settings)
  }

  /** One that cannot be read is of no use: it counts as one that was never there. */
  async #open({ id, org, created_at: createdAt, settings }: AlertTargetTable): Promise<AlertTarget | undefined> {
    const opened = await this.#parts.open(org, { owner: org, id, part: 'alert-target' }, settings)
    if (isObject(opened)) return { ...(opened as unknown as Omit<AlertTarget, 'id' | 'org' | 'createdAt'>), id, org, createdAt }
    this.#log.error('a target of alerts cannot be decrypted: it was changed, or its key is lost', { target: id })
    return undefined
  }
}
