import type { LogProb } from '../../../core/kit.ts'
import { normalised } from './temper.ts'

/** Each is a single token in every common tokenizer. */
export const labels = [...'ABCDEFGHIJKLMNOPQRST'] as const
/** No vendor returns more log probabilities than this. */
export const maxLabels = labels.length

/**
 * The shares of the first `count` labels in the probability that the model gives to labels. Undefined if it gives them none.
 *
 * A label missing from the top tokens is at most as likely as the least likely of them, and all missing labels share the probability that
 * the top tokens leave. Each gets the smaller of these two bounds, which is never 0.
 */
export function sharesOf({ token, logprob, top_logprobs: top = [] }: LogProb, count: number): readonly number[] | undefined {
  // Several tokens may have the same text. Hosts list the chosen token once, twice, or not at all.
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
  // Rounding may leave 0.
  const unlisted = left > 0 ? Math.min(least, left / missing) : least
  return normalised(masses.map(mass => (mass > 0 ? mass : unlisted)))
}

/** Strips the leading space of many tokens, including the characters that some tokenizers show for it. */
function bare(token: string): string {
  return token.replaceAll(/^[\s▁Ġ]+|\s+$/g, '').toUpperCase()
}
