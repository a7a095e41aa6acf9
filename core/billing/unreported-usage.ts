import type { Endpoint } from '../contracts/catalog.ts'
import { noUsage, type TokenUsage } from '../contracts/events.ts'
import { TokenCounter } from '../contracts/token-counter.ts'
import { Clock } from '../foundation/clock.ts'
import { wire } from '../framework/container.ts'
import { safeCount } from '../tokens/safe-count.ts'
import { slices } from '../tokens/slices.ts'
import type { TokenNeed } from './token-need.ts'

/** Longer texts go to the thread in pieces, so that handing them over does not hold the event loop. */
const batchCharacters = 1 << 18
const deadlineMs = 5_000

/** A reply whose provider did not report its usage, or not all of it. */
export interface UnreportedReply {
  /** What the provider read. Called only if it reported nothing. */
  readonly input: () => Pick<TokenNeed, 'texts' | 'otherInputTokens'>
  readonly endpoint: Endpoint
  /** The last that the provider reported. */
  readonly reported: TokenUsage | undefined
  /** What the model said after that. */
  readonly said: readonly string[]
  /** What the provider was asked for at most. */
  readonly maxOutputTokens: number
}

/** Counts what a reply took where the provider did not say it. */
export class UnreportedUsage {
  readonly #counter: TokenCounter
  readonly #clock: Clock

  static {
    wire(this, [TokenCounter, Clock])
  }

  constructor(counter: TokenCounter, clock: Clock) {
    this.#counter = counter
    this.#clock = clock
  }

  /**
   * At least what was reported. Counted with the model's tokenizer, or by a stand-in with a margin. If counting takes too long, the bytes
   * count, which are never fewer than the tokens.
   */
  async of({ input, endpoint, reported, said, maxOutputTokens }: UnreportedReply): Promise<TokenUsage> {
    const before = reported?.output ?? 0
    const left = Math.max(0, maxOutputTokens - before)
    const output = before + Math.min(left, await this.#count(said, endpoint, left))
    if (reported) return { ...reported, output, estimated: true }
    const { texts, otherInputTokens } = input()
    const window = endpoint.contextWindow ?? Infinity
    const uncachedInput = Math.min(window, (await this.#count(texts, endpoint, window)) + otherInputTokens)
    return { ...noUsage, uncachedInput, output, estimated: true }
  }

  async #count(texts: readonly string[], { tokenizer }: Endpoint, limit: number): Promise<number> {
    const startMs = this.#clock.elapsed()
    let tokens = 0
    for (const batch of batches(texts)) {
      const leftMs = Math.max(0, startMs + deadlineMs - this.#clock.elapsed())
      const count = await safeCount(this.#counter, tokenizer, batch, { limit: limit - tokens, deadlineMs: leftMs })
      if (count === undefined) return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
      tokens += count
      if (tokens >= limit) break
    }
    return tokens
  }
}

function* batches(texts: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = []
  let characters = 0
  for (const text of texts)
    for (const slice of slices(text, batchCharacters)) {
      batch.push(slice)
      characters += slice.length
      if (characters < batchCharacters) continue
      yield batch
      batch = []
      characters = 0
    }
  if (batch.length > 0) yield batch
}
