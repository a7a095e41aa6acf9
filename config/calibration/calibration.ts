import type { Question } from '../../core/index.ts'
import { tempered } from '../../plugins/decisions/llm/temper.ts'
import { calibrationError, reliability, type Bin } from './reliability.ts'
import { fitTemperature, type Judged } from './temperature.ts'

export interface JudgedExample extends Judged {
  readonly type: Question['type']
}

/** The result for one type of question. Errors and bins come from examples that were not used for the fit. */
export interface Calibration {
  readonly type: Question['type']
  readonly fitted: number
  readonly held: number
  readonly temperature: number
  readonly before: Reliability
  readonly after: Reliability
}

export interface Reliability {
  readonly error: number
  readonly bins: readonly Bin[]
}

export const types = ['noul', 'choice', 'score'] as const satisfies readonly Question['type'][]
/** Fewer than these are not meaningful. */
export const fewestExamples = 8

/** Calibrates each type separately. Every fourth example is held back to evaluate the fit to the others. */
export function calibrate(judged: readonly JudgedExample[]): readonly Calibration[] {
  return types.flatMap(type => {
    const ofType = judged.filter(each => each.type === type)
    if (ofType.length === 0) return []
    const fit = ofType.filter((_, index) => index % 4 !== 3)
    const held = ofType.filter((_, index) => index % 4 === 3)
    const temperature = fitTemperature(fit)
    const after = held.map(({ probabilities, right }) => ({ probabilities: tempered(probabilities, temperature), right }))
    return [{ type, fitted: fit.length, held: held.length, temperature, before: measure(held), after: measure(after) }]
  })
}

function measure(judged: readonly Judged[]): Reliability {
  const bins = reliability(judged)
  return { bins, error: calibrationError(bins) }
}
