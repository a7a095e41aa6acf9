import { randomBytes } from 'node:crypto'

/** Random bytes for many ids cost as much as for one. */
const poolBytes = 4_096
let pool = ''
let used = 0

/** 32 random hexadecimal digits. */
export function newTraceId(): string {
  return digits(32)
}

/** 16 random hexadecimal digits. */
export function newSpanId(): string {
  return digits(16)
}

function digits(count: number): string {
  if (used + count > pool.length) {
    pool = randomBytes(poolBytes).toString('hex')
    used = 0
  }
  const id = pool.slice(used, (used += count))
  // Neither may be zero.
  return id.startsWith('0') && /^0+$/.test(id) ? digits(count) : id
}
