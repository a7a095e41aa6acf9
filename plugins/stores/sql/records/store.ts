import { sql, type Kysely } from 'kysely'
import { isObject, type Clock, type JsonObject, type Logger } from '../../../../core/index.ts'
import type {
  KeyUse,
  PageQuery,
  Position,
  RankedPage,
  RankedQuery,
  RecordContent,
  RecordFacts,
  RecordFilter,
  RecordStore,
  UsageQuery,
  UsageRow,
} from '../../../../core/stores.ts'
import { afterInTime } from '../page.ts'
import type { SealedParts } from '../sealed-parts.ts'
import type { Tables } from '../tables.ts'
import { eraseContent } from './erasure.ts'
import { readPage } from './page.ts'
import { readRanked } from './ranked.ts'
import { recordColumns } from './tables.ts'
import { readUsage } from './usage.ts'

export class SqlRecords implements RecordStore {
  readonly #database: Kysely<Tables>
  readonly #reader: Kysely<Tables>
  readonly #clock: Clock
  readonly #parts: SealedParts
  readonly #log: Logger

  constructor(database: Kysely<Tables>, clock: Clock, parts: SealedParts, log: Logger, reader = database) {
    this.#database = database
    this.#reader = reader
    this.#clock = clock
    this.#parts = parts
    this.#log = log
  }

  async page(filter: RecordFilter, query: PageQuery): Promise<readonly RecordFacts[]> {
    return (await readPage(this.#reader, filter, query)).map(row => recordColumns.withNulls(row))
  }

  async ranked(filter: RecordFilter, query: RankedQuery): Promise<RankedPage> {
    const { rows, searchedFrom } = await readRanked(this.#reader, filter, query)
    return { records: rows.map(row => recordColumns.withNulls(row)), searchedFrom }
  }

  async find(id: string): Promise<RecordFacts | undefined> {
    const [found] = await this.page({ id }, { limit: 1 })
    return found
  }

  async content(id: string): Promise<RecordContent | undefined> {
    const row = await this.#reader
      .selectFrom('record_content')
      .innerJoin('record', 'record.id', 'record_content.id')
      .select(['record_content.org', 'record_content.sealed', 'record.owner'])
      .where('record_content.id', '=', id)
      .executeTakeFirst()
    if (!row || row.owner === null) return undefined
    const opened = await this.#parts.open(row.org, { owner: row.owner, id, part: 'content' }, row.sealed)
    if (!isObject(opened)) {
      this.#log.error('the content of a record cannot be decrypted: it was changed, or its key is lost', { record: id })
      return undefined
    }
    const { request, response, kept } = opened as RecordContent & JsonObject
    return { request, response, ...(kept && { kept }) }
  }

  async eraseContent(owner: string, answerId: string): Promise<void> {
    await eraseContent(this.#database, owner, answerId, this.#clock.now())
  }

  async usage(query: UsageQuery): Promise<readonly UsageRow[]> {
    return await readUsage(this.#reader, query)
  }

  async usedKeys(since: number, { limit, after }: PageQuery): Promise<readonly Position[]> {
    let query = this.#reader.selectFrom('key_use').select(['key_id as id', 'last_used_at as at']).where('last_used_at', '>=', since)
    if (after) query = query.where(afterInTime('last_used_at', after, 'key_id'))
    return await query.orderBy('last_used_at').orderBy('key_id').limit(limit).execute()
  }

  async keyUse(keys: readonly string[]): Promise<ReadonlyMap<string, KeyUse>> {
    if (keys.length === 0) return new Map()
    const rows = await this.#reader
      .selectFrom('key_use')
      .select(['key_id', 'requests', 'last_used_at'])
      // SQLite hands out no whole number above 2^53.
      .select(sql<number>`cast(cost as double precision)`.as('cost'))
      .where('key_id', 'in', [...keys])
      .execute()
    return new Map(
      rows.map(({ key_id, requests, cost, last_used_at }) => [key_id, { requests, costUsd: cost / 1e9, lastUsedAt: last_used_at }]),
    )
  }
}
