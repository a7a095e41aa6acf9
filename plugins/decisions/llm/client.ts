import type { DecisionClient } from '../../../core/index.ts'
import { lostMembers, maxItemLevels, type DecisionCall, type DecisionReply, type Effort, type Question } from '../../../core/kit.ts'
import { Calls, type CallLimits } from './calls.ts'
import { Judge } from './judge.ts'

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
  readonly timeoutMs?: number
}

/** Answers decisions with models that generate text. */
export class LlmClient implements DecisionClient {
  readonly provider: string
  readonly timeoutMs?: number
  readonly limits = { items: true, levels: maxItemLevels, requestTokens: Infinity, questionTokens: Infinity } as const
  readonly #limits: CallLimits
  readonly #judges: ReadonlyMap<string, Judge>

  constructor(options: LlmOptions) {
    this.provider = options.id
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
    const answers = await this.#judges.get(request.model)!.answer(request, calls)
    const reply = { answers, usage: calls.usage }
    if (request.form !== 'items') return reply
    return { ...reply, warnings: lostMembers(request).filter(({ param }) => param !== 'prompt_cache_key') }
  }
}
