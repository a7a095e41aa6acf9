import type { TokenNeed } from '../billing/token-need.ts'
import { wire } from '../framework/container.ts'
import type { DecisionRequest, Question } from '../contracts/decision.ts'
import { TokenCounter } from '../contracts/token-counter.ts'
import { invalidRequest, type GatewayError } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { mayExceed } from '../tokens/bound.ts'
import { imageTokens } from '../tokens/other-input.ts'
import { questionTokenLimit, requestTokenLimit } from './client-limits.ts'
import { isImage, partsOfDecision } from '../guards/decision-parts.ts'

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
    if (bytes <= questionTokenLimit) return
    const texts = textsOf(request)
    const { state, questions } = texts
    const all = [state, ...questions]
    if (mayExceed(all, requestTokenLimit)) {
      const counted = await this.#counter.count(all, { limit: requestTokenLimit })
      if (counted && !counted.complete) throw tooManyTokens('The request', requestTokenLimit)
    }
    if (mayExceed([state, questions[0]!], questionTokenLimit)) await this.#checkQuestions(texts)
  }

  async #checkQuestions({ state, questions }: LimitedTexts): Promise<void> {
    const counted = await this.#counter.count([state], { limit: questionTokenLimit })
    if (!counted) return
    const limit = questionTokenLimit - counted.tokens
    if (limit < 0) throw tooManyTokens('The state alone', questionTokenLimit, 'state')
    for (const question of questions) {
      if (!mayExceed([question], limit)) continue
      const tokens = await this.#counter.count([question], { limit })
      if (tokens && !tokens.complete) throw tooManyTokens('The state with the longest question', questionTokenLimit, 'questions')
    }
  }
}

/** The tokens to reserve for a decision. `calls`: how often the state is sent. */
export function decisionNeed(request: DecisionRequest, calls = 1): TokenNeed {
  const { state, questions } = textsOf(request)
  const outputTokens = outputTokensPerQuestion * questions.length
  return {
    texts: [...Array<string>(calls).fill(state), ...questions],
    otherInputTokens: calls * imageTokens * partsOfDecision(request).filter(isImage).length,
    outputTokens,
    leastOutputTokens: outputTokens,
    searches: 0,
  }
}

function textsOf({ state, questions, form }: DecisionRequest): LimitedTexts {
  const texts = Object.entries(questions).map(([id, question]) => questionText(id, question, form))
  return { state: stateText(state, form), questions: texts.sort((a, b) => b.length - a.length) }
}

/** The bytes of images are no text. */
export function stateText(state: DecisionRequest['state'], form: DecisionRequest['form']): string {
  return form === 'items' ? JSON.stringify(state, withoutImages) : JSON.stringify(state)
}

export function questionText(id: string, question: Question, form: DecisionRequest['form']): string {
  return `${JSON.stringify(id)}:${form === 'items' ? JSON.stringify(question, withoutImages) : JSON.stringify(question)}`
}

function withoutImages(name: string, value: unknown): unknown {
  return name === 'image_url' ? '' : value
}

export function tooManyTokens(what: string, limit: number, param?: string): GatewayError {
  return invalidRequest(
    wording`${own(what)} has more than ${own(limit)} tokens. Shorten it, or split it into several requests.`,
    param,
    'max_tokens_exceeded',
  )
}
