import { Ajv, type ErrorObject } from 'ajv'
import { parseJson } from '../../../../core/index.ts'
import { questionSchema, type Description, type Question } from '../../../../core/kit.ts'

/** A question whose right answer is known. */
export interface Example {
  /** Counts from 1. */
  readonly line: number
  readonly state: Description
  readonly question: Question
  /** The index of the right option. For a `noul`, 0 is yes. */
  readonly right: number
}

interface ExampleLine {
  readonly state: Description
  readonly question: Question
  readonly answer: unknown
}

const exampleSchema = {
  type: 'object',
  required: ['state', 'question', 'answer'],
  properties: { state: { type: ['string', 'object', 'array'] }, question: questionSchema, answer: {} },
} as const

const maxProblems = 10

export interface ReadExamples {
  readonly examples: readonly Example[]
  /** One sentence for each line that is wrong. */
  readonly problems: readonly string[]
}

/** Reads JSON lines of `{state, question, answer}`. Blank lines are skipped. */
export function readExamples(text: string): ReadExamples {
  const isExample = new Ajv({ discriminator: true, allowUnionTypes: true }).compile<ExampleLine>(exampleSchema)
  const examples: Example[] = []
  const problems: string[] = []
  const lines = text.replace(/^\ufeff/, '').split('\n')
  for (const [index, content] of lines.entries()) {
    const line = index + 1
    if (content.trim() === '') continue
    const value = parseJson(content)
    if (value === undefined) problems.push(`line ${line} is not JSON. Expected {"state": …, "question": {…}, "answer": …} on one line.`)
    else if (!isExample(value)) problems.push(`line ${line}: ${complaint(isExample.errors![0]!)}`)
    else {
      const right = optionOf(value)
      if (typeof right === 'number') examples.push({ line, state: value.state, question: value.question, right })
      else problems.push(`line ${line}: ${right}`)
    }
  }
  if (problems.length > maxProblems) problems.splice(maxProblems, Infinity, `${problems.length - maxProblems} more lines are wrong.`)
  return { examples, problems }
}

/** The index of the right option, or a sentence about what is wrong with the answer. */
function optionOf({ question, answer }: ExampleLine): number | string {
  const came = `got ${brief(answer)}`
  switch (question.type) {
    case 'noul':
      if (typeof answer !== 'boolean') return `the answer to a noul must be true or false, ${came}.`
      return answer ? 0 : 1
    case 'choice': {
      const names = Object.keys(question.criteria)
      const place = names.findIndex(name => name === answer)
      return place === -1 ? `the answer to this choice must be one of ${brief(names)}, ${came}.` : place
    }
    case 'score': {
      const isLevel = question.criteria.some((_, level) => level === answer)
      return isLevel ? (answer as number) : `the answer to this score must be a level from 0 to ${question.criteria.length - 1}, ${came}.`
    }
  }
}

function complaint({ instancePath, message }: ErrorObject): string {
  return `${instancePath === '' ? 'the example' : instancePath.slice(1).replaceAll('/', '.')} ${message}.`
}

function brief(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
