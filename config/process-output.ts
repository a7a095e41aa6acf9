import { isUtf8 } from 'node:buffer'
import { maskThrown } from '../core/foundation/mask-thrown.ts'
import { Masks } from '../core/foundation/masks.ts'

/** The secrets of this process. The config adds those of its options as soon as it is read, before any plugin is set up. */
export const processMasks = new Masks()

/** Masks secrets in everything that this process writes to its standard output and error through their streams. */
export function maskProcessOutput(): void {
  for (const stream of [process.stdout, process.stderr]) new MaskedStream(stream)
  // Node prints these itself.
  process.prependListener('warning', warning => void maskThrown(warning, processMasks))
}

type Write = (chunk: unknown, ...rest: readonly unknown[]) => boolean

/** Replaces `write` and `end` of a stream. */
class MaskedStream {
  readonly #write: Write
  /** The last characters written, if a secret starts with them: the next write may contain the rest. */
  #held = ''
  #flush: NodeJS.Immediate | undefined
  #isExiting = false

  constructor(stream: NodeJS.WriteStream) {
    this.#write = stream.write.bind(stream) as Write
    const end = stream.end.bind(stream) as (...rest: readonly unknown[]) => NodeJS.WriteStream
    stream.write = (chunk: unknown, ...rest: readonly unknown[]) => this.#pass(chunk, rest)
    stream.end = (...given: readonly unknown[]) => {
      const [chunk, ...rest] = typeof given[0] === 'function' ? [undefined, ...given] : given
      if (chunk !== undefined && chunk !== null) this.#pass(chunk, typeof rest[0] === 'string' ? [rest[0]] : [])
      this.#release()
      return end(...rest.filter(each => typeof each === 'function'))
    }
    process.prependListener('exit', () => {
      this.#isExiting = true
      this.#release()
    })
  }

  #pass(chunk: unknown, rest: readonly unknown[]): boolean {
    const [encoding] = rest
    const bytes = typeof chunk === 'string' && isForBytes(encoding) ? Buffer.from(chunk, encoding) : chunk
    const text = textOf(bytes)
    if (text === undefined) {
      this.#release()
      return this.#write(masked(bytes), ...rest)
    }
    const safe = processMasks.applySecrets(this.#held + text)
    const from = this.#isExiting ? safe.length : processMasks.unfinishedFrom(safe)
    this.#held = safe.slice(from)
    if (this.#held !== '') this.#flush ??= setImmediate(() => this.#release())
    return this.#write(safe.slice(0, from), ...rest.filter(each => typeof each === 'function'))
  }

  #release(): void {
    clearImmediate(this.#flush)
    this.#flush = undefined
    const held = this.#held
    this.#held = ''
    if (held !== '') this.#write(held)
  }
}

/** True if a string in this encoding stands for bytes that are other characters. */
function isForBytes(encoding: unknown): encoding is BufferEncoding {
  return typeof encoding === 'string' && Buffer.isEncoding(encoding) && !/^utf-?8$/i.test(encoding)
}

/** The text of a chunk. Undefined for bytes that are not text. */
function textOf(chunk: unknown): string | undefined {
  if (typeof chunk === 'string') return chunk
  return chunk instanceof Uint8Array && isUtf8(chunk) ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(chunk) : undefined
}

function masked(chunk: unknown): unknown {
  if (!(chunk instanceof Uint8Array)) return chunk
  const text = new TextDecoder().decode(chunk)
  const safe = processMasks.applySecrets(text)
  return safe === text ? chunk : safe
}
