import { Readable, type Duplex } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'

const chunkBytes = 64 * 1024

const decoders: Readonly<Record<string, () => Duplex>> = {
  gzip: () => createGunzip({ chunkSize: chunkBytes }),
  deflate: () => createInflate({ chunkSize: chunkBytes }),
  br: () => createBrotliDecompress({ chunkSize: chunkBytes }),
  zstd: () => createZstdDecompress({ chunkSize: chunkBytes }),
}

/** What a request may say in `content-encoding`. */
export const acceptedEncodings: readonly string[] = Object.keys(decoders)

/** A body as it was before `content-encoding`, piece by piece and outside the event loop. Throws what the body or the decoder throws. */
export async function* decompressed(body: AsyncIterable<Uint8Array>, encoding: string): AsyncIterable<Uint8Array> {
  const source = Readable.from(body, { objectMode: false })
  const decoder = decoders[encoding]!()
  source.once('error', error => decoder.destroy(error))
  try {
    yield* source.pipe(decoder)
  } finally {
    // Whoever had enough stops the decoder, and with it a body that would never end.
    source.destroy()
    decoder.destroy()
  }
}
