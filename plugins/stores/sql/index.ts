import { resolve } from 'node:path'
import { Clock, definePlugin, KeyStore, ResponseStore, Sealer } from '../../../core/index.ts'
import { DataKeys } from './data-keys.ts'
import { openDatabase } from './database.ts'
import { Expiry } from './expiry.ts'
import { SqlKeys } from './keys.ts'
import { checkMasterKey } from './master-key-check.ts'
import { SqlResponses } from './responses.ts'
import { SealedParts } from './sealed-parts.ts'

const tokens = { keys: KeyStore, responses: ResponseStore } as const

/** Stores keys and responses in a SQLite database, which several processes on one machine can share. Content is encrypted. */
export default definePlugin({
  name: 'sql',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      file: {
        type: 'string',
        minLength: 1,
        default: './data/turnpike.db',
        description: 'The SQLite file. It is created on the first start.',
      },
      services: {
        type: 'array',
        items: { enum: ['keys', 'responses'] },
        uniqueItems: true,
        default: ['keys', 'responses'],
        description: 'What to store in the database. Leave out what another store plugin keeps.',
      },
      cacheTtlMs: {
        type: 'integer',
        minimum: 0,
        default: 1000,
        description:
          'How long to cache a key, in milliseconds. A change by another process takes effect within this time. 0 turns the cache off.',
      },
      dataKeyDays: {
        type: 'integer',
        minimum: 1,
        default: 90,
        description:
          'After this many days, new responses of an organization are encrypted with a new data key. Older responses stay readable.',
      },
      keepResponsesDays: {
        type: 'integer',
        minimum: 1,
        description:
          'How many days to keep a response. A conversation cannot continue once its first response is deleted. Default: forever.',
      },
    },
  },
  needs: { clock: Clock, sealer: Sealer },
  provides: options => options.services.map(service => tokens[service]),
  async setup(gateway, { file, services, cacheTtlMs, dataKeyDays, keepResponsesDays }, { clock, sealer }) {
    const database = await openDatabase(gateway.resolvePath(file), gateway.createFiles)
    gateway.onStop(() => database.destroy())
    await checkMasterKey(database, sealer, resolve(file))
    if (services.includes('keys')) gateway.provide(KeyStore, new SqlKeys(database, clock, gateway.log, cacheTtlMs))
    if (!services.includes('responses')) return
    const parts = new SealedParts(new DataKeys(database, sealer, clock, gateway.log, dataKeyDays))
    gateway.provide(ResponseStore, new SqlResponses(database, parts, gateway.log))
    if (keepResponsesDays === undefined || !gateway.createFiles) return
    const expiry = new Expiry(database, clock, gateway.log, keepResponsesDays)
    gateway.onStart(() => expiry.start())
    gateway.onStop(() => expiry.stop())
  },
})
