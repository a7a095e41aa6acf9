import { randomBytes } from 'node:crypto'
import { token } from './token.ts'

/** Makes ids such as `resp_…`, unique in the world. Replaced in tests. */
export interface Ids {
  make(prefix: string): string
}
export const Ids = token<Ids>('ids')

const idBytes = 16
const pool = { bytes: Buffer.alloc(0), used: 0 }

export const randomIds: Ids = {
  make(prefix) {
    // One call for random bytes costs as much for 256 ids as for one.
    if (pool.used === pool.bytes.length) {
      pool.bytes = randomBytes(idBytes * 256)
      pool.used = 0
    }
    return `${prefix}_${pool.bytes.toString('hex', pool.used, (pool.used += idBytes))}`
  },
}
