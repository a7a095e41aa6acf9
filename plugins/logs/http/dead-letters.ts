import { appendFile, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Logger, RequestRecord } from '../../../core/index.ts'

/** Keeps records in a file of JSON lines, without content, up to a size. */
export class DeadLetters {
  readonly #path: string
  readonly #maxBytes: number
  readonly #log: Logger

  constructor(path: string, maxBytes: number, log: Logger) {
    this.#path = path
    this.#maxBytes = maxBytes
    this.#log = log
  }

  /** Throws if they are not kept: then the gateway counts them as lost, and tells operators. */
  async keep(batch: readonly RequestRecord[]): Promise<void> {
    const text = batch.map(({ request: _request, response: _response, kept: _kept, ...facts }) => `${JSON.stringify(facts)}\n`).join('')
    const size = await stat(this.#path).then(
      found => found.size,
      () => 0,
    )
    if (size + Buffer.byteLength(text) > this.#maxBytes) {
      this.#log.error('the dead-letter file is full, so records were dropped', { file: this.#path, dropped: batch.length })
      throw new Error('The dead-letter file is full.')
    }
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
    await appendFile(this.#path, text, { mode: 0o600 })
  }
}
