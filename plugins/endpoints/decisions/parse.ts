import { invalidRequest } from '../../../core/index.ts'
import { bodyValidator, decisionRequestSchema, type DecisionRequest, type Question, wording } from '../../../core/kit.ts'

const validate = bodyValidator(decisionRequestSchema)

/** Checks the body of a decision and drops unknown members. Throws a 400 that names the field by its path. */
export function parseDecision(body: unknown): DecisionRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidRequest(wording`The body must be a JSON object.`)
  validate(body)
  const { model, state, questions } = body as DecisionRequest
  return { model, state, questions: Object.values(questions).every(isKnown) ? questions : withoutUnknown(questions) }
}

const members: ReadonlySet<string> = new Set(['type', 'instructions', 'criteria'])

function isKnown(question: Question): boolean {
  for (const member in question) if (!members.has(member)) return false
  return true
}

function withoutUnknown(questions: DecisionRequest['questions']): DecisionRequest['questions'] {
  return Object.fromEntries(Object.entries(questions).map(([id, question]) => [id, known(question)]))
}

function known({ type, instructions, criteria }: Question): Question {
  return { type, ...(instructions !== undefined && { instructions }), ...(criteria !== undefined && { criteria }) } as Question
}
