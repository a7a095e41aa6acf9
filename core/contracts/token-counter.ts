import { contract } from '../foundation/token.ts'
import type { Tokenizer } from './catalog.ts'

/** The vocabulary and the limits of one count. */
export interface TokenCountOptions {
  /** Default: `o200k_base`, a fair guess for models with an unknown tokenizer. */
  readonly tokenizer?: Tokenizer | undefined
  /** Counting stops above this many tokens. */
  readonly limit?: number
  /** The time limit. Default: 2 s. */
  readonly deadlineMs?: number
}

/** The result of a count. */
export interface TokenCount {
  /** Over all texts. */
  readonly tokens: number
  /** False if the limit was exceeded: then there are at least `tokens`. */
  readonly complete: boolean
}

/**
 * Counts tokens in a separate thread. Passing the texts to it takes time too, so call `mayExceed` first if only a limit matters.
 * Special tokens count as ordinary text.
 */
export interface TokenCounter {
  /**
   * The sum over all texts. Undefined if the time limit passed or the thread failed. Core treats a throw and a malformed answer the same
   * way.
   */
  count(texts: readonly string[], options?: TokenCountOptions): Promise<TokenCount | undefined>
  /**
   * The texts of lists of tokens. A list with tokens that the tokenizer does not have gives undefined in its place. Undefined if the time
   * limit passed or the thread failed. Optional: without it, lists of tokens cannot be read.
   */
  decode?(
    lists: readonly (readonly number[])[],
    options: Pick<TokenCountOptions, 'tokenizer' | 'deadlineMs'>,
  ): Promise<readonly (string | undefined)[] | undefined>
}
export const TokenCounter = contract<TokenCounter>('token-counter', { version: 1, stability: 'stable' })
