import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

type Connector = buildConnector.connector

/**
 * undici destroys a connection on `100 Continue`, but skips other interim replies (RFC 9110, 15.2: a client must accept them all).
 * So this rewrites it to `102 Processing`. Without pipelining, the first bytes after a write are always the head of a reply.
 */
export function acceptingContinue(connect: Connector): Connector {
  return (options, callback) =>
    connect(options, (...result) => {
      if (result[1]) rewriteContinue(result[1])
      callback(...result)
    })
}

function rewriteContinue(socket: Socket): void {
  const head = new ReplyHead()
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null
  let isHeadNext = false
  socket.write = (...args: unknown[]) => {
    if (!isHeadNext) {
      isHeadNext = true
      head.reset()
    }
    return write(...args)
  }
  socket.read = (size?: number) => {
    let chunk = read(size)
    if (!isHeadNext || !chunk) return chunk
    if (chunk.length > maxHeadBytes) {
      // undici keeps headers as views of the chunk until the reply is read, and so keeps the whole chunk alive.
      socket.unshift(chunk.subarray(maxHeadBytes))
      chunk = unpooled(chunk.subarray(0, maxHeadBytes))
    }
    isHeadNext = !head.reachesFinal(chunk)
    return chunk
  }
}

/** Most heads are shorter. */
const maxHeadBytes = 4096

function unpooled(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

const one = 0x31
const zero = 0x30
const statusColumn = 'HTTP/1.1 '.length

/** Reads the heads of a reply byte by byte until the final one begins. A chunk may end anywhere. */
class ReplyHead {
  #column = 0
  #isContinue = false
  #isLineEmpty = true

  reset(): void {
    this.#column = 0
  }

  /** Changes a status of 100 into 102, in place. */
  reachesFinal(chunk: Buffer): boolean {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (this.#column <= statusColumn + 2) {
        if (this.#column === statusColumn && byte !== one) return true
        if (this.#column === statusColumn + 1) this.#isContinue = byte === zero
        if (this.#column === statusColumn + 2 && this.#isContinue && byte === zero) chunk[at] = zero + 2
        this.#column++
        this.#isLineEmpty = false
      } else if (byte === 0x0a) {
        if (this.#isLineEmpty) this.#column = 0
        this.#isLineEmpty = true
      } else if (byte !== 0x0d) this.#isLineEmpty = false
    }
    return false
  }
}
