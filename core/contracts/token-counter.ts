import { token } from '../foundation/token.ts'
import type { Tokenizer } from './catalog.ts'

export interface TokenCountOptions {
  /** Default: `o200k_base`, a fair guess for a model whose own is unknown. */
  readonly tokenizer?: Tokenizer | undefined
  /** Counting stops once there are more tokens than this. */
  readonly limit?: number
  /** How long to wait for the count. Default: 2 s. */
  readonly deadlineMs?: number
}

export interface TokenCount {
  readonly tokens: number
  /** False when the limit was passed: there are at least this many. */
  readonly complete: boolean
}

/**
 * Counts tokens in a thread of its own: the event loop only hands the texts over. That costs time all the same, so ask `mayExceed` first
 * where only a limit matters. Special tokens count as the ordinary text that a caller wrote.
 */
export interface TokenCounter {
  /** The sum over all texts. Undefined when the deadline passed or the thread failed: then nothing is known. */
  count(texts: readonly string[], options?: TokenCountOptions): Promise<TokenCount | undefined>
}
export const TokenCounter = token<TokenCounter>('token-counter')
