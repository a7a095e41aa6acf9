import { randomBytes } from 'node:crypto'
import { token } from './token.ts'

/** Makes globally unique ids such as `resp_…`. Tests replace it. */
export interface Ids {
  make(prefix: string): string
}
export const Ids = token<Ids>('ids')

const idBytes = 16
const pool = { bytes: Buffer.alloc(0), used: 0 }

export const randomIds: Ids = {
  make(prefix) {
    // Random bytes for 256 ids cost as much as for one.
    if (pool.used === pool.bytes.length) {
      pool.bytes = randomBytes(idBytes * 256)
      pool.used = 0
    }
    return `${prefix}_${pool.bytes.toString('hex', pool.used, (pool.used += idBytes))}`
  },
}
