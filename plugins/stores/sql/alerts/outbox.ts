import type { Kysely } from 'kysely'
import {
  keepFailedMessagesMs,
  keepMessagesMs,
  maxFailedMessages,
  unclaimedMessage,
  type AlertMessage,
  type AlertMessageFilter,
  type AlertMessageLimit,
  type AlertOutbox,
  type AlertTargetStanding,
  type AlertTry,
  type NewAlertMessage,
  type PageQuery,
  type TakenMessage,
} from '../../../../core/stores.ts'
import { databaseIn, databaseNow } from '../database-now.ts'
import { beforeInTime } from '../page.ts'
import type { Tables } from '../tables.ts'
import { addMessage } from './add-message.ts'
import { messageFromRow } from './message-rows.ts'
import { isAnyDue, takeMessages } from './take-messages.ts'

const standsNowhere: AlertTargetStanding = { waiting: 0, failed: 0, deliveredAt: null, endedAt: null }
/** Small, so that nothing waits long for the database. */
const rowsInBatch = 500

export class SqlAlertOutbox implements AlertOutbox {
  readonly #database: Kysely<Tables>
  readonly #reader: Kysely<Tables>

  constructor(database: Kysely<Tables>, reader = database) {
    this.#database = database
    this.#reader = reader
  }

  async add(message: NewAlertMessage, limit: AlertMessageLimit): Promise<'added' | 'left-out' | 'known' | 'ended'> {
    return await this.#database.transaction().execute(transaction => addMessage(transaction, message, limit))
  }

  async take(targets: readonly string[], forMs: number): Promise<readonly TakenMessage[]> {
    if (!(await isAnyDue(this.#reader, targets))) return []
    return await this.#database.transaction().execute(transaction => takeMessages(transaction, targets, forMs))
  }

  async settle(id: string, fence: number, result: AlertTry): Promise<boolean> {
    const now = databaseNow(this.#database)
    const waiting = this.#database
      .updateTable('alert_message')
      .where('id', '=', id)
      .where('fence', '=', fence)
      .where('state', '=', 'waiting')
      .returning('target')
    const settled = await (
      result.outcome === 'delivered'
        ? waiting.set({ state: 'delivered', failure: null, due_at: null, ended_at: now })
        : result.outcome === 'failed'
          ? waiting.set({ state: 'failed', failure: result.failure, due_at: null, ended_at: now })
          : waiting.set(({ eb }) => ({
              due_at: databaseIn(this.#database, result.dueInMs),
              fence: fence + 1,
              ...(result.failure !== undefined && { failure: result.failure }),
              ...(!result.counts && { tries: eb('tries', '-', 1) }),
            }))
    ).executeTakeFirst()
    if (settled && result.outcome === 'failed') await this.#trim(settled.target)
    return settled !== undefined
  }

  async postpone(target: string, forMs: number): Promise<void> {
    const due_at = databaseIn(this.#database, forMs)
    await this.#database.updateTable('alert_message').set({ due_at }).where('target', '=', target).where('due_at', '<', due_at).execute()
  }

  async end(target: string, failure: string): Promise<void> {
    const now = databaseNow(this.#database)
    await this.#database.transaction().execute(async transaction => {
      await transaction
        .updateTable('alert_target_use')
        .set({ ended_at: now, digest_at: null })
        .where('target', '=', target)
        .where('ended_at', 'is', null)
        .execute()
      await transaction
        .updateTable('alert_message')
        .set({ state: 'failed', failure, due_at: null, ended_at: now })
        .where('target', '=', target)
        .where('state', '=', 'waiting')
        .execute()
    })
    await this.#trim(target)
  }

  async resume(target: string): Promise<void> {
    await this.#database.updateTable('alert_target_use').set({ ended_at: null }).where('target', '=', target).execute()
  }

  async find(id: string): Promise<AlertMessage | undefined> {
    const row = await this.#reader.selectFrom('alert_message').selectAll().where('id', '=', id).executeTakeFirst()
    return row && messageFromRow(row)
  }

  async page({ org, target, state }: AlertMessageFilter, { limit, after }: PageQuery): Promise<readonly AlertMessage[]> {
    let query = this.#reader.selectFrom('alert_message').selectAll().orderBy('at', 'desc').orderBy('id', 'desc').limit(limit)
    if (org !== undefined) query = query.where('org', '=', org)
    if (target !== undefined) query = query.where('target', '=', target)
    if (state !== undefined) query = query.where('state', '=', state)
    if (after) query = query.where(beforeInTime('at', after))
    return (await query.execute()).map(messageFromRow)
  }

  async resend(id: string): Promise<boolean> {
    const now = databaseNow(this.#database)
    const { numUpdatedRows } = await this.#database
      .updateTable('alert_message')
      .set({ state: 'waiting', tries: 0, failure: null, ended_at: null, since: now, due_at: now })
      .where('id', '=', id)
      .where('state', '=', 'failed')
      .executeTakeFirstOrThrow()
    return numUpdatedRows > 0n
  }

  async standings(targets: readonly string[]): Promise<ReadonlyMap<string, AlertTargetStanding>> {
    const standings = new Map(targets.map(target => [target, standsNowhere]))
    if (targets.length === 0) return standings
    const uses = await this.#reader.selectFrom('alert_target_use').selectAll().where('target', 'in', targets).execute()
    for (const { target, ended_at: endedAt } of uses) standings.set(target, { ...standsNowhere, endedAt })
    const sums = await this.#reader
      .selectFrom('alert_message')
      .select(({ fn }) => ['target', 'state', fn.countAll().as('count'), fn.max('ended_at').as('ended_at')])
      .where('target', 'in', targets)
      .where('state', 'in', ['waiting', 'delivered', 'failed'])
      .groupBy(['target', 'state'])
      .execute()
    for (const { target, state, count, ended_at } of sums) {
      const known = standings.get(target)!
      standings.set(target, state === 'delivered' ? { ...known, deliveredAt: ended_at } : { ...known, [state]: Number(count) })
    }
    return standings
  }

  async forget(target: string): Promise<void> {
    await this.#database.transaction().execute(async transaction => {
      await transaction.deleteFrom('alert_message').where('target', '=', target).execute()
      await transaction.deleteFrom('alert_target_use').where('target', '=', target).execute()
    })
  }

  async expire(giveUpMs: number): Promise<void> {
    const now = databaseNow(this.#database)
    await this.#database
      .updateTable('alert_message')
      .set(({ fn, val }) => ({
        state: 'failed',
        failure: fn.coalesce('failure', val(unclaimedMessage)),
        due_at: null,
        ended_at: now,
      }))
      .where('state', '=', 'waiting')
      .where('since', '<=', databaseIn(this.#database, -giveUpMs))
      .execute()
    for (;;) {
      const old = this.#database
        .selectFrom('alert_message')
        .select('id')
        .where('at', '<=', databaseIn(this.#database, -keepMessagesMs))
        .where(({ eb, or }) =>
          or([eb('state', 'in', ['delivered', 'left-out']), eb('ended_at', '<=', databaseIn(this.#database, -keepFailedMessagesMs))]),
        )
      if ((await this.#remove(await old.limit(rowsInBatch).execute())) < rowsInBatch) return
    }
  }

  /** Keeps the newest of those that failed. */
  async #trim(target: string): Promise<void> {
    const surplus = this.#database
      .selectFrom('alert_message')
      .select('id')
      .where('target', '=', target)
      .where('state', '=', 'failed')
      .orderBy('ended_at', 'desc')
      .orderBy('id', 'desc')
      .limit(rowsInBatch)
      .offset(maxFailedMessages)
    await this.#remove(await surplus.execute())
  }

  async #remove(rows: readonly { readonly id: string }[]): Promise<number> {
    const ids = rows.map(({ id }) => id)
    if (ids.length > 0) await this.#database.deleteFrom('alert_message').where('id', 'in', ids).execute()
    return ids.length
  }
}
