import { wire } from '../framework/container.ts'
import type { Tokenizer } from '../contracts/catalog.ts'
import { TokenCounter } from '../contracts/token-counter.ts'
import { GatewayError, invalidRequest } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import type { RetrievalText } from './kind.ts'

/** Turns lists of tokens into their text. */
export class TokenTexts {
  readonly #counter: TokenCounter

  static {
    wire(this, [TokenCounter])
  }

  constructor(counter: TokenCounter) {
    this.#counter = counter
  }

  /** Throws a 400 unless all endpoints have the same known tokenizer, and for tokens that it does not have. */
  async decoded(texts: readonly RetrievalText[], tokenizers: readonly (Tokenizer | undefined)[]): Promise<readonly string[]> {
    const [tokenizer, ...others] = new Set(tokenizers)
    if (tokenizer === undefined || others.length > 0 || !this.#counter.decode)
      throw invalidRequest(
        wording`Invalid value for 'input': the gateway has to read the text of this request, and does not have the tokenizer of the model. Send text instead of tokens.`,
        'input',
      )
    const lists = texts.filter(text => typeof text !== 'string')
    const decoded = await this.#counter.decode(lists, { tokenizer })
    if (!decoded) throw unreadable()
    let next = 0
    return texts.map((text, index) => {
      if (typeof text === 'string') return text
      const found = decoded[next++]
      if (found === undefined)
        throw invalidRequest(wording`Invalid value for 'input[${own(index)}]': it has tokens that the model does not know.`, 'input')
      return found
    })
  }
}

function unreadable(): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'server_error',
    code: 'server_error',
    message: wording`The tokens of this request could not be decoded in time. Try again, or send text.`,
    transient: true,
  })
}
