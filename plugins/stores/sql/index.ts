import { Clock, definePlugin, KeyStore } from '../../../core/index.ts'
import { openDatabase } from './database.ts'
import { SqlKeys } from './keys.ts'

const tokens = { keys: KeyStore } as const

/** Keeps things in a SQLite database, which other processes on the same machine may use at the same time. */
export default definePlugin({
  name: 'sql',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      file: { type: 'string', minLength: 1, default: './data/turnpike.db', description: 'The SQLite file; made on the first start.' },
      services: {
        type: 'array',
        items: { enum: ['keys'] },
        uniqueItems: true,
        default: ['keys'],
        description: 'What to keep in the database; leave out what another store plugin keeps.',
      },
      cacheTtlMs: {
        type: 'integer',
        minimum: 0,
        default: 5000,
        description: 'How long a key is remembered, in milliseconds: after so long, a change made by another process holds. 0: not at all.',
      },
    },
  },
  needs: { clock: Clock },
  provides: options => options.services.map(service => tokens[service]),
  async setup(gateway, { file, services, cacheTtlMs }, { clock }) {
    const database = await openDatabase(file)
    gateway.onStop(() => database.destroy())
    if (services.includes('keys')) gateway.provide(KeyStore, new SqlKeys(database, clock, cacheTtlMs))
  },
})
