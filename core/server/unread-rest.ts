import type { IncomingMessage } from 'node:http'

/** How long a caller may go on sending a body that nobody reads, after the reply. */
const patienceMs = 30_000

/**
 * Discards the rest of a body, and resolves when the caller has sent all of it or the connection is closed. Node.js would close the
 * connection after the reply. A caller that is still sending would then see a reset instead of the reply.
 */
export function unreadRest(message: IncomingMessage): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(() => message.destroy(), patienceMs).unref()
    const over = (): void => {
      clearTimeout(timer)
      resolve()
    }
    message.once('end', over).once('close', over)
    // A listener for data outlasts the reader of the body, which may still be about to stop.
    message.on('data', () => {}).resume()
  })
}
