import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

/** The body as it was before it was compressed, which nobody asked for and some servers in front of a vendor do. */
export function decompressed(body: Readable, contentEncoding: string | undefined): Readable {
  const decoder = decoders[contentEncoding?.trim().toLowerCase() ?? '']
  return decoder ? pipeline(body, decoder(), () => {}) : body
}
