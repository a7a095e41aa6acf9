import type { LogProb } from '../../../core/index.ts'
import { normalised } from './temper.ts'

/** Each is one token to every tokenizer that is in use. */
export const labels = [...'ABCDEFGHIJKLMNOPQRST'] as const
/** No vendor tells more log probabilities than this. */
export const mostLabels = labels.length

/**
 * How the first `count` labels share the probability that the model gives to labels; undefined where it gives them none.
 *
 * A label that is not among the most likely tokens is at most as likely as the least likely of those, and all that are missing share what
 * those leave of 1. Each gets the lesser of the two bounds: little, but never nothing.
 */
export function sharesOf({ token, logprob, top_logprobs: top = [] }: LogProb, count: number): readonly number[] | undefined {
  // Some hosts list the chosen token twice, others not at all.
  const likely = new Map([...top, { token, logprob }].map(each => [each.token, Math.exp(each.logprob)]))
  const masses = labels.slice(0, count).map(label => {
    let mass = 0
    for (const [text, probability] of likely) if (bare(text) === label) mass += probability
    return mass
  })
  if (!masses.some(mass => mass > 0)) return undefined
  const missing = masses.filter(mass => !(mass > 0)).length
  if (missing === 0) return normalised(masses)
  const listed = [...likely.values()].filter(probability => probability > 0)
  const left = 1 - listed.reduce((sum, probability) => sum + probability, 0)
  const least = Math.min(...listed)
  // Rounding may leave nothing.
  const unlisted = left > 0 ? Math.min(least, left / missing) : least
  return normalised(masses.map(mass => (mass > 0 ? mass : unlisted)))
}

/** Without the space that belongs to many tokens, also in the spelling of vocabularies that show it. */
function bare(token: string): string {
  return token.replaceAll(/^[\s▁Ġ]+|\s+$/g, '').toUpperCase()
}
