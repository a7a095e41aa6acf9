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

/** Keeps things in a SQLite database, which other processes on the same machine may use at the same time. What was said is sealed. */
export default definePlugin({
  name: 'sql',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      file: { type: 'string', minLength: 1, default: './data/turnpike.db', description: 'The SQLite file; made on the first start.' },
      services: {
        type: 'array',
        items: { enum: ['keys', 'responses'] },
        uniqueItems: true,
        default: ['keys', 'responses'],
        description: 'What to keep in the database; leave out what another store plugin keeps.',
      },
      cacheTtlMs: {
        type: 'integer',
        minimum: 0,
        default: 1000,
        description:
          'How long a key is remembered, in milliseconds. A change made by another process takes effect after at most this long. 0: not at all.',
      },
      dataKeyDays: {
        type: 'integer',
        minimum: 1,
        default: 90,
        description: 'After so many days, an organization’s responses are sealed under a new data key. Those sealed before still open.',
      },
      keepResponsesDays: {
        type: 'integer',
        minimum: 1,
        description:
          'How many days a response is kept; a conversation cannot be continued once its first response is gone. Absent: for ever.',
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
