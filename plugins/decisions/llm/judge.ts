import { invalidRequest, ProviderFailure, type GenerationRequest } from '../../../core/index.ts'
import { answerBy, type DecisionAnswer, type DecisionRequest, type Question, wording, own } from '../../../core/kit.ts'
import { labelEstimator, returnsLogprobs } from './by-labels.ts'
import { structuredEstimator } from './by-structure.ts'
import { Refused, type Calls } from './calls.ts'
import { judgedIn, type Judged } from './judged.ts'
import type { JudgeOptions } from './client.ts'
import { tempered } from './temper.ts'

type Questions = Readonly<Record<string, Question>>

/** A way to get the probabilities of a question's options. */
export interface Estimator {
  /** Added to every answer. */
  readonly mark?: { readonly uncalibrated: true }
  callsFor(question: Question): number
  /** One probability for each option, as `answerBy` expects them. */
  estimate(judged: Judged, question: Question, calls: Calls): Promise<readonly number[]>
}

/** Answers questions with one generating model. */
export class Judge {
  readonly #options: JudgeOptions
  readonly #request: Pick<GenerationRequest, 'model' | 'reasoning'>
  readonly #estimators: Readonly<Record<'logprobs' | 'structured', Estimator>>
  /** Unknown until the first decision finds out. */
  #mode: 'logprobs' | 'structured' | undefined

  constructor(options: JudgeOptions) {
    this.#options = options
    this.#request = { model: options.model, ...(options.effort && { reasoning: { effort: options.effort } }) }
    this.#estimators = { logprobs: labelEstimator(this.#request, options), structured: structuredEstimator(this.#request) }
    if (options.mode !== 'auto') this.#mode = options.mode
  }

  async answer(request: DecisionRequest, calls: Calls): Promise<Readonly<Record<string, DecisionAnswer>>> {
    const { questions } = request
    refuseEmpty(questions)
    const judged = judgedIn(request)
    this.#mode ??= (await returnsLogprobs(this.#request, calls)) ? 'logprobs' : 'structured'
    const estimator = this.#estimators[this.#mode]
    this.#refuseTooMany(questions, estimator, calls)
    const answers = Object.entries(questions).map(async ([id, question]) => {
      try {
        const probabilities = await estimator.estimate(judged, question, calls)
        const answer = answerBy(question, tempered(probabilities, this.#options.temperature?.[question.type] ?? 1))
        return [id, { ...answer, ...estimator.mark }] as const
      } catch (error) {
        if (error instanceof Refused && request.form === 'items') return [id, { type: 'refusal' }] as const
        throw error
      }
    })
    return Object.fromEntries(await Promise.all(answers))
  }

  #refuseTooMany(questions: Questions, estimator: Estimator, calls: Calls): void {
    const needed = Object.values(questions).reduce((sum, question) => sum + estimator.callsFor(question), calls.count)
    if (needed > calls.most)
      throw invalidRequest(
        wording`These questions take ${own(needed)} calls to the model of ${own(this.#options.name)}; at most ${own(calls.most)} are allowed. Ask fewer questions, or questions with fewer options.`,
        'questions',
      )
  }
}

function refuseEmpty(questions: Questions): void {
  for (const [id, { type, instructions, criteria }] of Object.entries(questions))
    if (type === 'noul' && instructions === undefined && criteria?.true === undefined && criteria?.false === undefined)
      throw new ProviderFailure({
        kind: 'invalid-request',
        message: `The question ${JSON.stringify(id)} has neither instructions nor criteria. Add one of them.`,
      })
}
