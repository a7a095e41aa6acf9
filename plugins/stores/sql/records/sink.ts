import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { LogSink, RequestRecord } from '../../../../core/index.ts'
import { NamedModels } from '../../../../core/stores.ts'
import { inOrder } from '../in-order.ts'
import type { SealedParts } from '../sealed-parts.ts'
import type { Tables } from '../tables.ts'
import { isUnavailable } from '../unavailable.ts'
import { erasedAmong } from './erasure.ts'
import { askedStatements } from './asked.ts'
import { insertedAmong, insertions } from './insert.ts'
import { withNames } from './named-models.ts'
import { rollUps } from './roll-up.ts'
import type { RecordContentTable } from './tables.ts'

const againAfterMs = 1_000
/** So that sealing a batch does not hold up requests. */
const sealedAtOnceBytes = 64 * 1024

/** Stores records, and adds them up for charts. Content is sealed. */
export class RecordSink implements LogSink {
  readonly name = 'sql'
  readonly accepts = 'content'
  readonly seesContent = 'local'
  readonly #database: Kysely<Tables>
  readonly #parts: SealedParts
  #named = new NamedModels()

  constructor(database: Kysely<Tables>, parts: SealedParts) {
    this.#database = database
    this.#parts = parts
  }

  /** While the database is down, the queue of core fills up to its limit. */
  retryAfterMs(error: unknown): number | undefined {
    return isUnavailable(error) ? againAfterMs : undefined
  }

  async write(batch: readonly RequestRecord[]): Promise<void> {
    const contents = await this.#sealed(batch)
    const statements = await insertions(this.#database, batch)
    const wantedNames = this.#named.wantedBy(batch)
    const sums = wantedNames.length === 0 ? rollUps(this.#database, batch, this.#named) : []
    let named = this.#named
    await this.#database.transaction().execute(async transaction => {
      const added = insertedAmong(transaction, batch, await inOrder(transaction, statements))
      const wanted = contents.length === 0 ? contents : await wantedAmong(transaction, contents, added)
      const insertion = transaction.insertInto('record_content').values(wanted)
      named = await withNames(transaction, this.#named, wantedNames)
      const isKnown = wantedNames.length === 0 && added.length === batch.length
      const addedSums = isKnown ? sums : rollUps(transaction, added, named)
      const asked = askedStatements(transaction, added)
      await inOrder(transaction, [...addedSums, ...asked, ...(wanted.length > 0 ? [insertion.compile()] : [])])
    })
    this.#named = named
  }

  async #sealed(batch: readonly RequestRecord[]): Promise<readonly RecordContentTable[]> {
    const rows: RecordContentTable[] = []
    let bytes = 0
    for (const { id, org, owner, at, request, response, kept } of batch) {
      if ((request === null && response === null && !kept) || org === null || owner === null) continue
      const sealed = await this.#parts.seal(org, { owner, id, part: 'content' }, { request, response, kept })
      rows.push({ id, org, at, sealed })
      bytes += sealed.byteLength
      if (bytes < sealedAtOnceBytes) continue
      bytes = 0
      await setImmediate()
    }
    return rows
  }
}

/** The contents of these records that were not erased before. */
async function wantedAmong(
  transaction: Kysely<Tables>,
  contents: readonly RecordContentTable[],
  records: readonly RequestRecord[],
): Promise<readonly RecordContentTable[]> {
  const erased = await erasedAmong(transaction, records)
  const ids = new Set(records.map(({ id }) => id))
  return contents.filter(({ id }) => ids.has(id) && !erased.has(id))
}
