import { sql, type Kysely } from 'kysely'
import { isObject, type Item, type JsonObject, type Logger } from '../../../core/index.ts'
import {
  recentValues,
  type BackgroundAddress,
  type BackgroundAftermath,
  type BackgroundEnd,
  type BackgroundNotice,
  type BackgroundResponse,
  type BackgroundState,
  type BackgroundStatus,
  type BackgroundStore,
  type EventBatch,
  type EventChunk,
} from '../../../core/stores.ts'
import { removeExpired, takeNotices } from './background-upkeep.ts'
import { BackgroundWrites } from './background-writes.ts'
import { columnId } from './column-id.ts'
import { databaseIn, databaseNow, databaseTime } from './database-now.ts'
import { readChunks, removeBackground, sealedChunks, type BackgroundRow } from './background-rows.ts'
import { forUpdate } from './for-update.ts'
import type { SealedParts } from './sealed-parts.ts'
import type { BackgroundTable, Tables } from './tables.ts'

const running = ['queued', 'in_progress', 'completing'] as const
/** SQLite allows 32,766 parameters in a statement. */
const renewedAtOnce = 1_000

/** The input, the object and the events of a response are encrypted. Its id, its owner, its status and its times are not. */
export class SqlBackground implements BackgroundStore {
  readonly #database: Kysely<Tables>
  readonly #reader: Kysely<Tables>
  readonly #parts: SealedParts
  readonly #log: Logger
  readonly #writes: BackgroundWrites
  readonly #rows = recentValues<string, BackgroundRow>(10_000)

  constructor(database: Kysely<Tables>, parts: SealedParts, log: Logger, reader = database) {
    this.#database = database
    this.#reader = reader
    this.#parts = parts
    this.#log = log
    this.#writes = new BackgroundWrites(database)
  }

  async begin(ownerName: string, response: BackgroundResponse, leaseMs: number): Promise<void> {
    const { org, input, body, createdAt } = response
    const owner = columnId(ownerName)
    const id = columnId(response.id)
    await this.#database
      .insertInto('background')
      .values({
        owner,
        id,
        org,
        status: 'queued',
        created_at: createdAt,
        lease_ends_at: databaseIn(this.#database, leaseMs),
        expires_at: null,
        notice_at: null,
        tries: 0,
        parts: 0,
        last_sequence: -1,
        body: await this.#sealedBody({ owner, id, org }, body),
        input: await this.#parts.seal(org, { owner, id, part: 'background-input' }, input),
      })
      .execute()
  }

  async get(ownerName: string, id: string): Promise<BackgroundState | undefined> {
    const row = await this.#row(this.#reader, ownerName, id)
      .selectAll()
      .select(sql<number | null>`lease_ends_at - ${databaseNow(this.#reader)}`.as('lease_left'))
      .executeTakeFirst()
    if (!row) return undefined
    const { owner, org } = row
    const body = await this.#parts.open(org, { owner, id: row.id, part: 'background-body' }, row.body)
    const input = await this.#parts.open(org, { owner, id: row.id, part: 'background-input' }, row.input)
    if (!isObject(body) || !Array.isArray(input)) return this.#damaged(row.id)
    return {
      id,
      org,
      input: input as readonly Item[],
      body,
      createdAt: row.created_at,
      status: row.status as BackgroundStatus,
      leaseLeftMs: row.lease_left === null ? undefined : Number(row.lease_left),
      lastSequence: row.last_sequence,
    }
  }

  async append(ownerName: string, responseId: string, batch: EventBatch): Promise<boolean> {
    const row = await this.#known(ownerName, responseId)
    if (!row) return false
    const chunks = await sealedChunks(this.#parts, row, batch.chunks)
    const body = batch.begun && (await this.#sealedBody(row, batch.begun))
    const update = this.#change(row)
      .set(({ eb }) => ({
        parts: batch.parts,
        last_sequence: batch.lastSequence,
        ...(body && { body, status: eb.case().when('status', '=', 'queued').then('in_progress').else(eb.ref('status')).end() }),
      }))
      .compile()
    const changed = await this.#writes.change({ update, chunks })
    return changed !== undefined && (changed as Pick<BackgroundTable, 'status'>).status !== 'cancelled'
  }

  async complete(owner: string, id: string): Promise<boolean> {
    const update = this.#change({ owner: columnId(owner), id: columnId(id) })
      .where('status', 'in', running)
      .set({ status: 'completing' })
      .compile()
    return (await this.#writes.change({ update, chunks: [] })) !== undefined
  }

  async finish(ownerName: string, responseId: string, { status, body, batch, ...aftermath }: BackgroundEnd): Promise<boolean> {
    const row = await this.#known(ownerName, responseId)
    if (!row) return false
    const chunks = await sealedChunks(this.#parts, row, batch.chunks)
    const sealed = body && (await this.#sealedBody(row, body))
    const update = this.#change(row)
      .set(({ eb }) => ({
        ...this.#ended(aftermath),
        parts: batch.parts,
        last_sequence: batch.lastSequence,
        status: eb.case().when('status', '=', 'cancelled').then('cancelled').else(status).end(),
        ...(sealed && { body: sealed }),
      }))
      .compile()
    return (await this.#writes.change({ update, chunks })) !== undefined
  }

  async cancel(owner: string, id: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#database
      .updateTable('background')
      .set({ status: 'cancelled' })
      .where('owner', '=', columnId(owner))
      .where('id', '=', columnId(id))
      .where('lease_ends_at', 'is not', null)
      .where('status', 'in', ['queued', 'in_progress'])
      .executeTakeFirstOrThrow()
    return numUpdatedRows > 0n
  }

  async renew(responses: readonly BackgroundAddress[], leaseMs: number): Promise<readonly BackgroundAddress[]> {
    const open = new Set<string>()
    for (let from = 0; from < responses.length; from += renewedAtOnce) {
      const some = responses.slice(from, from + renewedAtOnce)
      const renewal = this.#database
        .updateTable('background')
        .set({ lease_ends_at: databaseIn(this.#database, leaseMs) })
        .where('id', 'in', [...new Set(some.map(({ id }) => columnId(id)))])
        .where('owner', 'in', [...new Set(some.map(({ owner }) => columnId(owner)))])
        .where('lease_ends_at', 'is not', null)
        .returning(['owner', 'id', 'status'])
      const rows = await this.#writes.alone(() => renewal.execute())
      for (const { owner, id, status } of rows) if (status !== 'cancelled') open.add(JSON.stringify([owner, id]))
    }
    return responses.filter(({ owner, id }) => open.has(JSON.stringify([columnId(owner), columnId(id)])))
  }

  async lapse(aftermath: BackgroundAftermath): Promise<number> {
    const { numUpdatedRows } = await this.#database
      .updateTable('background')
      .set(({ eb }) => ({
        status: eb.case().when('status', '=', 'cancelled').then('cancelled').else('failed').end(),
        ...this.#ended(aftermath),
      }))
      .where('lease_ends_at', '<', databaseTime(this.#database))
      .executeTakeFirstOrThrow()
    return Number(numUpdatedRows)
  }

  async events(owner: string, id: string, from: { readonly part: number; readonly sequence: number }): Promise<readonly EventChunk[]> {
    const chunks = await readChunks(this.#reader, this.#parts, { owner: columnId(owner), id: columnId(id), ...from })
    return chunks ?? this.#damaged(columnId(id)) ?? []
  }

  async delete(owner: string, id: string): Promise<boolean> {
    return await this.#database.transaction().execute(async transaction => {
      const row = await forUpdate(
        transaction,
        this.#row(transaction, owner, id).select(['owner', 'id', 'lease_ends_at']),
      ).executeTakeFirst()
      if (!row || row.lease_ends_at !== null) return false
      await removeBackground(transaction, [row])
      return true
    })
  }

  async takeNotices(forMs: number): Promise<readonly BackgroundNotice[]> {
    return await takeNotices(this.#database, forMs)
  }

  async putOff(owner: string, id: string, dueInMs: number | undefined): Promise<void> {
    await this.#database
      .updateTable('background')
      .set({ notice_at: dueInMs === undefined ? null : databaseIn(this.#database, dueInMs) })
      .where('owner', '=', columnId(owner))
      .where('id', '=', columnId(id))
      .where('lease_ends_at', 'is', null)
      .execute()
  }

  async expire(): Promise<number> {
    return await removeExpired(this.#database)
  }

  #ended({ keepMs, noticeMs }: BackgroundAftermath) {
    return {
      lease_ends_at: null,
      expires_at: databaseIn(this.#database, keepMs),
      notice_at: noticeMs === undefined ? null : databaseIn(this.#database, noticeMs),
    }
  }

  #row(database: Kysely<Tables>, owner: string, id: string) {
    return database.selectFrom('background').where('owner', '=', columnId(owner)).where('id', '=', columnId(id))
  }

  /** Changes a response that is not over. */
  #change({ owner, id }: BackgroundAddress) {
    return this.#database
      .updateTable('background')
      .where('owner', '=', owner)
      .where('id', '=', id)
      .where('lease_ends_at', 'is not', null)
      .returning('status')
  }

  /** The organization of a response, for its key. It never changes. */
  async #known(owner: string, id: string): Promise<BackgroundRow | undefined> {
    const address = JSON.stringify([owner, id])
    const known = this.#rows.get(address)
    if (known) return known
    const row = await this.#row(this.#reader, owner, id).select(['owner', 'id', 'org']).executeTakeFirst()
    if (row) this.#rows.set(address, row)
    return row
  }

  async #sealedBody({ owner, id, org }: BackgroundRow, body: JsonObject): Promise<Uint8Array> {
    return await this.#parts.seal(org, { owner, id, part: 'background-body' }, body)
  }

  /** Reading it again cannot help, so a damaged response counts as one that was never there. */
  #damaged(id: string): undefined {
    this.#log.error('a background response cannot be decrypted: it was changed, or its key is lost', { response: id })
  }
}
