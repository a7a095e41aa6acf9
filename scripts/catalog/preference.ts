import { compare, type Group } from './models.ts'

/** For a purpose of their own, for testing, or a pointer to something that changes: nobody who did not name them should get them. */
const particular =
  /(^|[-:/])(preview|exp|experimental|beta|alpha|latest|deep-research|computer-use|search|code|codex|coder|codestral|devstral|math|prover|medical|med|fin|legal|sante|customtools|robotics|cyber|vision|vl|omni|ocr|translation|mt|roleplay|uncensored|abliterated|derestricted|heretic|batch|free|fast|turbo|highspeed|ultraspeed|pro-max|thinking|reasoning|multi-agent|deepthink|auto|router|contributor|spot|base|discounted|cheaper|original|mythos|daybreak|tee|e2ee|chat|0301|0314|0613)($|[-:/])/

/** One state of a model, next to the model itself. */
const dated = /-20\d\d-?[01]\d-?[0-3]\d/

/** US dollars per million tokens of output: dearer models are only used when they are named. */
const dearestOutput = 30
const smallestWindow = 32_000

/** Whether `auto` may choose it: a general model that calls tools, in service, at a usual price. */
export function isForAuto({ model, offers }: Group): boolean {
  if (particular.test(model) || dated.test(model) || /^(global|us|eu|apac|au|ca|in|jp|us-gov)\./.test(model)) return false
  // Sorted: the maker's own word, where it sells the model.
  if (offers[0]!.deprecated) return false
  const tools = offers.some(({ capabilities }) => capabilities.tools)
  const prices = offers.flatMap(({ price }) => (price ? [price.output] : []))
  const window = Math.max(0, ...offers.map(({ contextWindow }) => contextWindow ?? 0))
  return tools && prices.length > 0 && Math.min(...prices) <= dearestOutput && window >= smallestWindow
}

/** The order in which `auto` tries models: the abler first, by the best that any source says; those that nobody rated last. */
export function inOrder(groups: readonly Group[]): Group[] {
  return groups.toSorted((a, b) => Number(isForAuto(b)) - Number(isForAuto(a)) || abilityOf(b) - abilityOf(a) || compare(a.model, b.model))
}

function abilityOf({ offers }: Group): number {
  return Math.max(0, ...offers.map(({ ability = 0 }) => ability))
}
