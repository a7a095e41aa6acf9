import { compare, type Group } from './models.ts'

/** Special-purpose and test models, and names that point to changing models. `auto` must not choose them. */
const particular =
  /(^|[-:/])(preview|exp|experimental|beta|alpha|latest|deep-research|computer-use|search|code|codex|coder|codestral|devstral|math|prover|medical|med|fin|legal|sante|customtools|robotics|cyber|vision|vl|omni|ocr|translation|mt|roleplay|uncensored|abliterated|derestricted|heretic|batch|free|fast|turbo|highspeed|ultraspeed|pro-max|thinking|reasoning|multi-agent|deepthink|auto|router|contributor|spot|base|discounted|cheaper|original|mythos|daybreak|tee|e2ee|chat|0301|0314|0613)($|[-:/])/

/** A snapshot of a model. */
const dated = /-20\d\d-?[01]\d-?[0-3]\d/

/** US dollars per million output tokens. More expensive models are used only if requested by name. */
const dearestOutput = 30
const smallestWindow = 32_000

/** True if `auto` may choose it: a general-purpose, available model that calls tools, at a moderate price. */
export function isForAuto({ model, offers }: Group): boolean {
  if (particular.test(model) || dated.test(model) || /^(global|us|eu|apac|au|ca|in|jp|us-gov)\./.test(model)) return false
  // Sorted: the maker's own offer comes first, if there is one.
  if (offers[0]!.deprecated) return false
  const tools = offers.some(({ capabilities }) => capabilities.tools)
  const prices = offers.flatMap(({ price }) => (price ? [price.output] : []))
  const window = Math.max(0, ...offers.map(({ contextWindow }) => contextWindow ?? 0))
  return tools && prices.length > 0 && Math.min(...prices) <= dearestOutput && window >= smallestWindow
}

/** The order in which `auto` tries models: by their best rating in any source. Unrated models come last. */
export function inOrder(groups: readonly Group[]): Group[] {
  return groups.toSorted((a, b) => Number(isForAuto(b)) - Number(isForAuto(a)) || abilityOf(b) - abilityOf(a) || compare(a.model, b.model))
}

function abilityOf({ offers }: Group): number {
  return Math.max(0, ...offers.map(({ ability = 0 }) => ability))
}
