import type { HeaderReader } from './channel.ts'

/** The name of a session, in the first of these headers that has one. */
export function sessionIn(headers: HeaderReader, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = headers.get(name)
    if (value) return value
  }
  return undefined
}
