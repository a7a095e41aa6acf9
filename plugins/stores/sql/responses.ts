import type { Kysely } from 'kysely'
import { isObject, type Item, type JsonObject, type Logger } from '../../../core/index.ts'
import type { ResponseStore, StoredResponse, Turn } from '../../../core/stores.ts'
import { chainQuery, type ResponseLink } from './chain-query.ts'
import { columnId } from './column-id.ts'
import type { ResponseTable, Tables } from './tables.ts'
import { itemsOf, readIndex, removeResponse } from './response-rows.ts'
import { ResponseWrites } from './response-writes.ts'
import type { SealedParts } from './sealed-parts.ts'

export interface ResponseConnections {
  /** Default: the same connection. */
  readonly reader?: Kysely<Tables> | undefined
  /** How many transactions to run at once. Default: 1. */
  readonly writers?: number
}

/** The turn and body of a response are encrypted. Its id, its owner and the ids of its items are not. */
export class SqlResponses implements ResponseStore {
  readonly #database: Kysely<Tables>
  readonly #reader: Kysely<Tables>
  readonly #writes: ResponseWrites
  readonly #parts: SealedParts
  readonly #log: Logger

  constructor(database: Kysely<Tables>, parts: SealedParts, log: Logger, { reader = database, writers = 1 }: ResponseConnections = {}) {
    this.#database = database
    this.#reader = reader
    this.#writes = new ResponseWrites(database, parts, writers)
    this.#parts = parts
    this.#log = log
  }

  stop(): void {
    this.#writes.stop()
  }

  put(owner: string, response: StoredResponse, signal?: AbortSignal): Promise<void> {
    return this.#writes.add(owner, response, signal)
  }

  async get(ownerName: string, id: string): Promise<StoredResponse | undefined> {
    const owner = columnId(ownerName)
    const row = await this.#reader
      .selectFrom('response')
      .selectAll()
      .where('owner', '=', owner)
      .where('id', '=', columnId(id))
      .executeTakeFirst()
    const turn = row && (await this.#turn(owner, row))
    const body = turn && (await this.#body(owner, row))
    if (!body) return undefined
    const { input, output } = turn
    return {
      id,
      org: row.org,
      ...(row.previous_id !== null && { previousId: row.previous_id }),
      input,
      output,
      body,
      createdAt: row.created_at,
    }
  }

  async chain(ownerName: string, responseId: string): Promise<readonly Turn[] | undefined> {
    const owner = columnId(ownerName)
    const id = columnId(responseId)
    const links = new Map((await chainQuery(this.#reader, owner, id).execute()).map(row => [row.id, row]))
    const newestFirst: ResponseLink[] = []
    for (let next: string | null = id; next !== null;) {
      const link = links.get(next)
      if (!link) return undefined
      // A repeated link would go on for ever.
      links.delete(next)
      newestFirst.push(link)
      next = link.previous_id
    }
    const turns: Turn[] = []
    for (const link of newestFirst.reverse()) {
      const turn = await this.#turn(owner, link)
      if (!turn) return undefined
      turns.push(turn)
    }
    return turns
  }

  async items(ownerName: string, ids: readonly string[]): Promise<ReadonlyMap<string, Item>> {
    const owner = columnId(ownerName)
    const holders = await readIndex(this.#reader, owner, ids)
    const found = new Map<string, Item>()
    for (const [responseId, itemIds] of holders) {
      const row = await this.#reader
        .selectFrom('response')
        .select(['id', 'org', 'conversation'])
        .where('owner', '=', owner)
        .where('id', '=', responseId)
        .executeTakeFirst()
      const turn = row && (await this.#turn(owner, row))
      if (turn) for (const item of itemsOf(turn)) if (itemIds.has(columnId(item.id))) found.set(item.id, item)
    }
    return found
  }

  async delete(owner: string, id: string): Promise<boolean> {
    return await this.#database.transaction().execute(transaction => removeResponse(transaction, columnId(owner), columnId(id)))
  }

  async #turn(owner: string, row: Pick<ResponseLink, 'id' | 'org' | 'conversation'>): Promise<Turn | undefined> {
    const opened = await this.#parts.open(row.org, { owner, id: row.id, part: 'conversation' }, row.conversation)
    return isTurn(opened) ? opened : this.#damaged(row.id, 'conversation')
  }

  async #body(owner: string, row: Pick<ResponseTable, 'id' | 'org' | 'body'>): Promise<JsonObject | undefined> {
    const opened = await this.#parts.open(row.org, { owner, id: row.id, part: 'body' }, row.body)
    return isObject(opened) ? opened : this.#damaged(row.id, 'body')
  }

  /** Reading it again cannot help, so a damaged response counts as one that was never stored. */
  #damaged(id: string, part: string): undefined {
    this.#log.error('a stored response cannot be decrypted: it was changed, or its key is lost', { response: id, part })
  }
}

function isTurn(value: unknown): value is Turn {
  return isObject(value) && isItems(value['input']) && isItems(value['output'])
}

function isItems(value: unknown): boolean {
  return Array.isArray(value) && value.every(item => isObject(item) && typeof item['id'] === 'string')
}
