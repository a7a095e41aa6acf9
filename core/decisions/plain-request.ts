import type { Criterion, DecisionRequest, Description, Question } from '../contracts/decision.ts'
import type { Warning } from '../contracts/route.ts'
import { isObject, type JsonObject } from '../foundation/json.ts'
import { partsOfDecision } from '../guards/decision-parts.ts'

export interface PlainDecision {
  readonly request: DecisionRequest
  /** What the plain form cannot say. */
  readonly warnings: readonly Warning[]
}

/** A request with `form: 'items'` and without images, for a client that takes any JSON instead. */
export function plainDecision(asked: DecisionRequest): PlainDecision {
  const { model, state, questions } = asked
  const plain = Object.entries(questions).map(([id, question]) => [id, plainQuestion(question)] as const)
  return { request: { model, state: plainState(state), questions: Object.fromEntries(plain) }, warnings: lostMembers(asked) }
}

/** The conversation as any model reads it: without the members that only a protocol needs. One user message is its content. */
export function plainState(state: Description): Description {
  if (!Array.isArray(state)) return state
  const items = state.map(item => (isObject(item) ? plainItem(item) : item))
  const [only] = items as readonly JsonObject[]
  return items.length === 1 && only?.['role'] === 'user' ? (only['content'] as Description) : items
}

function plainItem({ id: _, ...item }: JsonObject): JsonObject {
  const members = Object.entries(item).filter(([name, value]) => value !== null && usual[name] !== value)
  return Object.fromEntries(
    members.map(([name, value]) => [name, name === 'content' || name === 'output' ? plainParts(value as Description) : value]),
  )
}

/** Values that say nothing. */
const usual: JsonObject = { type: 'message', status: 'completed' }

/** Text parts become strings, and JSON parts their data. A single part stands for the list. */
export function plainParts(parts: Description): Description {
  if (!Array.isArray(parts)) return parts
  const plain = parts.map(part => (isObject(part) ? plainPart(part) : part))
  return plain.length === 1 ? (plain[0] as Description) : plain
}

function plainPart(part: JsonObject): unknown {
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
      return part['text']
    case 'input_json':
      return part['data']
    default: {
      const { type: _, prompt_cache_breakpoint: __, ...rest } = part
      return rest
    }
  }
}

function plainQuestion({ type, instructions, criteria }: Question): Question {
  const told = instructions === undefined ? undefined : plainParts(instructions)
  return { type, ...(told !== undefined && { instructions: told }), ...(criteria !== undefined && { criteria }) } as Question
}

/** A warning for each member of the public format that a model gets only in that format. */
export function lostMembers(asked: DecisionRequest): readonly Warning[] {
  const { questions, prompt_cache_key, prompt_cache_options, extra = {} } = asked
  const warnings: Warning[] = []
  const leftOut = (param: string, what: string): void => void warnings.push({ param, message: `left out, because this model ${what}` })
  if (prompt_cache_key !== undefined) leftOut('prompt_cache_key', 'takes no hints for a prompt cache')
  if (prompt_cache_options !== undefined) leftOut('prompt_cache_options', 'takes no hints for a prompt cache')
  const marked = partsOfDecision(asked).find(({ part }) => isObject(part['prompt_cache_breakpoint']))
  if (marked) leftOut(`${marked.path}.prompt_cache_breakpoint`, 'takes no hints for a prompt cache')
  for (const name of Object.keys(extra)) leftOut(name, 'does not know it')
  for (const [index, question] of Object.values(questions).entries())
    if (question.type === 'choice' && isReordered(question.criteria, question.options))
      warnings.push({ param: `questions[${index}].choices`, message: 'this model gets those that are numbers first' })
  return warnings
}

/** JavaScript puts names that are whole numbers first. */
function isReordered(criteria: Readonly<Record<string, Criterion>>, options: readonly { readonly key: string }[] | undefined): boolean {
  return options !== undefined && Object.keys(criteria).some((key, index) => options[index]?.key !== key)
}
