const encoder = new TextEncoder()

/**
 * A body in separate memory, for requests whose reply may stream for minutes: undici keeps the body that long. It would put a string into a
 * shared pool, which is cheaper but keeps a whole block alive.
 */
export function exactBytes(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? encoder.encode(body) : body
}
