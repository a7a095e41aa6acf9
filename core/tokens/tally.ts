import type { TokenCount } from '../contracts/token-counter.ts'
import { slices } from './slices.ts'

/** Tokens of a text of bounded length. */
export type Encoder = (text: string) => number

/** Counts slice by slice. Yields after each, so that whoever drives it can let others in or stop; returns the count. */
export function* tally(texts: readonly string[], encoder: Encoder, limit: number): Generator<void, TokenCount> {
  let tokens = 0
  for (const text of texts)
    for (const slice of slices(text)) {
      tokens += encoder(slice)
      if (tokens > limit) return { tokens, complete: false }
      yield
    }
  return { tokens, complete: true }
}
