import type { DecisionRequest } from '../contracts/decision.ts'
import { isImage, partsOfDecision } from './decision-parts.ts'
import type { RequestText } from './request-texts.ts'

/** Made by `decisionTexts`, for guardrails. */
export interface DecisionTexts {
  /** A copy, which `replace` changes. */
  readonly request: DecisionRequest
  /** Those of the state first, then those of each question. */
  readonly slots: readonly RequestText[]
  /** The paths of images. */
  readonly unreadable: readonly string[]
}

type Holder = Record<string, unknown>

/**
 * Every text of a decision. Names of questions, options and other members are `fixed`: the answer refers to them. The bytes of images are
 * left out.
 */
export function decisionTexts(asked: DecisionRequest): DecisionTexts {
  const request = structuredClone(asked)
  const slots: RequestText[] = []
  const visit = (holder: Holder, key: string, path: string): void => {
    const value = holder[key]
    if (typeof value === 'string') {
      slots.push({ path, text: value, kind: 'text', replace: text => void (holder[key] = text) })
    } else if (Array.isArray(value)) {
      for (const index of value.keys()) visit(value as unknown as Holder, String(index), `${path}[${index}]`)
    } else if (typeof value === 'object' && value !== null) {
      for (const name of Object.keys(value)) {
        slots.push({ path, text: name, kind: 'fixed', replace() {} })
        visit(value as Holder, name, `${path}.${name.slice(0, maxNameLength)}`)
      }
    }
  }
  const isItems = request.form === 'items'
  const visitParts = isItems ? itemVisitor(slots, visit) : visit
  visitParts(request as unknown as Holder, 'state', isItems ? 'input' : 'state')
  for (const [id, question] of Object.entries(request.questions)) {
    const path = `questions.${id.slice(0, maxNameLength)}`
    slots.push({ path: 'questions', text: question.name ?? id, kind: 'fixed', replace() {} })
    visitParts(question as unknown as Holder, 'instructions', `${path}.instructions`)
    visit(question as unknown as Holder, 'criteria', `${path}.criteria`)
  }
  const unreadable = partsOfDecision(asked).filter(isImage)
  return { request, slots, unreadable: unreadable.map(({ path }) => `${path}.image_url`) }
}

type Visit = (holder: Holder, key: string, path: string) => void

const texts: ReadonlySet<string> = new Set(['state', 'instructions', 'content', 'text', 'refusal', 'arguments', 'input', 'output'])
/** Names of members and values that the protocol chooses, so that they say nothing. */
const words: ReadonlySet<string> = new Set([
  ...texts,
  ...(
    'type role status phase detail mode id call_id name namespace image_url prompt_cache_breakpoint message function_call ' +
    'function_call_output custom_tool_call custom_tool_call_output user developer system assistant commentary final_answer in_progress ' +
    'completed incomplete input_text input_image input_json output_text low high auto original explicit'
  ).split(' '),
])

/** Visits conversation items and their parts. The JSON in `data` is free. */
function itemVisitor(slots: RequestText[], visitFree: Visit): Visit {
  const fixed = (text: string, path: string): void => {
    if (!words.has(text)) slots.push({ path, text, kind: 'fixed', replace() {} })
  }
  const visit: Visit = (holder, key, path) => {
    const value = holder[key]
    if (key === 'data') return visitFree(holder, key, path)
    if (typeof value === 'string') {
      if (key === 'image_url' && /^data:/i.test(value)) return
      if (texts.has(key)) slots.push({ path, text: value, kind: 'text', replace: text => void (holder[key] = text) })
      else fixed(value, path)
    } else if (Array.isArray(value)) {
      for (const index of value.keys()) visit(value as unknown as Holder, String(index), `${path}[${index}]`)
    } else if (typeof value === 'object' && value !== null) {
      for (const name of Object.keys(value)) {
        fixed(name, path)
        visit(value as Holder, name, `${path}.${name.slice(0, maxNameLength)}`)
      }
    }
  }
  return visit
}

const maxNameLength = 60
