import { randomBytes } from 'node:crypto'
import { token } from './token.ts'

/** Makes globally unique ids such as `resp_…`. Tests replace it. */
export interface Ids {
  /** `prefix` is the part before `_`, such as `resp`. */
  make(prefix: string): string
}
export const Ids = token<Ids>('ids')

const randomBytesInId = 10
const pool = { bytes: Buffer.alloc(0), used: 0 }
const time = { ms: 0, hex: '' }

/** Ids begin with the time, so that a database adds them at the end of its indexes. It is much slower to add them all over. */
export const timedIds: Ids = {
  make(prefix) {
    const now = Date.now()
    if (now !== time.ms) {
      time.ms = now
      time.hex = now.toString(16).padStart(12, '0')
    }
    // Random bytes for 256 ids cost as much as for one.
    if (pool.used === pool.bytes.length) {
      pool.bytes = randomBytes(randomBytesInId * 256)
      pool.used = 0
    }
    return `${prefix}_${time.hex}${pool.bytes.toString('hex', pool.used, (pool.used += randomBytesInId))}`
  },
}
