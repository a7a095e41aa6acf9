import pg from 'pg'
import { openPostgres } from '../../../plugins/stores/sql/postgres/open.ts'
import { silent } from './databases.ts'

interface Pristine {
  readonly form: string
  /** Makes it as it was. */
  readonly script: string
}

/** Databases of one server with all tables. A test gets one that another test has given back: making one takes a second of CPU time. */
export class EmptiedDatabases {
  readonly #create: () => Promise<string>
  readonly #free: string[] = []
  readonly #pristine = new Map<string, Pristine>()

  constructor(create: () => Promise<string>) {
    this.#create = create
  }

  async take(): Promise<string> {
    return this.#free.pop() ?? (await this.#made())
  }

  /** Call when nobody is connected to it. One whose tables are others by now is not used again. */
  async giveBack(url: string): Promise<void> {
    const { form, script } = this.#pristine.get(url)!
    const isFree = await connected(url, async client => {
      if ((await formOf(client)) !== form) return false
      await client.query(script)
      return true
    })
    if (isFree) this.#free.push(url)
  }

  async #made(): Promise<string> {
    const url = await this.#create()
    await (await openPostgres({ url, maxConnections: 1 }, silent)).database.destroy()
    this.#pristine.set(url, await connected(url, async client => ({ form: await formOf(client), script: await scriptOf(client) })))
    return url
  }
}

async function connected<T>(url: string, ask: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await ask(client)
  } finally {
    await client.end()
  }
}

async function formOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query(`
    select table_name || '.' || column_name || ' ' || data_type as part from information_schema.columns where table_schema = 'public'
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace
    order by part`)
  return rows.map(({ part }) => part).join('\n')
}

/** Deletes all rows, and inserts those that migrations made. */
async function scriptOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query(`select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`)
  const names: readonly string[] = rows.map(({ name }) => name)
  // Without the order in which rows refer to one another.
  const statements = ['set session_replication_role = replica', ...names.map(name => `delete from ${name}`)]
  for (const name of names) {
    const { rows } = await client.query(`select quote_literal(json_agg(kept)::text) as text from ${name} as kept having count(*) > 0`)
    for (const { text } of rows)
      statements.push(`insert into ${name} overriding system value select * from json_populate_recordset(null::${name}, ${text})`)
  }
  return statements.join(';\n')
}
