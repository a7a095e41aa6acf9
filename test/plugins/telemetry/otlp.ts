// Decodes requests of OTLP by the field numbers of opentelemetry-proto. opentelemetry-proto.test.ts compares it with the official definitions.

type Kind = 'text' | 'bytes' | 'number' | 'fixed32' | 'fixed64' | 'double' | 'fixed64s' | 'doubles'
type Field = readonly [name: string, kind: Kind | (() => Fields), isList?: 'list']
type Fields = Readonly<Record<number, Field>>

const anyValue = (): Fields => ({
  1: ['string_value', 'text'],
  2: ['bool_value', 'number'],
  3: ['int_value', 'number'],
  4: ['double_value', 'double'],
  5: ['array_value', () => ({ 1: ['values', anyValue, 'list'] })],
  6: ['kvlist_value', () => ({ 1: ['values', keyValue, 'list'] })],
})
const keyValue = (): Fields => ({ 1: ['key', 'text'], 2: ['value', anyValue] })
const resource = (): Fields => ({ 1: ['attributes', keyValue, 'list'] })
const scope = (): Fields => ({ 1: ['name', 'text'], 2: ['version', 'text'] })
const span = (): Fields => ({
  1: ['trace_id', 'bytes'],
  2: ['span_id', 'bytes'],
  4: ['parent_span_id', 'bytes'],
  5: ['name', 'text'],
  6: ['kind', 'number'],
  7: ['start_time_unix_nano', 'fixed64'],
  8: ['end_time_unix_nano', 'fixed64'],
  9: ['attributes', keyValue, 'list'],
  15: ['status', () => ({ 2: ['message', 'text'], 3: ['code', 'number'] })],
  16: ['flags', 'fixed32'],
})
const logRecord = (): Fields => ({
  1: ['time_unix_nano', 'fixed64'],
  2: ['severity_number', 'number'],
  3: ['severity_text', 'text'],
  5: ['body', anyValue],
  6: ['attributes', keyValue, 'list'],
  8: ['flags', 'fixed32'],
  9: ['trace_id', 'bytes'],
  10: ['span_id', 'bytes'],
  11: ['observed_time_unix_nano', 'fixed64'],
  12: ['event_name', 'text'],
})
const numberPoint = (): Fields => ({
  2: ['start_time_unix_nano', 'fixed64'],
  3: ['time_unix_nano', 'fixed64'],
  4: ['as_double', 'double'],
  7: ['attributes', keyValue, 'list'],
})
const histogramPoint = (): Fields => ({
  2: ['start_time_unix_nano', 'fixed64'],
  3: ['time_unix_nano', 'fixed64'],
  4: ['count', 'fixed64'],
  5: ['sum', 'double'],
  6: ['bucket_counts', 'fixed64s'],
  7: ['explicit_bounds', 'doubles'],
  9: ['attributes', keyValue, 'list'],
  11: ['min', 'double'],
  12: ['max', 'double'],
})
const metric = (): Fields => ({
  1: ['name', 'text'],
  2: ['description', 'text'],
  3: ['unit', 'text'],
  7: ['sum', () => ({ 1: ['data_points', numberPoint, 'list'], 2: ['aggregation_temporality', 'number'], 3: ['is_monotonic', 'number'] })],
  9: ['histogram', () => ({ 1: ['data_points', histogramPoint, 'list'], 2: ['aggregation_temporality', 'number'] })],
})

const request = (outer: string, inner: string, items: string, item: () => Fields): Fields => ({
  1: [outer, () => ({ 1: ['resource', resource], 2: [inner, () => ({ 1: ['scope', scope], 2: [items, item, 'list'] }), 'list'] }), 'list'],
})

const requests = {
  traces: request('resource_spans', 'scope_spans', 'spans', span),
  metrics: request('resource_metrics', 'scope_metrics', 'metrics', metric),
  logs: request('resource_logs', 'scope_logs', 'log_records', logRecord),
} as const
export type SignalName = keyof typeof requests

/** A message with its members by their names; bytes in hexadecimal digits, 64-bit numbers as texts. Throws at a field that it does not know. */
export type Decoded = { readonly [name: string]: any }

export function decode(signal: SignalName, bytes: Buffer): Decoded {
  return message(requests[signal], bytes)
}

function message(fields: Fields, bytes: Buffer): Decoded {
  const found: Record<string, any> = {}
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++]!
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  const chunk = (): Buffer => {
    const size = varint()
    if (at + size > bytes.length) throw new Error('a field is longer than its message')
    return bytes.subarray(at, (at += size))
  }
  while (at < bytes.length) {
    const tag = varint()
    const field = fields[Math.floor(tag / 8)]
    if (!field) throw new Error(`unknown field ${Math.floor(tag / 8)}`)
    const [name, kind, isList] = field
    const wire = tag % 8
    const expected = { number: 0, fixed64: 1, double: 1, fixed32: 5 }[kind as string] ?? 2
    if (wire !== expected) throw new Error(`${name} has the wire type ${wire}`)
    let value: unknown
    if (kind === 'number') value = varint()
    else if (kind === 'fixed32') value = bytes.readUInt32LE((at += 4) - 4)
    else if (kind === 'fixed64') value = String(bytes.readBigUInt64LE((at += 8) - 8))
    else if (kind === 'double') value = bytes.readDoubleLE((at += 8) - 8)
    else if (kind === 'text') value = new TextDecoder('utf-8', { fatal: true }).decode(chunk())
    else if (kind === 'bytes') value = chunk().toString('hex')
    else if (kind === 'fixed64s') value = eights(chunk(), (part, index) => String(part.readBigUInt64LE(index)))
    else if (kind === 'doubles') value = eights(chunk(), (part, index) => part.readDoubleLE(index))
    else value = message(kind(), chunk())
    if (isList) (found[name] ??= []).push(value)
    else found[name] = value
  }
  return found
}

function eights<T>(part: Buffer, read: (part: Buffer, index: number) => T): T[] {
  return Array.from({ length: part.length / 8 }, (_, index) => read(part, index * 8))
}

/** Attributes as an object. */
export function attributesOf({ attributes = [] }: Decoded): Record<string, any> {
  return Object.fromEntries(attributes.map(({ key, value }: Decoded) => [key, plain(value)]))
}

function plain(value: Decoded | undefined): unknown {
  if (!value) return null
  if (value['array_value']) return (value['array_value'].values ?? []).map(plain)
  if (value['kvlist_value'])
    return Object.fromEntries((value['kvlist_value'].values ?? []).map(({ key, value: member }: Decoded) => [key, plain(member)]))
  if ('bool_value' in value) return value['bool_value'] === 1
  return value['string_value'] ?? value['int_value'] ?? value['double_value'] ?? null
}

/** All items of a request: spans, metrics or log records. */
export function itemsOf(signal: SignalName, decoded: Decoded): readonly Decoded[] {
  const [outer, inner, items] = {
    traces: ['resource_spans', 'scope_spans', 'spans'],
    metrics: ['resource_metrics', 'scope_metrics', 'metrics'],
    logs: ['resource_logs', 'scope_logs', 'log_records'],
  }[signal] as [string, string, string]
  return decoded[outer].flatMap((each: Decoded) => each[inner].flatMap((part: Decoded) => part[items]))
}
