import type { Kysely } from 'kysely'
import type { AdminRole } from '../../../core/admin.ts'
import type { AdminToken, AdminTokenStore } from '../../../core/stores.ts'
import type { AdminTokenTable, Tables } from './tables.ts'

export class SqlAdminTokens implements AdminTokenStore {
  readonly #database: Kysely<Tables>
  readonly #reader: Kysely<Tables>

  constructor(database: Kysely<Tables>, reader = database) {
    this.#database = database
    this.#reader = reader
  }

  async find(id: string): Promise<AdminToken | undefined> {
    const row = await this.#reader.selectFrom('admin_token').selectAll().where('id', '=', id).executeTakeFirst()
    return row && fromRow(row)
  }

  async add({ id, hash, name, role, org, createdAt }: AdminToken): Promise<void> {
    await this.#database
      .insertInto('admin_token')
      .values({ id, hash, name, role, org: org ?? null, created_at: createdAt })
      .execute()
  }

  async remove(id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#database.deleteFrom('admin_token').where('id', '=', id).executeTakeFirst()
    return numDeletedRows > 0n
  }

  async list(): Promise<readonly AdminToken[]> {
    const rows = await this.#reader.selectFrom('admin_token').selectAll().orderBy('created_at').orderBy('id').execute()
    return rows.map(fromRow)
  }
}

function fromRow({ id, hash, name, role, org, created_at }: AdminTokenTable): AdminToken {
  return { id, hash, name, role: role as AdminRole, ...(org !== null && { org }), createdAt: created_at }
}
