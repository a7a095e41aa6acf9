import type { GenerationRequest } from '../../../core/index.ts'
import type { Criterion, Description, Question } from '../../../core/kit.ts'

/** The options of a question in the order of its criteria; for a `noul`, yes before no. */
export function optionsOf(question: Question): readonly object[] {
  switch (question.type) {
    case 'noul':
      return [option({ answer: 'yes' }, question.criteria?.true), option({ answer: 'no' }, question.criteria?.false)]
    case 'choice':
      return Object.entries(question.criteria).map(([name, description]) => option({ option: name }, description))
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
  state: Description,
  question: Question,
  labelled: readonly (readonly [label: string, option: object])[],
  task: string,
): GenerationRequest['input'] {
  const sections = [
    `State:\n${textOf(state)}`,
    `Question:\n${textOf(question.instructions ?? plainQuestions[question.type])}`,
    `Options:\n${labelled.map(([label, described]) => `${label}: ${oneLine(described)}`).join('\n')}`,
    task,
  ]
  return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: sections.join('\n\n') }] }]
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
