import type { Kysely } from 'kysely'
import type { SignOuts } from '../../../core/stores.ts'
import { databaseIn } from './database-now.ts'
import type { Tables } from './tables.ts'

/** `Expiry` deletes those that were kept long enough. */
export class SqlSignOuts implements SignOuts {
  readonly #database: Kysely<Tables>
  readonly #reader: Kysely<Tables>

  constructor(database: Kysely<Tables>, reader = database) {
    this.#database = database
    this.#reader = reader
  }

  async add(id: string, forMs: number): Promise<void> {
    const kept_until = databaseIn(this.#database, forMs)
    await this.#database
      .insertInto('sign_out')
      .values({ id, kept_until })
      .onConflict(conflict => conflict.column('id').doUpdateSet({ kept_until }))
      .execute()
  }

  async has(id: string): Promise<boolean> {
    return (await this.#reader.selectFrom('sign_out').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
  }
}
