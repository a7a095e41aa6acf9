import { maskThrown } from '../core/foundation/mask-thrown.ts'
import { Masks } from '../core/foundation/masks.ts'

/** The secrets of this process. The config adds those of its options as soon as it is read, before any plugin is set up. */
export const processMasks = new Masks()

/** Masks secrets in all that this process writes to its standard output and error, whoever writes it. */
export function maskProcessOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (chunk: unknown, ...rest: readonly unknown[]) => boolean
    stream.write = (chunk: unknown, ...rest: readonly unknown[]) => write(masked(chunk), ...rest)
  }
  // Node prints these itself.
  process.prependListener('warning', warning => void maskThrown(warning, processMasks))
}

function masked(chunk: unknown): unknown {
  if (typeof chunk === 'string') return processMasks.applySecrets(chunk)
  if (!(chunk instanceof Uint8Array)) return chunk
  const text = new TextDecoder().decode(chunk)
  const safe = processMasks.applySecrets(text)
  return safe === text ? chunk : safe
}
