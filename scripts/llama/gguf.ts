// The file format of llama.cpp: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md

export type MetadataValue =
  | { readonly type: 'uint32' | 'float32'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'int32s' | 'float32s'; readonly value: readonly number[] }

export interface Tensor {
  readonly name: string
  /** The fastest-changing dimension first. */
  readonly shape: readonly number[]
  readonly data: Float32Array
}

const version = 3
const alignment = 32
const typeNumbers = { uint32: 4, int32: 5, float32: 6, string: 8, array: 9 } as const
const float32Tensor = 0

export function gguf(metadata: Readonly<Record<string, MetadataValue>>, tensors: readonly Tensor[]): Buffer {
  const entries = Object.entries(metadata)
  let offset = 0
  const infos = tensors.map(({ name, shape, data }) => {
    const info = [text(name), uint32(shape.length), ...shape.map(uint64), uint32(float32Tensor), uint64(offset)]
    offset += padded(data.byteLength)
    return Buffer.concat(info)
  })
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    uint32(version),
    uint64(tensors.length),
    uint64(entries.length),
    ...entries.flatMap(([key, value]) => [text(key), written(value)]),
    ...infos,
  ])
  return Buffer.concat([filled(head), ...tensors.map(({ data }) => filled(Buffer.from(data.buffer, data.byteOffset, data.byteLength)))])
}

function written(entry: MetadataValue): Buffer {
  switch (entry.type) {
    case 'uint32':
      return Buffer.concat([uint32(typeNumbers.uint32), uint32(entry.value)])
    case 'float32':
      return Buffer.concat([uint32(typeNumbers.float32), float32(entry.value)])
    case 'string':
      return Buffer.concat([uint32(typeNumbers.string), text(entry.value)])
    case 'strings':
      return list(typeNumbers.string, entry.value.map(text))
    case 'int32s':
      return list(typeNumbers.int32, entry.value.map(uint32))
    case 'float32s':
      return list(typeNumbers.float32, entry.value.map(float32))
  }
}

function list(type: number, values: readonly Buffer[]): Buffer {
  return Buffer.concat([uint32(typeNumbers.array), uint32(type), uint64(values.length), ...values])
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([uint64(bytes.length), bytes])
}

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32LE(value)
  return buffer
}

function uint64(value: number): Buffer {
  const buffer = Buffer.alloc(8)
  buffer.writeBigUInt64LE(BigInt(value))
  return buffer
}

function float32(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeFloatLE(value)
  return buffer
}

function filled(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(padded(bytes.length) - bytes.length)])
}

function padded(length: number): number {
  return Math.ceil(length / alignment) * alignment
}
