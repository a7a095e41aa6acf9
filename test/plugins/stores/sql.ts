import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../../../core/index.ts'
import { KeyStore, ResponseStore } from '../../../core/stores.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import { FakeClock, setUp } from '../../kit/set-up.ts'

export const masterKey = 'ab'.repeat(32)

/** SQLITE_BUSY, the low byte of the codes of SQLite that say so. */
const busy = 5

export interface OpenSql {
  readonly keys: KeyStore
  readonly responses: ResponseStore
  stop(): Promise<void>
}

type SqlOptions = Omit<Parameters<typeof sql>[0], 'file'>
type SealerOptions = Parameters<typeof localSealer>[0]

/** The plugin on a file, as a gateway has it. */
export async function openSql(
  file: string,
  options: SqlOptions = {},
  clock: Clock = new FakeClock(),
  sealer: SealerOptions = { masterKey },
): Promise<OpenSql> {
  const { container, host } = await setUp([sql({ file, ...options }), localSealer(sealer)], clock)
  return { keys: container.get(KeyStore), responses: container.get(ResponseStore), stop: () => host.stop() }
}

export function fileOf(t: { testdir(content: Record<string, never>): string }): string {
  return join(t.testdir({}), 'deep', 'data', 'turnpike.db')
}

/** Keeps all others from writing until a rollback. It never blocks, because a transaction of this process must be able to end. */
export async function lock(database: DatabaseSync): Promise<void> {
  while (!database.isTransaction) {
    try {
      database.exec('begin immediate')
    } catch (error) {
      if (((error as { readonly errcode?: number }).errcode ?? 0) % 256 !== busy) throw error
      await setTimeout(5)
    }
  }
}

/** Lets another program write to the file, in its turn. */
export async function write(file: string, statement: string, ...parameters: readonly SQLInputValue[]): Promise<void> {
  const database = new DatabaseSync(file)
  try {
    await lock(database)
    database.prepare(statement).run(...parameters)
    database.exec('commit')
  } finally {
    database.close()
  }
}

/** Runs a statement on the file as another program would, and returns its rows. */
export function run(file: string, statement: string, ...parameters: readonly SQLInputValue[]): readonly Record<string, unknown>[] {
  const database = new DatabaseSync(file, { timeout: 5_000 })
  try {
    return database.prepare(statement).all(...parameters)
  } finally {
    database.close()
  }
}

/** Every byte in the database's folder: the file, its write-ahead log, and its index. */
export function bytesBeside(file: string): Buffer {
  const folder = dirname(file)
  return Buffer.concat(readdirSync(folder).map(name => readFileSync(join(folder, name))))
}
