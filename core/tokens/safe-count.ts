import type { Tokenizer } from '../contracts/catalog.ts'
import type { TokenCounter, TokenCountOptions } from '../contracts/token-counter.ts'

/** Used for models whose tokenizer the gateway does not have. */
export const standIn: Tokenizer = 'o200k_base'
/** A model's own tokenizer hardly ever gives more tokens than the stand-in's count times this, or fewer than it divided by this. */
export const standInMargin = 1.5

/**
 * How many tokens the texts have for a model with this tokenizer, or hardly ever more than that if it is undefined. Infinity from
 * `limit` on, undefined if the time limit passed or the thread failed.
 */
export async function safeCount(
  counter: TokenCounter,
  tokenizer: Tokenizer | undefined,
  texts: readonly string[],
  { limit = Infinity, ...options }: Omit<TokenCountOptions, 'tokenizer'> = {},
): Promise<number | undefined> {
  const margin = tokenizer === undefined ? standInMargin : 1
  const count = await counter.count(texts, { ...options, tokenizer: tokenizer ?? standIn, limit: limit / margin })
  if (!count) return undefined
  return count.complete ? Math.ceil(count.tokens * margin) : Infinity
}
