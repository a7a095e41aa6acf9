import type { Readable } from 'node:stream'

/** How long a body may go on once its answer is complete. */
export const restMs = 1_000
const maximumRestBytes = 64 * 1024

/**
 * The answer is complete. If the rest of its body comes soon and is small, the connection can serve the next request; otherwise it is
 * closed. Nobody waits for this.
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

/** An error event with nobody listening would end the process. */
function ignoreErrors(body: Readable): void {
  body.on('error', () => {})
}
