import type { TokenCount } from '../contracts/token-counter.ts'
import { slices } from './slices.ts'

/** Counts the tokens of a text of bounded length. */
export type Encoder = (text: string) => number

/** Counts slice by slice and yields after each, so that the caller can switch tasks or stop. Returns the count. */
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
