import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

// Preloaded into the gateway under test (--expose-gc --import), so that its memory can be read after a forced collection.

export interface Memory {
  readonly rss: number
  readonly heapUsed: number
  readonly external: number
  /** The bytes read from the connections to vendors that are still open. */
  readonly readBytes: number
}

const vendorSockets = new Set<Socket>()
subscribe('net.client.socket', message => {
  const { socket } = message as { readonly socket: Socket }
  vendorSockets.add(socket.once('close', () => vendorSockets.delete(socket)))
})

const collect = globalThis.gc as unknown as (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

process.on('message', async message => {
  if (message !== 'collect') return
  // Finalizers and closing sockets free more memory shortly after a collection, so this collects several times, with pauses.
  for (let pass = 0; pass < 3; pass++) {
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    await sleep(200)
  }
  const { rss, heapUsed, external } = process.memoryUsage()
  const readBytes = Array.from(vendorSockets, socket => socket.bytesRead - socket.readableLength).reduce((sum, each) => sum + each, 0)
  process.send!({ rss, heapUsed, external, readBytes } satisfies Memory)
})
process.channel!.unref()
