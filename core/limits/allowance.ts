import type { Tokenizer } from '../contracts/catalog.ts'
import type { TokenCounter } from '../contracts/token-counter.ts'
import { safeCount } from '../tokens/safe-count.ts'

/** Less room than this is not worth asking for. */
const leastTokens = 16
/** The share of the room that may be used up, by bytes, before the tokens are counted and more is held. */
const growFrom = 0.75
/** How much of the room the start of a long text is expected to fill. */
const grantedShare = 0.9
const assumedCharactersPerToken = 3
/** After counting, more is held only if this share of what is paid for is used up. */
const extendFrom = 0.5

export interface AllowanceParts {
  readonly counter: TokenCounter
  readonly tokenizer: Tokenizer | undefined
  /** The output tokens that the hold pays for. Infinity if that is all that the endpoint can generate. */
  readonly paidTokens: () => number
  /** Holds this many more tokens, or as many as are left. False if fewer than `atLeast` are. */
  readonly extend: (tokens: number, atLeast: number) => Promise<boolean>
  /** False: the hold may be given away, so wait for `isHeld`. */
  readonly isSure: () => boolean
  /** Finds out whether there still is a hold. */
  readonly isHeld: () => Promise<boolean>
  /** Called when the answer has to end. */
  readonly ended: () => void
  /** How many tokens to add at least. */
  readonly stepTokens: number
}

/**
 * The output that is paid for while a reply arrives. A token is at least one byte, so most of the time counting bytes is enough. Before
 * the room is used up, the tokens are counted and the hold grows.
 */
export class Allowance {
  readonly #parts: AllowanceParts
  #counted = 0
  /** Not counted yet. */
  #bytes = 0
  #pieces: string[] = []
  #growAt: number
  #growing: Promise<void> | undefined
  #isSpent = false
  /** The start of what could not be taken, in characters: counted already. */
  #granted = 0
  #countedCharacters = 0

  constructor(parts: AllowanceParts) {
    this.#parts = parts
    this.#growAt = parts.paidTokens() * growFrom
  }

  get paidTokens(): number {
    return this.#parts.paidTokens()
  }

  /** Returns how much of the text is paid for, in characters. If that is not all, wait for `more` and take the rest. */
  take(text: string): number {
    if (!this.#parts.isSure()) return 0
    const room = this.#room
    if (room === Infinity) return text.length
    if (this.#granted > 0) {
      const length = Math.min(this.#granted, text.length)
      this.#granted = 0
      return length
    }
    const length = Buffer.byteLength(text) <= room ? text.length : wholeCharacters(text, Math.floor(room / 3))
    const part = length === text.length ? text : text.slice(0, length)
    if (length > 0) {
      this.#pieces.push(part)
      this.#bytes += Buffer.byteLength(part)
    }
    if (this.#used >= this.#growAt && !this.#isSpent) this.#grow()
    return length
  }

  /** The provider's own count so far, if that is more. */
  reported(tokens: number): void {
    if (tokens <= this.#used) return
    this.#counted = tokens
    this.#bytes = 0
    this.#pieces = []
  }

  /** Waits for more room, for what could not be taken. False if the answer has to end here. */
  async more(text: string): Promise<boolean> {
    if (!this.#parts.isSure()) return await this.#parts.isHeld()
    await this.#grow()
    // Text that came while an earlier part was counted is counted, too.
    if (this.#isSpent && this.#room < leastTokens && this.#bytes > 0) await this.#grow()
    if (this.#isSpent && this.#room < leastTokens) {
      this.#parts.ended()
      return false
    }
    if (Buffer.byteLength(text) > this.#room) await this.#grant(text)
    return true
  }

  get #used(): number {
    return this.#counted + this.#bytes
  }

  get #room(): number {
    return this.#parts.paidTokens() - this.#used
  }

  #grow(): Promise<void> {
    return (this.#growing ??= this.#growOnce().finally(() => {
      this.#growing = undefined
      this.#growAt = this.#used + this.#room * growFrom
    }))
  }

  async #growOnce(): Promise<void> {
    await this.#count()
    const { extend, paidTokens, stepTokens } = this.#parts
    if (this.#isSpent ? this.#room >= leastTokens : this.#used < paidTokens() * extendFrom) return
    this.#isSpent = !(await extend(Math.max(stepTokens, Math.ceil(this.#used / 2)), leastTokens))
  }

  /** Counts as much of a long text as should fit, since its bytes do not. */
  async #grant(text: string): Promise<void> {
    const charactersPerToken = this.#counted > 0 ? this.#countedCharacters / this.#counted : assumedCharactersPerToken
    for (let characters = this.#room * charactersPerToken * grantedShare; ;) {
      const length = wholeCharacters(text, Math.min(text.length, Math.floor(characters)))
      const tokens = length > 0 ? await this.#tokensOf(text.slice(0, length)) : undefined
      if (tokens === undefined) return
      if (tokens > this.#room) characters = (length * this.#room * grantedShare) / tokens
      else {
        this.#counted += tokens
        this.#countedCharacters += length
        this.#granted = length
        return
      }
    }
  }

  #tokensOf(text: string): Promise<number | undefined> {
    const { counter, tokenizer } = this.#parts
    return safeCount(counter, tokenizer, [text]).catch(() => undefined)
  }

  async #count(): Promise<void> {
    const pieces = this.#pieces
    const bytes = this.#bytes
    if (bytes === 0) return
    this.#pieces = []
    // The bytes stay in use until the count is there.
    const text = pieces.join('')
    const tokens = await this.#tokensOf(text)
    if (this.#bytes < bytes) return
    this.#bytes -= bytes
    this.#countedCharacters += text.length
    this.#counted += Math.min(tokens ?? bytes, bytes)
  }
}

/** No surrogate pair is split. */
function wholeCharacters(text: string, length: number): number {
  if (length <= 0) return 0
  const last = text.charCodeAt(length - 1)
  return last >= 0xd800 && last <= 0xdbff ? length - 1 : length
}
