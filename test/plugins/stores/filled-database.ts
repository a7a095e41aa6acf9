import { hash } from 'node:crypto'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { checkMasterKey } from '../../../plugins/stores/sql/master-key-check.ts'
import { knownTables } from '../../../plugins/stores/sql/copy/layout.ts'
import { openSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import { testSealer } from './databases.ts'

/** Texts that a careless copy would change. */
const hostileTexts: readonly string[] = [
  '',
  'NULL',
  String.raw`{"a":"\u0000\ud800"}`,
  `it's "quoted" \\ {,} \t\r\n`,
  '👩‍👩‍👧‍👦 e\u0301 \u202e \ufeff',
  'ß ｱ \u{10ffff}',
]
/** By these, a copy would take the source for one in use. */
const leases: ReadonlySet<string> = new Set(['seen_at', 'lease_ends_at', 'leased_until'])

export interface Filling {
  /** In every table. */
  readonly rows: number
  /** In the table `audit`: several pages. */
  readonly auditRows?: number
  /** Of one response. */
  readonly largeBytes?: number
  /** A text with the character NUL. */
  readonly nul?: boolean
}

/** Makes a SQLite database with rows of every kind in every table. */
export async function fill(file: string, { rows, auditRows = 0, largeBytes = 0, nul = false }: Filling): Promise<void> {
  const { database } = await openSqlite(file)
  await checkMasterKey(database, testSealer(), file)
  await database.destroy()
  const tables = await knownTables()
  const plain = new DatabaseSync(file)
  plain.exec('begin')
  for (const { name, columns, key } of tables) {
    if (name === 'master_key_check') continue
    const facts = plain.prepare('select lower(type) as type, "notnull" as required from pragma_table_info(?) order by cid').all(name)
    const names = columns.map(column => `"${column.name}"`)
    const insertion = plain.prepare(`insert into "${name}" (${names.join()}) values (${names.map(() => '?').join()})`)
    const count = name === 'audit' ? Math.max(rows, auditRows) : rows
    for (let row = 0; row < count; row++)
      insertion.run(
        ...columns.map((column, index): SQLInputValue => {
          const { type, required } = facts[index]!
          if (leases.has(column.name)) return 1
          const isKey = key.includes(column)
          return !isKey && required === 0 && (row + index) % 4 === 3 ? null : valueOf(String(type), row, index, isKey)
        }),
      )
  }
  if (largeBytes > 0) {
    const large = Buffer.alloc(largeBytes, 'turnpike')
    plain.prepare('update response set body = ?, conversation = ? where rowid = 1').run(large, large.subarray(1))
  }
  if (nul) plain.prepare('update audit set changes = ? where rowid = 1').run('a\0b\0c')
  plain.exec('commit')
  plain.close()
}

function valueOf(type: string, row: number, index: number, isKey: boolean): SQLInputValue {
  const isOdd = (row + index) % 2 === 1
  switch (type) {
    case 'text':
      return isKey ? `k${index} ${hostileTexts[row % hostileTexts.length]} ${row}` : hostileTexts[(row + index) % hostileTexts.length]!
    case 'integer':
      return isKey ? row : isOdd ? -2_147_483_648 : 2_147_483_647
    // More digits than a number keeps.
    case 'bigint':
      return isKey ? BigInt(row) : isOdd ? 9_007_199_254_740_993n : -9_223_372_036_854_775_808n
    case 'double precision':
      return [0.1, 1e308, 5e-324, -0.0012, 1e21][(row + index) % 5]!
    case 'blob':
      return Buffer.from([0, 255, 39, 92, row % 256, index])
    default:
      throw new Error(`a column of the type ${type} needs values here`)
  }
}

/** All rows of all tables that are copied, in the order of their keys. */
export async function contentOf(file: string): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const tables = await knownTables()
    return Object.fromEntries(
      tables.map(({ name, key }) => {
        const statement = database.prepare(`select * from "${name}" order by ${key.map(column => `"${column.name}"`).join()}`)
        statement.setReadBigInts(true)
        return [name, statement.all().map(shortened)]
      }),
    )
  } finally {
    database.close()
  }
}

/** Comparing millions of bytes one by one takes long. */
function shortened(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const cells = Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? hash('sha256', value) : value])
  return Object.fromEntries(cells)
}
