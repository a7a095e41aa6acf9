import type { Readable } from 'node:stream'

export function discard(body: Readable): void {
  // An unhandled error event would end the process.
  body.on('error', () => {})
  body.destroy()
}
