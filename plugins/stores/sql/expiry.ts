import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Clock, Logger } from '../../../core/index.ts'
import { describeError } from '../../../core/kit.ts'
import { databaseTime } from './database-now.ts'
import { isFree, refOf, removeConversation } from './conversation-rows.ts'
import { removeResponse } from './response-rows.ts'
import type { Tables } from './tables.ts'

/** How many days to keep data. Default: forever. */
export interface Retention {
  readonly keepResponsesDays?: number
  readonly keepRecordsDays?: number
  readonly keepContentDays?: number
}

export interface RetentionOptions extends Retention {
  /** By organization. */
  readonly organizations: Readonly<Record<string, Retention>>
}

const dayMs = 24 * 60 * 60 * 1000
const sweepEveryMs = 60 * 60 * 1000
/** Small, so that nothing waits long for the database. */
const rowsInBatch = 50
/** Charts by the minute show the last days only. */
const keepUsageMinutesDays = 7
/** Charts of days go back 90 days. */
const keepUsageQuartersDays = 100
/** No record arrives later. */
const keepErasedDays = 7

/** How much a sweep deleted. */
export type Deleted = Readonly<Record<'responses' | 'records' | 'contents', number>> & { readonly conversations?: number }

/** Deletes expired data in small batches. */
export class Expiry {
  readonly #database: Kysely<Tables>
  readonly #clock: Clock
  readonly #log: Logger
  readonly #options: RetentionOptions
  #timer: NodeJS.Timeout | undefined
  #sweeping: Promise<unknown> = Promise.resolve()
  #stopped = false

  constructor(database: Kysely<Tables>, clock: Clock, log: Logger, options: RetentionOptions) {
    this.#database = database
    this.#clock = clock
    this.#log = log
    this.#options = options
  }

  /** Sweeps now and then hourly, in the background. */
  start(): void {
    this.#sweepAfterTheLast()
    this.#timer = setInterval(() => this.#sweepAfterTheLast(), sweepEveryMs).unref()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    await this.#sweeping
  }

  async sweep(): Promise<Deleted> {
    const { organizations } = this.#options
    const named = Object.keys(organizations)
    const deleted = { responses: 0, records: 0, contents: 0 }
    let conversations = 0
    for (const scope of [{ except: named }, ...named.map(org => ({ org }))]) {
      const retention = 'org' in scope ? { ...this.#options, ...organizations[scope.org] } : this.#options
      const { keepResponsesDays, keepRecordsDays, keepContentDays = keepRecordsDays } = retention
      deleted.responses += await this.#each(keepResponsesDays, before => this.#responses(scope, before))
      conversations += await this.#each(keepResponsesDays, before => this.#conversations(scope, before))
      deleted.contents += await this.#each(keepContentDays, before => this.#contents(scope, before))
      deleted.records += await this.#each(keepRecordsDays, before => this.#records(scope, before))
      for (const bucket of ['quarter', 'day'] as const)
        await this.#each(keepRecordsDays, before => this.#sessions(bucket, bucket === 'day' ? before - dayMs : before, scope))
    }
    await this.#each(keepUsageMinutesDays, before => this.#usage('minute', before))
    await this.#each(keepUsageQuartersDays, before => this.#usage('quarter', before))
    await this.#each(keepUsageQuartersDays, before => this.#sessions('quarter', before, { except: [] }))
    await this.#database
      .deleteFrom('erased_answer')
      .where('at', '<', this.#clock.now() - keepErasedDays * dayMs)
      .execute()
    await this.#database.deleteFrom('sign_out').where('kept_until', '<', databaseTime(this.#database)).execute()
    await this.#database.deleteFrom('rate_window').where('ends_at', '<', this.#clock.now()).execute()
    return conversations > 0 ? { ...deleted, conversations } : deleted
  }

  #sweepAfterTheLast(): void {
    this.#sweeping = this.#sweeping
      .then(() => this.sweep())
      .then(deleted => {
        if (Object.values(deleted).some(count => count > 0)) this.#log.info('deleted expired data', deleted)
      })
      .catch(error => this.#log.error('could not delete expired data', describeError(error)))
  }

  /** `deleteBatch` returns how many rows it deleted. */
  async #each(keepDays: number | undefined, deleteBatch: (before: number) => Promise<number>): Promise<number> {
    if (keepDays === undefined) return 0
    const before = this.#clock.now() - keepDays * dayMs
    let deleted = 0
    for (;;) {
      const batch = await deleteBatch(before)
      deleted += batch
      if (batch < rowsInBatch || this.#stopped) return deleted
      await setImmediate()
    }
  }

  async #responses(scope: Scope, before: number): Promise<number> {
    let query = this.#database.selectFrom('response').select(['owner', 'id']).where('created_at', '<', before)
    if ('org' in scope) query = query.where('org', '=', scope.org)
    else if (scope.except.length > 0) query = query.where('org', 'not in', scope.except)
    const rows = await query.limit(rowsInBatch).execute()
    if (rows.length === 0) return 0
    await this.#database.transaction().execute(async transaction => {
      for (const { owner, id } of rows) await removeResponse(transaction, owner, id)
    })
    return rows.length
  }

  /** One that a run has waits for the next sweep. */
  async #conversations(scope: Scope, before: number): Promise<number> {
    let query = this.#database.selectFrom('conversation').select(['owner', 'id']).where('created_at', '<', before)
    query = query.where(isFree(this.#database))
    if ('org' in scope) query = query.where('org', '=', scope.org)
    else if (scope.except.length > 0) query = query.where('org', 'not in', scope.except)
    const rows = await query.limit(rowsInBatch).execute()
    // Each by itself, because it may have thousands of items.
    for (const row of rows) await this.#database.transaction().execute(transaction => removeConversation(transaction, refOf(row)))
    return rows.length
  }

  async #contents(scope: Scope, before: number): Promise<number> {
    let query = this.#database.selectFrom('record_content').select('id').where('at', '<', before)
    if ('org' in scope) query = query.where('org', '=', scope.org)
    else if (scope.except.length > 0) query = query.where('org', 'not in', scope.except)
    const ids = (await query.limit(rowsInBatch).execute()).map(({ id }) => id)
    if (ids.length > 0) await this.#database.deleteFrom('record_content').where('id', 'in', ids).execute()
    return ids.length
  }

  async #records(scope: Scope, before: number): Promise<number> {
    let query = this.#database.selectFrom('record').select('id').where('at', '<', before)
    if ('org' in scope) query = query.where('org', '=', scope.org)
    else if (scope.except.length > 0) query = query.where(({ eb, or }) => or([eb('org', 'is', null), eb('org', 'not in', scope.except)]))
    const ids = (await query.limit(rowsInBatch).execute()).map(({ id }) => id)
    if (ids.length === 0) return 0
    await this.#database.transaction().execute(async transaction => {
      await transaction.deleteFrom('record_content').where('id', 'in', ids).execute()
      await transaction.deleteFrom('record_asked').where('id', 'in', ids).execute()
      await transaction.deleteFrom('record').where('id', 'in', ids).execute()
    })
    return ids.length
  }

  async #usage(bucket: 'minute' | 'quarter', before: number): Promise<number> {
    const row = await this.#database
      .selectFrom('usage')
      .select('at')
      .where('bucket', '=', bucket)
      .where('at', '<', before)
      .orderBy('at')
      .limit(1)
      .executeTakeFirst()
    if (!row) return 0
    for (const table of ['usage_latency', 'usage'] as const)
      await this.#database.deleteFrom(table).where('bucket', '=', bucket).where('at', '=', row.at).execute()
    return rowsInBatch
  }

  /** There are as many sessions as clients want, so their sums do not outlive the records. */
  async #sessions(bucket: 'quarter' | 'day', before: number, scope: Scope): Promise<number> {
    let query = this.#database.selectFrom('usage_session').select(['at', 'session']).distinct()
    query = query.where('bucket', '=', bucket).where('at', '<', before)
    if ('org' in scope) query = query.where('org', '=', scope.org)
    else if (scope.except.length > 0) query = query.where('org', 'not in', scope.except)
    const rows = await query.limit(rowsInBatch).execute()
    if (rows.length === 0) return 0
    await this.#database.transaction().execute(async transaction => {
      for (const { at, session } of rows)
        await transaction
          .deleteFrom('usage_session')
          .where('bucket', '=', bucket)
          .where('at', '=', at)
          .where('session', '=', session)
          .execute()
    })
    return rows.length
  }
}

type Scope = { readonly org: string } | { readonly except: readonly string[] }
