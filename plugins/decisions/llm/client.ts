import type { DecisionClient } from '../../../core/index.ts'
import { lostMembers, maxItemLevels, type DecisionCall, type DecisionReply, type Effort, type Question } from '../../../core/kit.ts'
import { Calls, type CallLimits } from './calls.ts'
import { Judge } from './judge.ts'
import { maxLabels } from './labels.ts'

/** Names of models are the callers' to choose. */
const maxOthers = 1_000

export interface JudgeOptions {
  readonly name: string
  readonly model: string
  readonly mode: 'auto' | 'logprobs' | 'structured'
  readonly temperature?: { readonly [T in Question['type']]?: number }
  readonly topLogprobs: number
  readonly orders: number
  readonly effort?: Effort
}

export interface LlmOptions extends CallLimits {
  readonly id: string
  readonly models: readonly JudgeOptions[]
  readonly anyModel?: boolean
  readonly timeoutMs?: number
}

/** Answers decisions with models that generate text. */
export class LlmClient implements DecisionClient {
  readonly provider: string
  readonly judges: boolean
  readonly timeoutMs?: number
  readonly limits = { items: true, levels: maxItemLevels, requestTokens: Infinity, questionTokens: Infinity } as const
  readonly #limits: CallLimits
  readonly #judges: ReadonlyMap<string, Judge>
  /** Of models that callers named. They know whether their model has log probabilities. */
  readonly #others = new Map<string, Judge>()

  constructor(options: LlmOptions) {
    this.provider = options.id
    this.judges = options.anyModel === true
    if (options.timeoutMs !== undefined) this.timeoutMs = options.timeoutMs
    this.#limits = options
    this.#judges = new Map(options.models.map(model => [model.name, new Judge(model)]))
  }

  resolve(model: string): string | undefined {
    return this.#judges.has(model) ? model : undefined
  }

  async decide(call: DecisionCall): Promise<DecisionReply> {
    const { request } = call
    const calls = new Calls(call, this.#limits)
    const answers = await this.#judgeOf(request.model).answer(request, calls)
    const reply = { answers, usage: calls.usage }
    if (request.form !== 'items') return reply
    return { ...reply, warnings: lostMembers(request).filter(({ param }) => param !== 'prompt_cache_key') }
  }

  #judgeOf(name: string): Judge {
    const known = this.#judges.get(name) ?? this.#others.get(name)
    if (known) return known
    const judge = new Judge({ name, model: name, mode: 'auto', topLogprobs: maxLabels, orders: 1 })
    if (this.#others.size >= maxOthers) this.#others.clear()
    this.#others.set(name, judge)
    return judge
  }
}
