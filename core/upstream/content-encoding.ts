import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { readAheadBytes } from './agent.ts'

const buffers = { chunkSize: readAheadBytes, highWaterMark: readAheadBytes }

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(buffers),
  'x-gzip': () => createGunzip(buffers),
  deflate: () => createInflate(buffers),
  br: () => createBrotliDecompress(buffers),
  zstd: () => createZstdDecompress(buffers),
}

/** Decompresses a body. The gateway does not ask for compression, but some servers in front of vendors compress anyway. */
export function decompressed(body: Readable, contentEncoding: string | undefined): Readable {
  const decoder = decoders[contentEncoding?.trim().toLowerCase() ?? '']
  return decoder ? pipeline(body, decoder(), () => {}) : body
}
