import { createHash } from 'node:crypto'

/** A Lua script, which the server runs in one atomic step. */
export interface Script {
  readonly source: string
  /** The server knows it by this name once it has run. */
  readonly sha1: string
}

export function script(source: string): Script {
  const trimmed = source.trim()
  return { source: trimmed, sha1: createHash('sha1').update(trimmed).digest('hex') }
}
