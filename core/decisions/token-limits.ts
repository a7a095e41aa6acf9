import type { TokenNeed } from '../billing/token-need.ts'
import { wire } from '../framework/container.ts'
import type { DecisionRequest } from '../contracts/decision.ts'
import { TokenCounter } from '../contracts/token-counter.ts'
import { invalidRequest, type GatewayError } from '../foundation/errors.ts'
import { mayExceed } from '../tokens/bound.ts'

// In tokens of the JSON text: docs/protocol/decisions.md#limits.
const requestLimit = 64_000
const questionLimit = 32_000

/** Three answers take about 70 tokens. */
const outputTokensPerQuestion = 24

/** The JSON text of a decision, in the parts that have limits. */
interface LimitedTexts {
  readonly state: string
  /** With their ids, the longest first. */
  readonly questions: readonly string[]
}

/** Refuses requests with too many tokens: 400 `max_tokens_exceeded`. Most requests are so short that nothing has to be counted. */
export class TokenLimits {
  readonly #counter: TokenCounter

  static {
    wire(this, [TokenCounter])
  }

  constructor(counter: TokenCounter) {
    this.#counter = counter
  }

  /** `bytes` is the length of the request body, if known. If counting takes too long, the request passes and the provider decides. */
  async check(request: DecisionRequest, bytes = Infinity): Promise<void> {
    // A token is at least one byte.
    if (bytes <= questionLimit) return
    const texts = textsOf(request)
    const { state, questions } = texts
    const all = [state, ...questions]
    if (mayExceed(all, requestLimit)) {
      const counted = await this.#counter.count(all, { limit: requestLimit })
      if (counted && !counted.complete) throw tooManyTokens('The request', requestLimit)
    }
    if (mayExceed([state, questions[0]!], questionLimit)) await this.#checkQuestions(texts)
  }

  async #checkQuestions({ state, questions }: LimitedTexts): Promise<void> {
    const counted = await this.#counter.count([state], { limit: questionLimit })
    if (!counted) return
    const limit = questionLimit - counted.tokens
    if (limit < 0) throw tooManyTokens('The state alone', questionLimit, 'state')
    for (const question of questions) {
      if (!mayExceed([question], limit)) continue
      const tokens = await this.#counter.count([question], { limit })
      if (tokens && !tokens.complete) throw tooManyTokens('The state with the longest question', questionLimit, 'questions')
    }
  }
}

/** The tokens to reserve for a decision. */
export function decisionNeed(request: DecisionRequest): TokenNeed {
  const { state, questions } = textsOf(request)
  const outputTokens = outputTokensPerQuestion * questions.length
  return { texts: [state, ...questions], otherInputTokens: 0, outputTokens, leastOutputTokens: outputTokens, searches: 0 }
}

function textsOf({ state, questions }: DecisionRequest): LimitedTexts {
  const texts = Object.entries(questions).map(([id, question]) => `${JSON.stringify(id)}:${JSON.stringify(question)}`)
  return { state: JSON.stringify(state), questions: texts.sort((a, b) => b.length - a.length) }
}

function tooManyTokens(what: string, limit: number, param?: string): GatewayError {
  return invalidRequest(
    `${what} has more than ${limit} tokens. Shorten it, or split it into several requests.`,
    param,
    'max_tokens_exceeded',
  )
}
