import type { Readable } from 'node:stream'

/** How long a body may stay open after its answer is complete. */
export const restMs = 1_000
const maximumRestBytes = 64 * 1024

/**
 * Reads what follows a complete answer. If it is short and comes soon, the connection can be reused; otherwise it is closed. Nothing
 * waits for this.
 */
export function readRest(body: Readable): void {
  ignoreErrors(body)
  if (body.readableEnded || body.destroyed) return
  let bytes = 0
  const timer = setTimeout(() => body.destroy(), restMs)
  timer.unref()
  body.once('close', () => clearTimeout(timer))
  body.on('data', (chunk: Uint8Array) => {
    bytes += chunk.byteLength
    if (bytes > maximumRestBytes) body.destroy()
  })
  body.resume()
}

export function discard(body: Readable): void {
  ignoreErrors(body)
  body.destroy()
}

/** An unhandled error event would end the process. */
function ignoreErrors(body: Readable): void {
  body.on('error', () => {})
}
