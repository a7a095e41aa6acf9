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
  // Several tokens may read the same. The chosen one is listed by some hosts once, by others twice or not at all.
  const likely = new Map([...top, { token, logprob }].map(each => [`${each.logprob} ${each.token}`, each]))
  const tokens = Array.from(likely.values(), each => ({ text: bare(each.token), probability: Math.exp(each.logprob) }))
  const masses = labels
    .slice(0, count)
    .map(label => tokens.reduce((mass, { text, probability }) => (text === label ? mass + probability : mass), 0))
  if (!masses.some(mass => mass > 0)) return undefined
  const missing = masses.filter(mass => !(mass > 0)).length
  if (missing === 0) return normalised(masses)
  const listed = tokens.map(({ probability }) => probability).filter(probability => probability > 0)
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
