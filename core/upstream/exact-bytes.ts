const encoder = new TextEncoder()

/**
 * A body in memory of its own, for requests whose reply may stream for minutes: undici keeps the body that long. It would put a string into
 * a shared pool, which is cheaper, and keep a whole block of it alive.
 */
export function exactBytes(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? encoder.encode(body) : body
}
