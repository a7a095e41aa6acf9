/**
 * How many items a collector rejects in a reply to OTLP: `partial_success`, field 1, whose field 1 is the number. Undefined if the reply is no
 * such message. The sentence that it may have is not read: it can repeat what was sent.
 */
export function rejectedIn(reply: Uint8Array): number | undefined {
  try {
    const partial = fieldsOf(reply).get(1)
    if (partial === undefined) return 0
    if (typeof partial === 'number') return undefined
    const rejected = fieldsOf(partial).get(1) ?? 0
    return typeof rejected === 'number' ? rejected : undefined
  } catch {
    return undefined
  }
}

/** The last value of each field: a number, or the bytes of a message. Throws if the bytes are no message. */
function fieldsOf(bytes: Uint8Array): ReadonlyMap<number, number | Uint8Array> {
  const fields = new Map<number, number | Uint8Array>()
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++]
      if (byte === undefined || factor > 2 ** 63) throw new Error('the message ends too early')
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const tag = varint()
    const field = Math.floor(tag / 8)
    const wire = tag % 8
    if (wire === 0) fields.set(field, varint())
    else if (wire === 2) {
      const size = varint()
      if (at + size > bytes.length) throw new Error('the message ends too early')
      fields.set(field, bytes.subarray(at, (at += size)))
    } else if (wire === 1) at += 8
    else if (wire === 5) at += 4
    else throw new Error('not a message')
  }
  if (at > bytes.length) throw new Error('the message ends too early')
  return fields
}
