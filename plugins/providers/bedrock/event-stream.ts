import { ProviderFailure } from '../../../core/index.ts'
import type { Framer } from '../../../core/kit.ts'
import { smithy } from './smithy.ts'

/** The total length, the length of the headers, and a checksum of both. */
const preludeBytes = 12
const smallestMessageBytes = 16
const maxMessageBytes = 32 * 1024 * 1024
const exceptionPrefix = 'exception '

/**
 * `application/vnd.amazon.eventstream`: messages with a length, headers and checksums. A frame's data is the payload. Its event is the
 * header `:event-type`, or names an exception.
 */
export function eventStreamFramer(): Framer {
  const codec = smithy.codec()
  let chunks: Uint8Array[] = []
  let held = 0
  let needed = preludeBytes
  return {
    feed(chunk, push) {
      chunks.push(chunk)
      held += chunk.byteLength
      if (held < needed) return
      let bytes: Buffer = joined(chunks)
      needed = preludeBytes
      while (bytes.byteLength >= preludeBytes) {
        const length = bytes.readUInt32BE(0)
        if (length < smallestMessageBytes || length > maxMessageBytes)
          throw broken('something that is not an event stream', bytes.toString('utf8', 0, 4096))
        if (bytes.byteLength < length) {
          needed = length
          break
        }
        const message = bytes.subarray(0, length)
        bytes = bytes.subarray(length)
        read(codec, message, push)
      }
      chunks = bytes.byteLength > 0 ? [bytes] : []
      held = bytes.byteLength
    },
    end() {
      if (held > 0) throw broken('a stream that ends in the middle of an event')
    },
  }
}

/** The exception type in a frame's event. Undefined for other frames. */
export function exceptionOf(event: string | undefined): string | undefined {
  return event?.startsWith(exceptionPrefix) ? event.slice(exceptionPrefix.length) : undefined
}

function joined(chunks: readonly Uint8Array[]): Buffer {
  const [first] = chunks
  return first && chunks.length === 1 ? Buffer.from(first.buffer, first.byteOffset, first.byteLength) : Buffer.concat(chunks)
}

function read(codec: ReturnType<typeof smithy.codec>, bytes: Uint8Array, push: (data: string, event?: string) => void): void {
  const { headers, body } = decoded(codec, bytes)
  const header = (name: string): string => String(headers[name]?.value ?? '')
  const data = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  const kind = header(':message-type')
  if (kind === 'exception') push(data, exceptionPrefix + header(':exception-type'))
  else if (kind === 'error') push(JSON.stringify({ message: header(':error-message') }), exceptionPrefix + header(':error-code'))
  else if (kind === 'event') push(data, header(':event-type'))
}

function decoded(codec: ReturnType<typeof smithy.codec>, bytes: Uint8Array): ReturnType<typeof codec.decode> {
  try {
    return codec.decode(bytes)
  } catch (cause) {
    throw broken('a corrupted event', undefined, cause)
  }
}

function broken(what: string, upstream?: string, cause?: unknown): ProviderFailure {
  return new ProviderFailure({ kind: 'protocol', message: `The provider sent ${what}.`, ...(upstream && { upstream }), cause })
}
