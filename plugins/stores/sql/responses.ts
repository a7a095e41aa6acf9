import type { Kysely } from 'kysely'
import type { Item, JsonObject, Logger, ResponseStore, StoredResponse, Turn } from '../../../core/index.ts'
import { chainQuery, type ResponseLink } from './chain-query.ts'
import type { Tables } from './database.ts'
import { indexItems, itemsOf, readIndex, removeResponse } from './response-rows.ts'
import type { SealedParts } from './sealed-parts.ts'

/** The turn and the body of a response are sealed; its id, its owner and the ids of its items are not. */
export class SqlResponses implements ResponseStore {
  readonly #database: Kysely<Tables>
  readonly #parts: SealedParts
  readonly #log: Logger

  constructor(database: Kysely<Tables>, parts: SealedParts, log: Logger) {
    this.#database = database
    this.#parts = parts
    this.#log = log
  }

  async put(owner: string, response: StoredResponse): Promise<void> {
    const { id, org, previousId, createdAt, input, output, body } = response
    const conversation = await this.#parts.seal(org, { owner, id, part: 'conversation' }, { input, output })
    const sealedBody = await this.#parts.seal(org, { owner, id, part: 'body' }, body)
    const row = { owner, id, org, previous_id: previousId ?? null, created_at: createdAt, conversation, body: sealedBody }
    await this.#database.transaction().execute(async transaction => {
      await removeResponse(transaction, owner, id)
      await transaction.insertInto('response').values(row).execute()
      await indexItems(transaction, owner, response)
    })
  }

  async get(owner: string, id: string): Promise<StoredResponse | undefined> {
    const row = await this.#database.selectFrom('response').selectAll().where('owner', '=', owner).where('id', '=', id).executeTakeFirst()
    if (!row) return undefined
    const { input, output } = await this.#turn(owner, row)
    const body = (await this.#opened(owner, row, 'body', row.body)) as JsonObject
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

  async chain(owner: string, id: string): Promise<readonly Turn[] | undefined> {
    const links = new Map((await chainQuery(this.#database, owner, id).execute()).map(row => [row.id, row]))
    const newestFirst: ResponseLink[] = []
    for (let next: string | null = id; next !== null;) {
      const link = links.get(next)
      if (!link) return undefined
      // What comes twice would go on for ever.
      links.delete(next)
      newestFirst.push(link)
      next = link.previous_id
    }
    const turns: Turn[] = []
    for (const link of newestFirst.reverse()) turns.push(await this.#turn(owner, link))
    return turns
  }

  async items(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Item>> {
    const holders = await readIndex(this.#database, owner, ids)
    const found = new Map<string, Item>()
    for (const [responseId, itemIds] of holders) {
      const row = await this.#database
        .selectFrom('response')
        .select(['id', 'org', 'conversation'])
        .where('owner', '=', owner)
        .where('id', '=', responseId)
        .executeTakeFirst()
      if (!row) continue
      for (const item of itemsOf(await this.#turn(owner, row))) if (itemIds.has(item.id)) found.set(item.id, item)
    }
    return found
  }

  async delete(owner: string, id: string): Promise<boolean> {
    return await this.#database.transaction().execute(transaction => removeResponse(transaction, owner, id))
  }

  async #turn(owner: string, row: Pick<ResponseLink, 'id' | 'org' | 'conversation'>): Promise<Turn> {
    return (await this.#opened(owner, row, 'conversation', row.conversation)) as Turn
  }

  async #opened(
    owner: string,
    { id, org }: { id: string; org: string },
    part: 'conversation' | 'body',
    bytes: Uint8Array,
  ): Promise<unknown> {
    const opened = await this.#parts.open(org, { owner, id, part }, bytes)
    if (opened !== undefined) return opened
    this.#log.error('a stored response does not open: it was changed, or the key that it was sealed under is lost', { response: id, part })
    throw new Error(`the stored response ${id} does not open`)
  }
}
