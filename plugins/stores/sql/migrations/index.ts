import type { Migration } from 'kysely/migration'
import * as apiKeys from './0001-api-keys.ts'
import * as responses from './0002-responses.ts'
import * as masterKeyCheck from './0003-master-key-check.ts'
import * as keyRotation from './0004-key-rotation.ts'

/** All migrations, run in the order of their names. Never change a released one. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-api-keys': apiKeys,
  '0002-responses': responses,
  '0003-master-key-check': masterKeyCheck,
  '0004-key-rotation': keyRotation,
}
