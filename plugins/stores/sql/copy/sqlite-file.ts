import { statSync } from 'node:fs'
import { CompiledQuery, type Kysely } from 'kysely'
import { connectAlone } from '../sqlite/open.ts'
import type { Tables } from '../tables.ts'
import { CopyError } from './error.ts'

export type Side = '--from' | '--to'

/** Opens the file of one side, which nobody else can open meanwhile. Creates the one to copy to. */
export async function openAlone(side: Side, file: string): Promise<Kysely<Tables>> {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found && side === '--from') throw new CopyError(`there is no file ${file}. Name the SQLite file of the gateway in --from`)
  if (found?.isDirectory()) throw new CopyError(`${side}: ${file} is a folder. Name ${expected[side]}`)
  let database: Kysely<Tables> | undefined
  try {
    database = connectAlone(file, { isNew: side === '--to' })
    // The connection has the lock from then on.
    await database.executeQuery(CompiledQuery.raw('begin exclusive'))
    await database.executeQuery(CompiledQuery.raw(side === '--to' ? 'commit' : 'rollback'))
    return database
  } catch (cause) {
    await database?.destroy()
    const { code, message } = cause as Error & { readonly code?: unknown }
    if (code === 'SQLITE_BUSY') throw new CopyError(`a gateway or another program has ${file} open. Stop it, then copy again`, { cause })
    throw new CopyError(`${side}: ${file} cannot be used: ${message}. ${remedy(side, code)}`, { cause })
  }
}

const expected: Readonly<Record<Side, string>> = {
  '--from': 'the SQLite file of the gateway',
  '--to': 'a file that does not exist yet',
}

function remedy(side: Side, code: unknown): string {
  if (code === 'SQLITE_NOTADB') return `Name ${expected[side]}`
  if (code === 'SQLITE_CORRUPT') return side === '--from' ? 'Restore it from a backup' : `Name ${expected[side]}`
  return 'Make the file and its folder writable for this user, or name another file'
}
