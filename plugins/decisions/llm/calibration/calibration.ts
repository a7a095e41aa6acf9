import type { Question } from '../../../../core/kit.ts'
import { tempered } from '../temper.ts'
import { calibrationError, reliability, type Bin } from './reliability.ts'
import { fitTemperature, type Judged } from './temperature.ts'

export interface JudgedExample extends Judged {
  readonly type: Question['type']
}

/** The result for one type of question. Errors and bins are measured on the examples that were held back from the fit. */
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
/** With fewer examples the result means nothing. */
export const fewestExamples = 8

/** Calibrates each type of question separately. Every fourth example is held back to measure the fit. */
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
