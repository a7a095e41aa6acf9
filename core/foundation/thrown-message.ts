import { inspect } from 'node:util'

/** The message of a thrown value. Code may throw anything: an error whose message is an object, or an object that cannot be made a string. */
export function thrownMessage(thrown: unknown): string {
  try {
    const said = thrown instanceof Error ? (thrown.message as unknown) : thrown
    if (thrown instanceof Error && said === '') return thrown.name
    return typeof said === 'object' && said !== null ? inspect(said, { depth: 1, breakLength: Infinity }) : String(said)
  } catch {
    return `a value of the type ${typeof thrown}`
  }
}

/** The thrown value, or another error in place of a proxy that throws when inspected. */
export function askable(thrown: unknown): unknown {
  try {
    void (thrown instanceof Error)
    return thrown
  } catch {
    return new Error('The exception cannot be read: it is a proxy that throws.')
  }
}
