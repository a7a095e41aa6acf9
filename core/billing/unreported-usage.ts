import type { Endpoint } from '../contracts/catalog.ts'
import { noUsage, type TokenUsage } from '../contracts/events.ts'
import { TokenCounter } from '../contracts/token-counter.ts'
import { describePluginError, Logger } from '../foundation/logger.ts'
import { isPending, type Maybe } from '../runtime/pending.ts'
import { Random } from '../foundation/random.ts'
import { nextTurn } from '../runtime/turns.ts'
import { wire } from '../framework/container.ts'
import { safeCount } from '../tokens/safe-count.ts'
import { sampleOf, type Sample } from '../tokens/sample.ts'
import type { TokenNeed } from './token-need.ts'

const deadlineMs = 5_000
/** V8 joins the pieces of so many characters in 1 ms. */
const joinedInSlice = 1_000_000

/** A reply whose provider did not report its usage, or not all of it. */
export interface UnreportedReply {
  /** The input of the request. Called only if the provider reported no usage at all. */
  readonly input: () => Pick<TokenNeed, 'texts' | 'otherInputTokens'>
  readonly endpoint: Endpoint
  /** The provider's last report. */
  readonly reported: TokenUsage | undefined
  /** The model's output after that report. */
  readonly said: readonly string[]
  /** The limit that the provider was given. */
  readonly maxOutputTokens: number
}

/** Counts the tokens of replies whose provider did not report them. */
export class UnreportedUsage {
  readonly #counter: TokenCounter
  readonly #random: Random
  readonly #log: Logger

  static {
    wire(this, [TokenCounter, Random, Logger])
  }

  constructor(counter: TokenCounter, random: Random, log: Logger) {
    this.#counter = counter
    this.#random = random
    this.#log = log
  }

  /**
   * At least what was reported. Counted with the model's tokenizer, or by a stand-in with a margin. If counting takes too long, the bytes
   * count, which are never fewer than the tokens. Does not keep the texts while it counts.
   */
  of({ input, endpoint, reported, said, maxOutputTokens }: UnreportedReply): Promise<TokenUsage> {
    const sampling = this.#sampled(said)
    const count = (output: Sample): Promise<TokenUsage> => this.#counted(output, input, endpoint, reported, maxOutputTokens)
    return isPending(sampling) ? sampling.then(count) : count(sampling)
  }

  /** Many clients may leave at once, and to read from a long text takes time: V8 joins its pieces first. */
  #sampled(texts: readonly string[]): Maybe<Sample> {
    const characters = texts.reduce((sum, { length }) => sum + length, 0)
    return characters > joinedInSlice ? this.#sampledLater(texts, characters) : sampleOf(texts, this.#random)
  }

  async #sampledLater(texts: readonly string[], characters: number): Promise<Sample> {
    for (let joined = 0; joined < characters; joined += joinedInSlice) await nextTurn()
    return sampleOf(texts, this.#random)
  }

  #counted(
    output: Sample,
    input: UnreportedReply['input'],
    endpoint: Endpoint,
    reported: TokenUsage | undefined,
    maxOutputTokens: number,
  ): Promise<TokenUsage> {
    if (reported) return this.#added(reported, output, endpoint, maxOutputTokens)
    const { texts, otherInputTokens } = input()
    return this.#whole(sampleOf(texts, this.#random), otherInputTokens, output, endpoint, maxOutputTokens)
  }

  async #added(reported: TokenUsage, said: Sample, endpoint: Endpoint, maxOutputTokens: number): Promise<TokenUsage> {
    const left = Math.max(0, maxOutputTokens - reported.output)
    return { ...reported, output: reported.output + (await this.#count(said, endpoint, left)), estimated: true }
  }

  async #whole(input: Sample, otherInputTokens: number, said: Sample, endpoint: Endpoint, maxOutputTokens: number): Promise<TokenUsage> {
    const { contextWindow = Infinity } = endpoint
    const [inputTokens, output] = await Promise.all([
      this.#count(input, endpoint, contextWindow),
      this.#count(said, endpoint, maxOutputTokens),
    ])
    return { ...noUsage, uncachedInput: Math.min(contextWindow, inputTokens + otherInputTokens), output, estimated: true }
  }

  async #count({ texts, factor }: Sample, { tokenizer }: Endpoint, most: number): Promise<number> {
    if (texts.length === 0) return 0
    const counted = await safeCount(this.#counter, tokenizer, texts, { limit: most / factor, deadlineMs }).catch(error => {
      this.#log.error('tokens could not be counted', describePluginError(error, true))
      return undefined
    })
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    return Math.min(most, Math.ceil(Math.min(counted ?? bytes, bytes) * factor))
  }
}
