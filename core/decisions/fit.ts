import { isImage, partsOfDecision } from '../guards/decision-parts.ts'
import type { DecisionLimits, DecisionRequest, Question } from '../contracts/decision.ts'
import { TokenCounter } from '../contracts/token-counter.ts'
import { invalidRequest, type GatewayError } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { wire } from '../framework/container.ts'
import { mayExceed } from '../tokens/bound.ts'
import { estimateTokens } from '../tokens/estimate.ts'
import { limitsOf } from './client-limits.ts'
import type { DecisionCandidate } from './names.ts'
import { questionText, stateText, tooManyTokens } from './token-limits.ts'

type Limits = Required<DecisionLimits>
type Questions = DecisionRequest['questions']

/** Finds out which candidates take a request, and in how many parts. */
export class DecisionFit {
  readonly #counter: TokenCounter

  static {
    wire(this, [TokenCounter])
  }

  constructor(counter: TokenCounter) {
    this.#counter = counter
  }

  /** The candidates that take the request, with the parts to send them: at least one. Throws a 400. `bytes`: of the body, if known. */
  async fitting(
    request: DecisionRequest,
    candidates: readonly DecisionCandidate[],
    bytes = Infinity,
  ): Promise<readonly DecisionCandidate[]> {
    const measured = new Measured(request, bytes, this.#counter)
    const fitting: DecisionCandidate[] = []
    let refusal: GatewayError | undefined
    for (const candidate of candidates) {
      const limits = limitsOf(candidate.client)
      const problem = request.form === 'items' ? await problemOf(candidate, limits, measured) : undefined
      refusal ??= problem
      if (problem) continue
      const parts = await measured.parts(limits)
      fitting.push(parts ? { ...candidate, parts } : candidate)
    }
    if (fitting.length === 0) throw refusal!
    return fitting
  }
}

async function problemOf({ endpoint, model }: DecisionCandidate, limits: Limits, measured: Measured): Promise<GatewayError | undefined> {
  const name = JSON.stringify(`${endpoint.provider}/${model}`)
  const image = limits.items ? undefined : partsOfDecision(measured.request).find(isImage)
  if (image) return invalidRequest(wording`The model ${name} takes no images. Leave them out, or name a model that does.`, image.path)
  for (const [index, question] of Object.values(measured.request.questions).entries())
    if (question.type === 'score' && question.criteria.length > limits.levels)
      return invalidRequest(
        wording`The model ${name} takes at most ${own(limits.levels)} levels, and this question has ${own(question.criteria.length)}. Name another model.`,
        `questions[${index}].levels`,
      )
  if (await measured.isTooLong(limits)) return tooManyTokens('The input with the longest question', limits.questionTokens, 'questions')
  return undefined
}

interface Texts {
  readonly state: string
  readonly questions: readonly string[]
}

interface Counts {
  readonly state: number
  readonly questions: readonly number[]
}

/** Longer than any limit: then nothing more is counted. */
const longest = 1_000_000

/** The size of a request in tokens. Counts only what its bytes leave open, and once. */
class Measured {
  readonly request: DecisionRequest
  readonly #bytes: number
  readonly #counter: TokenCounter
  #texts: Texts | undefined
  #counts: Promise<Counts> | undefined

  constructor(request: DecisionRequest, bytes: number, counter: TokenCounter) {
    this.request = request
    this.#bytes = bytes
    this.#counter = counter
  }

  async isTooLong({ questionTokens }: Limits): Promise<boolean> {
    if (!this.#mayExceed(questionTokens)) return false
    const { state, questions } = this.#text()
    const longest = questions.reduce((longer, text) => (text.length > longer.length ? text : longer), '')
    if (!mayExceed([state, longest], questionTokens)) return false
    const counts = await this.#count()
    return counts.state + Math.max(...counts.questions) > questionTokens
  }

  /** Undefined if the request goes out as a whole. */
  async parts(limits: Limits): Promise<readonly Questions[] | undefined> {
    const entries = Object.entries(this.request.questions)
    const isLong = this.request.form === 'items' && this.#mayExceed(limits.requestTokens)
    if (!isLong && entries.length <= limits.questions) return undefined
    const counts = isLong ? await this.#count() : undefined
    const parts: [string, Question][][] = []
    let tokens = 0
    for (const [index, entry] of entries.entries()) {
      const more = counts?.questions[index] ?? 0
      const part = parts.at(-1)
      if (part && part.length < limits.questions && tokens + more <= limits.requestTokens) {
        part.push(entry)
        tokens += more
      } else {
        parts.push([entry])
        tokens = (counts?.state ?? 0) + more
      }
    }
    return parts.length === 1 ? undefined : parts.map(part => Object.fromEntries(part))
  }

  /** A token has at least one byte. */
  #mayExceed(limit: number): boolean {
    if (limit === Infinity || this.#bytes <= limit) return false
    const { state, questions } = this.#text()
    return mayExceed([state, ...questions], limit)
  }

  #text(): Texts {
    const { state, questions, form } = this.request
    return (this.#texts ??= {
      state: stateText(state, form),
      questions: Object.entries(questions).map(([id, question]) => questionText(id, question, form)),
    })
  }

  #count(): Promise<Counts> {
    return (this.#counts ??= this.#counted())
  }

  async #counted(): Promise<Counts> {
    const { state, questions } = this.#text()
    const counts: number[] = []
    const stateTokens = await this.#tokens(state)
    for (const text of questions) counts.push(await this.#tokens(text))
    return { state: stateTokens, questions: counts }
  }

  async #tokens(text: string): Promise<number> {
    const counted = await this.#counter.count([text], { limit: longest })
    return counted?.tokens ?? estimateTokens(text.length)
  }
}
