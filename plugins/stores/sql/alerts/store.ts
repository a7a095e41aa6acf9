import { sql, type Expression, type ExpressionBuilder, type Kysely, type SqlBool } from 'kysely'
import type { JsonObject } from '../../../../core/index.ts'
import {
  maxTakenDeliveries,
  type AlertDelivery,
  type AlertFilter,
  type AlertNote,
  type AlertStore,
  type Maybe,
  type PageQuery,
  type RaisedAlert,
  type Silence,
  type StoredAlert,
} from '../../../../core/stores.ts'
import { databaseIn, databaseNow, databaseTime } from '../database-now.ts'
import { forUpdate } from '../for-update.ts'
import { beforeInTime } from '../page.ts'
import type { Tables } from '../tables.ts'
import { expireAlerts } from './expire.ts'
import { claim, keepAlert } from './raise.ts'
import { alertFromRow, plainAlert, silenceFromRow } from './rows.ts'

/** The clock of the database, as this process counts it on. */
interface StoreClock {
  now(): number
  current?(): Maybe<number>
}

/** Every decision between processes is one transaction, by the clock of the database. */
export class SqlAlerts implements AlertStore {
  readonly #database: Kysely<Tables>
  readonly #clock: StoreClock
  readonly #reader: Kysely<Tables>

  constructor(database: Kysely<Tables>, clock: StoreClock, reader = database) {
    this.#database = database
    this.#clock = clock
    this.#reader = reader
  }

  now(): Maybe<number> {
    return this.#clock.current?.() ?? this.#clock.now()
  }

  async raise({ alert, channels, claims = [] }: RaisedAlert): Promise<boolean> {
    return await this.#database.transaction().execute(async transaction => {
      if (!(await claim(transaction, claims))) return false
      await keepAlert(transaction, alert, channels)
      return true
    })
  }

  async notes(prefix: string): Promise<readonly AlertNote[]> {
    // Not `like`, in which names may have patterns.
    let query = this.#reader.selectFrom('alert_note').selectAll().where('name', '>=', prefix).orderBy('name')
    if (prefix !== '') query = query.where('name', '<', afterAll(prefix))
    const rows = await query.execute()
    return rows.map(({ name, version, value }) => ({ name, version: Number(version), value: JSON.parse(value) as JsonObject }))
  }

  async change(
    name: string,
    known: number | undefined,
    value: JsonObject | undefined,
    raised?: Omit<RaisedAlert, 'claims'>,
  ): Promise<boolean> {
    return await this.#database.transaction().execute(async transaction => {
      if (!(await changeNote(transaction, name, known, value))) return false
      if (raised) await keepAlert(transaction, raised.alert, raised.channels)
      return true
    })
  }

  async take(channels: readonly string[], forMs: number): Promise<readonly AlertDelivery[]> {
    // Usually there are none, which a reader can tell without a transaction.
    const some = this.#reader.selectFrom('alert_delivery').select('alert_id').where('due_at', '<=', databaseTime(this.#reader))
    if (!(await some.limit(1).executeTakeFirst())) return []
    return await this.#database.transaction().execute(async transaction => {
      const due = transaction
        .selectFrom('alert_delivery')
        .selectAll()
        .select(databaseNow(transaction).as('now'))
        .where('due_at', '<=', databaseTime(transaction))
        .where('channel', 'in', channels)
        .orderBy('raised_at')
        .limit(maxTakenDeliveries)
      const rows = await forUpdate(transaction, due).execute()
      if (rows.length === 0) return []
      for (const { alert_id, channel, tries } of rows)
        await transaction
          .updateTable('alert_delivery')
          .set({ due_at: databaseIn(transaction, forMs), tries: Number(tries) + 1 })
          .where('alert_id', '=', alert_id)
          .where('channel', '=', channel)
          .execute()
      const ids = [...new Set(rows.map(({ alert_id }) => alert_id))]
      const alerts = await transaction.selectFrom('alert').selectAll().where('id', 'in', ids).execute()
      const byId = new Map(alerts.map(row => [row.id, plainAlert(row)]))
      return rows.flatMap(({ alert_id, channel, audience, tries, raised_at, now }) => {
        const alert = byId.get(alert_id)
        const taken = { channel, audience: audience as AlertDelivery['audience'], tries: Number(tries) + 1 }
        return alert ? [{ alert, ...taken, ageMs: Math.max(0, Number(now) - raised_at) }] : []
      })
    })
  }

  async putOff(alertId: string, channel: string, dueInMs: number | undefined): Promise<void> {
    const database = this.#database
    const isIt = ({ eb, and }: ExpressionBuilder<Tables, 'alert_delivery'>): Expression<SqlBool> =>
      and([eb('alert_id', '=', alertId), eb('channel', '=', channel)])
    if (dueInMs === undefined) await database.deleteFrom('alert_delivery').where(isIt).execute()
    else
      await database
        .updateTable('alert_delivery')
        .set({ due_at: databaseIn(database, dueInMs) })
        .where(isIt)
        .execute()
  }

  async page({ kind, org, state, from, to }: AlertFilter, { limit, after }: PageQuery): Promise<readonly StoredAlert[]> {
    let query = this.#reader.selectFrom('alert').selectAll().orderBy('at', 'desc').orderBy('id', 'desc').limit(limit)
    if (kind !== undefined) query = query.where('kind', '=', kind)
    if (org !== undefined) query = query.where('org', '=', org)
    if (state !== undefined) query = query.where('resolved_at', state === 'resolved' ? 'is not' : 'is', null)
    if (state === 'open' || state === 'acknowledged')
      query = query.where('acknowledged_at', state === 'acknowledged' ? 'is not' : 'is', null)
    if (from !== undefined) query = query.where('at', '>=', from)
    if (to !== undefined) query = query.where('at', '<', to)
    if (after) query = query.where(beforeInTime('at', after))
    return (await query.execute()).map(alertFromRow)
  }

  async find(id: string): Promise<StoredAlert | undefined> {
    const row = await this.#reader.selectFrom('alert').selectAll().where('id', '=', id).executeTakeFirst()
    return row && alertFromRow(row)
  }

  async acknowledge(id: string, by: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#database
      .updateTable('alert')
      .set({
        acknowledged_at: sql<number>`coalesce(acknowledged_at, ${databaseNow(this.#database)})`,
        acknowledged_by: sql<string>`coalesce(acknowledged_by, ${by})`,
      })
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return numUpdatedRows > 0n
  }

  async silences(): Promise<readonly Silence[]> {
    const query = this.#reader.selectFrom('alert_silence').selectAll().where('ends_at', '>', databaseTime(this.#reader))
    return (await query.orderBy('at', 'desc').orderBy('id', 'desc').execute()).map(silenceFromRow)
  }

  async addSilence({ id, until, kind, subject, org, note, by, reach }: Omit<Silence, 'at'>): Promise<Silence> {
    const row = await this.#database
      .insertInto('alert_silence')
      .values({ id, at: databaseNow(this.#database), ends_at: until, kind, subject, org, note, made_by: by, reach })
      .returningAll()
      .executeTakeFirstOrThrow()
    return silenceFromRow(row)
  }

  async removeSilence(id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#database.deleteFrom('alert_silence').where('id', '=', id).executeTakeFirstOrThrow()
    return numDeletedRows > 0n
  }

  async expire(): Promise<void> {
    await expireAlerts(this.#database)
  }
}

/** Comes after all names that begin so. Names are ordered by their bytes. */
function afterAll(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)
}

/** False if the note is not as the caller knows it. */
async function changeNote(
  transaction: Kysely<Tables>,
  name: string,
  known: number | undefined,
  value: JsonObject | undefined,
): Promise<boolean> {
  if (known === undefined) {
    if (value === undefined) return true
    const { numInsertedOrUpdatedRows = 0n } = await transaction
      .insertInto('alert_note')
      .values({ name, version: 1, value: JSON.stringify(value) })
      .onConflict(conflict => conflict.column('name').doNothing())
      .executeTakeFirstOrThrow()
    return numInsertedOrUpdatedRows > 0n
  }
  if (value === undefined) {
    const { numDeletedRows } = await transaction
      .deleteFrom('alert_note')
      .where('name', '=', name)
      .where('version', '=', known)
      .executeTakeFirstOrThrow()
    return numDeletedRows > 0n
  }
  const { numUpdatedRows } = await transaction
    .updateTable('alert_note')
    .set({ version: known + 1, value: JSON.stringify(value) })
    .where('name', '=', name)
    .where('version', '=', known)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
