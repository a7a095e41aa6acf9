import { existsSync, realpathSync } from 'node:fs'
import type { Kysely } from 'kysely'
import type { Logger } from '../../../../core/index.ts'
import { nameOf, type Place } from '../database.ts'
import { migrate } from '../migrate.ts'
import { readState, refuseUnfit } from '../schema/state.ts'
import { unfinishedCopy } from '../schema/marks.ts'
import { connectToCopy } from '../postgres/open.ts'
import { migrateAlone } from '../sqlite/open.ts'
import type { Tables } from '../tables.ts'
import { CopyState } from './copy-state.ts'
import { requireTables, type Table } from './layout.ts'
import { named } from './source.ts'
import { openAlone } from './sqlite-file.ts'

/** A database that is filled. Gateways refuse it until the copy is finished. */
export interface Target {
  readonly name: string
  readonly database: Kysely<Tables>
  readonly state: CopyState
}

export interface TargetOptions {
  readonly tables: readonly Table[]
  readonly log: Logger
  /** The name of the source, for messages. */
  readonly source: string
}

/** Makes the tables, if there are none. Throws if it has other content than a copy that is not finished. */
export async function openTarget(place: Place, { tables, log, source }: TargetOptions): Promise<Target> {
  const name = nameOf(place)
  const database = 'url' in place ? await connectToCopy('--to', place.url, log) : await openAlone('--to', place.file)
  try {
    const state = await readState(database)
    if (state.marks.has(unfinishedCopy))
      await requireTables(
        database,
        name,
        tables,
        'Another version of the gateway began this copy: continue it with that version, or copy to a new database',
      )
    else {
      await named(name, () => refuseUnfit(state))
      await named<unknown>(name, () => ('url' in place ? migrate(database) : migrateAlone(database)))
      await requireTables(database, name, tables, 'Copy to a new database')
    }
    return { name, database, state: await CopyState.begin(database, tables, { source, target: name }) }
  } catch (error) {
    await database.destroy()
    throw error
  }
}

/** True if two places are one database, as far as their names tell. */
export function isSamePlace(a: Place, b: Place): boolean {
  if ('url' in a && 'url' in b) return nameOf(a) === nameOf(b)
  return 'file' in a && 'file' in b && realOf(a.file) === realOf(b.file)
}

function realOf(file: string): string {
  return existsSync(file) ? realpathSync(file) : file
}
