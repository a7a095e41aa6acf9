import { createHash } from 'node:crypto'
import type { ChatHost } from './chat-host.ts'

/** Converts call ids from other vendors. The same id always gives the same result. */
export function callIdFor(id: string, { callIds }: ChatHost): string {
  if (!callIds || callIds.test(id)) return id
  return BigInt(`0x${createHash('sha256').update(id).digest('hex')}`)
    .toString(36)
    .slice(0, 9)
}
