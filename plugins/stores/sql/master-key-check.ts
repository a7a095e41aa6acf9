import type { Kysely } from 'kysely'
import type { Sealer } from '../../../core/stores.ts'
import { openDataKey } from './data-keys.ts'
import type { MasterKeyCheckTable, Tables } from './tables.ts'

const id = 1
const content = 'turnpike'
const purpose = 'master-key-check'
const context = { org: '', purpose } as const

/** Throws if the database was created with a master key that the sealer does not have. Called once, before anything is read. */
export async function checkMasterKey(database: Kysely<Tables>, sealer: Sealer, file: string): Promise<void> {
  const row = (await readRow(database)) ?? (await firstRow(database, sealer, file))
  // Before asking for the key: another process may just have created it, and the sealer finds it when it has something to open.
  const isOurs = opens(row, sealer) || (await opensDataKey(database, sealer))
  if (!isOurs || !sealer.hasKey) throw otherKey(sealer, file)
  if (macOf(sealer) !== row.mac && (await hasKeys(database)))
    throw new Error(
      `The API keys in the database ${file} were created with another master key than the one in use, so none of them would work. ` +
        'Set macKey of local-sealer to the first master key. To give up the API keys, delete them from the table api_key.',
    )
  if (macOf(sealer) === row.mac && opens(row, sealer) && sealer.isCurrent(row.sealed)) return
  // After a rotation, so that the earlier key can be retired. This also repairs a damaged row.
  await database.updateTable('master_key_check').set(sealedRow(sealer)).where('id', '=', id).execute()
}

function readRow(database: Kysely<Tables>): Promise<MasterKeyCheckTable | undefined> {
  return database.selectFrom('master_key_check').selectAll().where('id', '=', id).executeTakeFirst()
}

/** For a new database, or one from before this check. If several processes start at once, the first row stays. */
async function firstRow(database: Kysely<Tables>, sealer: Sealer, file: string): Promise<MasterKeyCheckTable> {
  if (!(await mayBeOurs(database, sealer))) throw otherKey(sealer, file)
  await database
    .insertInto('master_key_check')
    .values({ id, ...sealedRow(sealer) })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return (await readRow(database))!
}

/** The hash of an API key cannot be checked without that API key, so only data keys can show that a master key is wrong. */
async function mayBeOurs(database: Kysely<Tables>, sealer: Sealer): Promise<boolean> {
  const dataKey = await database.selectFrom('data_key').select('id').limit(1).executeTakeFirst()
  return dataKey ? await opensDataKey(database, sealer) : sealer.hasKey || !(await hasKeys(database))
}

function opens({ sealed }: MasterKeyCheckTable, sealer: Sealer): boolean {
  const opened = sealed instanceof Uint8Array ? sealer.open(context, sealed) : undefined
  return opened !== undefined && Buffer.from(opened).toString() === content
}

async function opensDataKey(database: Kysely<Tables>, sealer: Sealer): Promise<boolean> {
  const dataKeys = await database.selectFrom('data_key').select(['org', 'sealed']).execute()
  return dataKeys.some(({ org, sealed }) => openDataKey(sealer, org, sealed) !== undefined)
}

async function hasKeys(database: Kysely<Tables>): Promise<boolean> {
  return (await database.selectFrom('api_key').select('id').limit(1).executeTakeFirst()) !== undefined
}

function sealedRow(sealer: Sealer): Omit<MasterKeyCheckTable, 'id'> {
  return { sealed: sealer.seal(context, Buffer.from(content)), mac: macOf(sealer) }
}

function macOf(sealer: Sealer): string {
  return sealer.mac(purpose, content).toString('hex')
}

function otherKey({ hasKey, keySource }: Sealer, file: string): Error {
  const found = hasKey ? `The ${keySource} has a different one.` : `The ${keySource} is missing.`
  return new Error(
    `The database ${file} was created with a master key that the gateway does not have. ${found} ` +
      'Restore that key. After a rotation, list it in previousKeys of local-sealer. To start over, move the database away.',
  )
}
