import { isObject, ProviderFailure, type JsonObject } from '../../../core/index.ts'
import { membersOf, type Criterion, type DecisionRequest, type Description, type Question } from '../../../core/kit.ts'

/** The body of `POST /decisions`. */
export function wireRequest({ model, state, questions, form, prompt_cache_key, prompt_cache_options, extra }: DecisionRequest): JsonObject {
  const isItems = form === 'items'
  const asked = Object.entries(questions)
  return {
    model,
    input: isItems ? state : inputOf(state),
    questions: asked.map(([id, question]) => (isItems ? wireQuestion(id, question) : translated(id, question))),
    ...(prompt_cache_key !== undefined && { prompt_cache_key }),
    ...(prompt_cache_options && { prompt_cache_options }),
    ...extra,
  }
}

const plainQuestions: Readonly<Record<Question['type'], string>> = {
  noul: 'This is so.',
  choice: 'Which choice fits the input best?',
  score: 'Which level fits the input best?',
}

/** A question that came in this format. */
function wireQuestion(id: string, question: Question): JsonObject {
  const { type, name, instructions = plainQuestions[type] } = question
  const named = name === null ? {} : { name: name ?? id }
  switch (question.type) {
    case 'noul':
      return { type: 'predicate', ...named, instructions }
    case 'choice': {
      const { criteria, options = Object.keys(criteria).map(key => ({ key, value: key })) } = question
      return { type, ...named, instructions, choices: options.map(({ key, value }) => ({ value, ...described(criteria[key]) })) }
    }
    case 'score':
      return {
        type,
        ...named,
        instructions,
        levels: question.criteria.map(level => (typeof level === 'string' ? { label: level } : level)),
      }
  }
}

/** A question of `/v1/systemone`. */
function translated(id: string, question: Question): JsonObject {
  const { type, instructions } = question
  const told = instructions === undefined ? plainQuestions[type] : textOf(instructions)
  switch (question.type) {
    case 'noul':
      return { type: 'predicate', name: id, instructions: statement(id, question) }
    case 'choice':
      return {
        type,
        name: id,
        instructions: told,
        choices: Object.entries(question.criteria).map(([value, description]) => ({ value, ...described(description) })),
      }
    case 'score':
      return {
        type,
        name: id,
        instructions: told,
        levels: question.criteria.map((level, index) => ({ label: String(index), ...described(level) })),
      }
  }
}

function statement(id: string, { instructions, criteria }: Extract<Question, { type: 'noul' }>): string {
  const sides = [['true', criteria?.true] as const, ['false', criteria?.false] as const]
  const told = [
    ...(instructions === undefined ? [] : [textOf(instructions)]),
    ...sides.flatMap(([side, criterion]) =>
      criterion === undefined || criterion === null ? [] : [`Criteria for ${side}:\n${textOf(criterion)}`],
    ),
  ]
  if (told.length > 0) return told.join('\n\n')
  throw new ProviderFailure({
    kind: 'invalid-request',
    message: `The question ${JSON.stringify(id)} has neither instructions nor criteria. Add one of them.`,
  })
}

function described(criterion: Criterion | undefined): { readonly description?: string } {
  return criterion === undefined || criterion === null ? {} : { description: textOf(criterion) }
}

function textOf(description: Criterion): string {
  return typeof description === 'string' ? description : JSON.stringify(description)
}

function inputOf(state: Description): unknown {
  if (typeof state === 'string') return state
  const part = isJsonInput(state) ? { type: 'input_json', data: state } : { type: 'input_text', text: JSON.stringify(state) }
  return [{ type: 'message', role: 'user', content: [part] }]
}

// The vendor's limits for `input_json`, as its own SDKs know them.
const maxDepth = 32
const maxValues = 10_000
const maxBytes = 256 * 1024

function isJsonInput(state: Description): boolean {
  if (Array.isArray(state) && (state.length === 0 || !state.every(isObject))) return false
  let values = 0
  const fits = (value: unknown, depth: number): boolean => {
    if (++values > maxValues) return false
    if (typeof value !== 'object' || value === null) return true
    return depth <= maxDepth && Object.values(Array.isArray(value) ? value : membersOf(value)).every(member => fits(member, depth + 1))
  }
  return fits(state, 1) && Buffer.byteLength(JSON.stringify(state)) <= maxBytes
}
