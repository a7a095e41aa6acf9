import { wire } from '../framework/container.ts'
import { TokenCounter } from '../contracts/token-counter.ts'
import { invalidRequest } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { mayExceed } from '../tokens/bound.ts'
import type { RetrievalText } from './kind.ts'

/** Over all inputs of one request. */
export const maxInputTokens = 300_000

/** Refuses requests with too many tokens: 400 `max_tokens_exceeded`. If counting takes too long, the request passes and the vendor decides. */
export class InputLimit {
  readonly #counter: TokenCounter

  static {
    wire(this, [TokenCounter])
  }

  constructor(counter: TokenCounter) {
    this.#counter = counter
  }

  async check(inputs: readonly RetrievalText[], param: string): Promise<void> {
    let listed = 0
    const texts: string[] = []
    for (const each of inputs) {
      if (typeof each === 'string') texts.push(each)
      else listed += each.length
    }
    const limit = maxInputTokens - listed
    if (limit < 0) throw tooMany(param)
    if (!mayExceed(texts, limit)) return
    const counted = await this.#counter.count(texts, { limit })
    if (counted && !counted.complete) throw tooMany(param)
  }
}

function tooMany(param: string): Error {
  return invalidRequest(
    wording`The request has more than ${own(maxInputTokens)} tokens. Shorten it, or split it into several requests.`,
    param,
    'max_tokens_exceeded',
  )
}
