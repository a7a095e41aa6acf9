import type { OnReadOpts, Socket } from 'node:net'

/** The most bytes that one read returns. */
const readBytes = 16 * 1024

/**
 * The socket's high-water mark: with this much waiting, it takes no more until somebody reads. One read must stay below it. A socket that
 * stops reading continues only in the next turn of the event loop, and a fast stream would stop at every read.
 */
export const socketBytes = readBytes + 1

/** The body's high-water mark. Most reads stay below it. */
export const bodyBytes = 8 * 1024

/**
 * For a socket's `onread` option. All sockets read into one buffer, and each keeps a copy of exactly the bytes received. By default a read
 * brings up to 64 KiB, and all of it stays in memory until the last byte has been read. Node.js calls this synchronously, with the socket
 * as `this`.
 */
export const exactReads: OnReadOpts = {
  buffer: Buffer.allocUnsafeSlow(readBytes),
  callback(this: unknown, length, buffer) {
    const chunk = Buffer.allocUnsafeSlow(length)
    chunk.set(buffer.subarray(0, length))
    return (this as Socket).push(chunk)
  },
}
