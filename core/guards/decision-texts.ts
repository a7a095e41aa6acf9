import type { DecisionRequest } from '../contracts/decision.ts'
import type { RequestText } from './request-texts.ts'

export interface DecisionTexts {
  /** A copy, which `replace` changes. */
  readonly request: DecisionRequest
  readonly slots: readonly RequestText[]
}

type Holder = Record<string, unknown>

/** Every text of a decision. Names of questions, options and other members are `fixed`: the answer refers to them. */
export function decisionTexts({ model, state, questions }: DecisionRequest): DecisionTexts {
  const request = structuredClone({ model, state, questions })
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
  visit(request, 'state', 'state')
  for (const [id, question] of Object.entries(request.questions)) {
    const path = `questions.${id.slice(0, maxNameLength)}`
    slots.push({ path: 'questions', text: id, kind: 'fixed', replace() {} })
    for (const member of ['instructions', 'criteria']) visit(question as unknown as Holder, member, `${path}.${member}`)
  }
  return { request, slots }
}

const maxNameLength = 60
