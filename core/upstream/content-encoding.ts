import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { bodyBytes } from './exact-reads.ts'

// Smaller chunks would be cut from blocks that other replies share, and keep all of such a block alive.
const buffers = { chunkSize: Buffer.poolSize / 2, highWaterMark: bodyBytes }

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(buffers),
  'x-gzip': () => createGunzip(buffers),
  deflate: () => createInflate(buffers),
  br: () => createBrotliDecompress(buffers),
  zstd: () => createZstdDecompress(buffers),
}

/** Decompresses a body. The gateway does not ask for compression, but some servers in front of vendors compress anyway. */
export function decompressed(body: Readable, contentEncoding: string | undefined): Readable {
  const decoder = decoderFor(contentEncoding)
  return decoder ? pipeline(body, decoder, () => {}) : body
}

/** The decoder of a compressed body, if it is compressed. */
export function decoderFor(contentEncoding: string | undefined): Transform | undefined {
  return contentEncoding === undefined ? undefined : decoders[contentEncoding.trim().toLowerCase()]?.()
}
