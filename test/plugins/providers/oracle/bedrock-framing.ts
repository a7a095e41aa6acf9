import { crc32 } from 'node:zlib'

// `application/vnd.amazon.eventstream` as the vendor's "Event stream encoding" describes it: lengths, headers and checksums around a payload.

const stringHeader = 7

export interface PlainMessage {
  readonly headers: Readonly<Record<string, string>>
  readonly payload: string | Uint8Array
}

export function encodeMessage({ headers, payload }: PlainMessage): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => encodeHeader(name, value)))
  const body = Buffer.from(payload)
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(8 + 4 + head.length + body.length + 4, 0)
  prelude.writeUInt32BE(head.length, 4)
  const checked = Buffer.concat([prelude, checksum(prelude), head, body])
  return Buffer.concat([checked, checksum(checked)])
}

/** An event, or an exception by its name. */
export function encodeEvent(type: string, payload: unknown): Buffer {
  const kind = type.endsWith('Exception') ? 'exception' : 'event'
  const headers = { [`:${kind}-type`]: type, ':content-type': 'application/json', ':message-type': kind }
  return encodeMessage({ headers, payload: JSON.stringify(payload) })
}

function encodeHeader(name: string, value: string): Buffer {
  const text = Buffer.from(value)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(text.length)
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([stringHeader]), length, text])
}

function checksum(bytes: Uint8Array): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes))
  return sum
}
