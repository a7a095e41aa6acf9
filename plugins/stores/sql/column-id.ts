import { hash } from 'node:crypto'
import { storableText } from './storable-text.ts'

/** Postgres indexes up to 2,704 bytes, and some indexes have two ids. */
const maxBytes = 1_000

/** How an id is stored. Callers choose some ids, of any length and with any characters. Those that no index can hold become a hash. */
export function columnId(id: string): string {
  return Buffer.byteLength(id) <= maxBytes && storableText(id) === id ? id : `sha256:${hash('sha256', id)}`
}
