import { readFileSync } from 'node:fs'
import { Ajv, type ErrorObject } from 'ajv'
import { questionSchema, type Description, type Question } from '../../core/index.ts'
import { ConfigError } from '../errors.ts'

/** A question whose right answer is known. */
export interface Example {
  /** From 1. */
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

const mostProblems = 10

/** Reads JSON lines of `{state, question, answer}`. Throws one `ConfigError` for all bad lines. */
export function readExamples(file: string): readonly Example[] {
  const isExample = new Ajv({ discriminator: true, allowUnionTypes: true }).compile<ExampleLine>(exampleSchema)
  const examples: Example[] = []
  const problems: string[] = []
  for (const [index, text] of readLines(file).entries()) {
    const line = index + 1
    if (text.trim() === '') continue
    const value = parsed(text)
    if (value === undefined)
      problems.push(`line ${line} is not JSON. Expected {"state": …, "question": {…}, "answer": …} on a line of its own.`)
    else if (!isExample(value)) problems.push(`line ${line}: ${complaint(isExample.errors![0]!)}`)
    else {
      const right = optionOf(value)
      if (typeof right === 'number') examples.push({ line, state: value.state, question: value.question, right })
      else problems.push(`line ${line}: ${right}`)
    }
  }
  if (problems.length > mostProblems) problems.splice(mostProblems, Infinity, `and ${problems.length - mostProblems} more lines are wrong.`)
  if (problems.length > 0) throw new ConfigError(file, problems)
  if (examples.length === 0)
    throw new ConfigError(file, ['It has no examples. Expected one line for each: {"state": …, "question": {…}, "answer": …}'])
  return examples
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .replace(/^\ufeff/, '')
      .split('\n')
  } catch (error) {
    throw new ConfigError(file, [
      `It cannot be read (${(error as NodeJS.ErrnoException).code}). --examples takes the path of a file of JSON lines.`,
    ])
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The index of the right option, or what is wrong with the answer. */
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
