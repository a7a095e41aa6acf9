import type { Writable } from 'node:stream'

// The package ws makes two buffers and two writes of each message. An answer has many short ones, so all of a turn are one write here. Only
// text leaves this way: control frames, and everything that arrives, are up to the package. See RFC 6455, section 5.2.

const final = 0x80
const text = 0x01
const continuation = 0x00

/** Writes whole messages, each in a frame. */
export function writeMessages(socket: Writable, messages: readonly string[]): void {
  let frames = ''
  let highBytes = 0
  for (const message of messages) {
    const head = headOf(final | text, message.length)
    for (const byte of head) if (byte >= 0x80) highBytes++
    frames += String.fromCharCode(...head) + message
  }
  // Most text is ASCII: then a character is a byte, and nothing has to be encoded. In UTF-8, only the bytes of the heads would take two.
  if (Buffer.byteLength(frames) === frames.length + highBytes) socket.write(frames, 'latin1')
  else socket.write(Buffer.concat(messages.map(message => frameOf(final | text, message))))
}

/** Writes a piece of a message. */
export function writePiece(socket: Writable, piece: string, isFirst: boolean, isLast: boolean): void {
  socket.write(frameOf((isLast ? final : 0) | (isFirst ? text : continuation), piece))
}

function frameOf(first: number, message: string): Buffer {
  const payload = Buffer.from(message)
  return Buffer.concat([Buffer.from(headOf(first, payload.length)), payload])
}

function headOf(first: number, length: number): readonly number[] {
  if (length < 126) return [first, length]
  if (length < 65_536) return [first, 126, length >> 8, length & 0xff]
  return [first, 127, 0, 0, 0, 0, length >>> 24, (length >> 16) & 0xff, (length >> 8) & 0xff, length & 0xff]
}
