import { GatewayError, ProviderFailure, type GenerationRequest, type TokenUsage } from '../../../core/index.ts'
import type { DecisionCall, DecisionUsage, LogProb } from '../../../core/kit.ts'

export interface CallLimits {
  readonly concurrency: number
  readonly maxCalls: number
}

/** A model's reply to one call. */
export interface Said {
  readonly text: string
  readonly logprobs: readonly LogProb[]
}

/** The model declined to answer a question. */
export class Refused extends ProviderFailure {
  constructor(model: string) {
    super({ kind: 'protocol', message: `${model} refused to answer a question of this decision.` })
  }
}

/** The model calls of one decision: limits how many run at a time, counts them, and starts no more after a failure. */
export class Calls {
  readonly most: number
  readonly #call: DecisionCall
  /** A refusal is an answer. */
  readonly #mayRefuse: boolean
  readonly #waiting: PromiseWithResolvers<void>[] = []
  #free: number
  #count = 0
  #failure: { readonly error: unknown } | undefined
  #inputTokens = 0
  #outputTokens = 0
  #isCounted = true

  constructor(call: DecisionCall, { concurrency, maxCalls }: CallLimits) {
    this.most = maxCalls
    this.#call = call
    this.#mayRefuse = call.request.form === 'items'
    this.#free = concurrency
  }

  /** The number of calls started so far. */
  get count(): number {
    return this.#count
  }

  /** The total of all calls; undefined if any vendor did not report usage. */
  get usage(): DecisionUsage | undefined {
    if (!this.#isCounted) return undefined
    return { input_tokens: this.#inputTokens, output_tokens: this.#outputTokens, calls: this.#count }
  }

  async ask(request: GenerationRequest): Promise<Said> {
    await this.#place()
    try {
      return await this.#generate(request)
    } catch (thrown) {
      const error = blamed(thrown)
      if (!(error instanceof Refused && this.#mayRefuse)) this.#failure ??= { error }
      throw error
    } finally {
      this.#leave()
    }
  }

  async #place(): Promise<void> {
    if (this.#free === 0) {
      const turn = Promise.withResolvers<void>()
      this.#waiting.push(turn)
      await turn.promise
    } else this.#free--
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next.resolve()
    else this.#free++
  }

  async #generate(request: GenerationRequest): Promise<Said> {
    if (this.#failure) throw this.#failure.error
    this.#call.signal.throwIfAborted()
    this.#count++
    let text = ''
    const logprobs: LogProb[] = []
    let usage: TokenUsage | undefined
    let refused = false
    for await (const event of this.#call.generate(request)) {
      if (event.type === 'text') {
        text += event.text
        if (event.logprobs) logprobs.push(...event.logprobs)
      } else if (event.type === 'usage') usage = event.usage
      else if (event.type === 'refusal' || (event.type === 'finish' && event.reason === 'content-filter')) refused = true
    }
    this.#add(usage)
    if (refused) throw new Refused(request.model)
    return { text, logprobs }
  }

  #add(usage: TokenUsage | undefined): void {
    if (!usage) {
      this.#isCounted = false
      return
    }
    const { uncachedInput, cacheRead, cacheWrite5m, cacheWrite1h, output } = usage
    this.#inputTokens += uncachedInput + cacheRead + cacheWrite5m + cacheWrite1h
    this.#outputTokens += output
  }
}

/** The plugin wrote the request, so a 400 for it is not the caller's fault, unless the caller's input is too long. */
function blamed(error: unknown): unknown {
  if (!(error instanceof GatewayError) || error.status !== 400 || error.code === 'context_length_exceeded') return error
  return new ProviderFailure({ kind: 'protocol', message: error.message, upstream: error.upstreamError, cause: error })
}
