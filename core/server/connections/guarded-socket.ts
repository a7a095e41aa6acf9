import type { Duplex } from 'node:stream'

/**
 * Catches what the listeners of a socket throw, which would end the process otherwise. A socket that fails without a listener for errors
 * would, too.
 */
export function guardSocket(socket: Duplex, caught: (thrown: unknown) => void): void {
  const emit = socket.emit.bind(socket) as (...event: unknown[]) => boolean
  socket.on('error', () => {})
  socket.emit = (...event: unknown[]): boolean => {
    try {
      return emit(...event)
    } catch (thrown) {
      caught(thrown)
      return true
    }
  }
}
