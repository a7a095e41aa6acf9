import type { GenerationRequest } from '../../../core/index.ts'
import { plainParts, type Criterion, type Description, type Question, type TextPart } from '../../../core/kit.ts'
import { Images, type Judged } from './judged.ts'

/** The options of a question in the order of its criteria; for a `noul`, yes before no. */
export function optionsOf(question: Question): readonly object[] {
  switch (question.type) {
    case 'noul':
      return [option({ answer: 'yes' }, question.criteria?.true), option({ answer: 'no' }, question.criteria?.false)]
    case 'choice':
      return Object.entries(question.criteria).map(([name, description]) => option({ option: valueOf(name, question) }, description))
    case 'score':
      return question.criteria.map((description, level) => option({ level }, description))
  }
}

export function optionCount(question: Question): number {
  if (question.type === 'noul') return 2
  return question.type === 'choice' ? Object.keys(question.criteria).length : question.criteria.length
}

/** The state comes first, so that calls share a prefix that vendors can cache. */
export function inputOf(
  { state, images, hasParts }: Judged,
  question: Question,
  labelled: readonly (readonly [label: string, option: object])[],
  task: string,
): GenerationRequest['input'] {
  const more = new Images(images.length)
  const { instructions = plainQuestions[question.type] } = question
  const sections = [
    `Question:\n${textOf(hasParts ? plainParts(more.takenFrom(instructions)) : instructions)}`,
    `Options:\n${labelled.map(([label, described]) => `${label}: ${oneLine(described)}`).join('\n')}`,
    task,
  ]
  const before = `State:\n${textOf(state)}`
  const after = sections.join('\n\n')
  const shown = [...images, ...more.taken].flatMap((image, index) => [text(`Image ${index + 1}:`), image])
  const content = shown.length === 0 ? [text(`${before}\n\n${after}`)] : [text(before), ...shown, text(after)]
  return [{ type: 'message', role: 'user', content }]
}

function text(said: string): TextPart {
  return { type: 'input_text', text: said }
}

/** The value of an option as the caller wrote it. */
function valueOf(name: string, { options }: Extract<Question, { type: 'choice' }>): string | boolean {
  return options?.find(({ key }) => key === name)?.value ?? name
}

const plainQuestions: Readonly<Record<Question['type'], string>> = {
  noul: 'Which of the two holds for the state?',
  choice: 'Which option fits the state best?',
  score: 'Which level fits the state best? They go from the lowest to the highest.',
}

function option(name: object, description: Criterion | undefined): object {
  return description === undefined || description === null ? name : { ...name, description }
}

/** One line of JSON, so that a name or description cannot pass for another option. */
function oneLine(described: object): string {
  return JSON.stringify(described).replaceAll(/[\u0085\u2028\u2029]/g, end => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function textOf(description: Description): string {
  return typeof description === 'string' ? description : JSON.stringify(description)
}
