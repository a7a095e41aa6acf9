import type { DecisionRequest } from '../contracts/decision.ts'
import { isObject, type JsonObject } from '../foundation/json.ts'

/** A part of a conversation item or of a question's instructions. */
export interface DecisionPart {
  readonly part: JsonObject
  /** Such as `input[0].content[1]`, as callers write it. */
  readonly path: string
}

/** The parts of a request with `form: 'items'`. */
export function partsOfDecision({ form, state, questions }: DecisionRequest): readonly DecisionPart[] {
  if (form !== 'items') return []
  const parts: DecisionPart[] = []
  const add = (list: unknown, path: string): void => {
    if (Array.isArray(list)) for (const [index, part] of list.entries()) if (isObject(part)) parts.push({ part, path: `${path}[${index}]` })
  }
  if (Array.isArray(state))
    for (const [index, item] of state.entries())
      if (isObject(item)) for (const member of ['content', 'output'] as const) add(item[member], `input[${index}].${member}`)
  for (const [index, { instructions }] of Object.values(questions).entries()) add(instructions, `questions[${index}].instructions`)
  return parts
}

export function isImage({ part }: DecisionPart): boolean {
  return part['type'] === 'input_image'
}
