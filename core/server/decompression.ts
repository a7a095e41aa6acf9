import { Readable, type Duplex } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'

const chunkBytes = 64 * 1024

const decoders: Readonly<Record<string, () => Duplex>> = {
  gzip: () => createGunzip({ chunkSize: chunkBytes }),
  deflate: () => createInflate({ chunkSize: chunkBytes }),
  br: () => createBrotliDecompress({ chunkSize: chunkBytes }),
  zstd: () => createZstdDecompress({ chunkSize: chunkBytes }),
}

/** The supported values of `content-encoding`. */
export const acceptedEncodings: readonly string[] = Object.keys(decoders)

/** Decompresses a body piece by piece, outside the event loop. Throws what the body or the decoder throws. */
export async function* decompressed(body: AsyncIterable<Uint8Array>, encoding: string): AsyncIterable<Uint8Array> {
  const source = Readable.from(body, { objectMode: false })
  const decoder = decoders[encoding]!()
  source.once('error', error => decoder.destroy(error))
  try {
    yield* source.pipe(decoder)
  } finally {
    // If the reader stops early, this stops the decoder and the body, which might never end.
    source.destroy()
    decoder.destroy()
  }
}
