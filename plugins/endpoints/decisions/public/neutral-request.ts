import type { JsonObject } from '../../../../core/index.ts'
import type { DecisionRequest, Description, Question, TypedOption, Warning } from '../../../../core/kit.ts'
import type { PublicDecision, PublicQuestion } from './parse.ts'

/** A question as the caller wrote it, and as the engine knows it. */
export interface Asked {
  readonly id: string
  readonly name: string | null
  readonly question: Question
  /** Of a `score`. */
  readonly labels?: readonly string[]
}

export interface NeutralDecision {
  readonly request: DecisionRequest
  /** In the caller's order. */
  readonly asked: readonly Asked[]
  readonly warnings: readonly Warning[]
}

/** Members that are the gateway's, or that would make a vendor keep the request. */
const neverSent = ['routing', 'user', 'safety_identifier', 'store', 'metadata', 'stream', 'stream_options', 'background'] as const

/** The engine's request: its questions have ids, and its options names. */
export function neutralDecision(body: PublicDecision): NeutralDecision {
  const { model, input, questions, prompt_cache_key: key, prompt_cache_options: options, ...more } = body
  const extra = Object.fromEntries(Object.entries(more).filter(([name]) => !(neverSent as readonly string[]).includes(name)))
  const asked = withIds(questions)
  const request: DecisionRequest = {
    model,
    state: input as Description,
    questions: Object.fromEntries(asked.map(({ id, question }) => [id, question])),
    form: 'items',
    ...(typeof key === 'string' && { prompt_cache_key: key }),
    ...(options && { prompt_cache_options: options as JsonObject }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
  return { request, asked, warnings: unknownIn(questions as readonly (PublicQuestion & JsonObject)[]) }
}

function withIds(questions: readonly PublicQuestion[]): readonly Asked[] {
  const names = new Set(questions.map(({ name }) => name))
  const taken = new Set<string>()
  return questions.map((question, index) => {
    const name = question.name ?? null
    let id = name === null || taken.has(name) ? `question_${index + 1}` : isWholeNumber(name) ? `#${name}` : name
    while (taken.has(id) || (id !== name && names.has(id))) id += '_'
    taken.add(id)
    const neutral = neutralQuestion(question)
    return {
      id,
      name,
      question: id === name ? neutral : { ...neutral, name },
      ...(question.type === 'score' && { labels: question.levels.map(({ label }) => label) }),
    }
  })
}

/** An object would not keep its place among other names. */
function isWholeNumber(name: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(name)
}

function neutralQuestion(question: PublicQuestion): Question {
  const { instructions } = question
  const told = instructions === null || instructions === undefined ? {} : { instructions: instructions as Description }
  switch (question.type) {
    case 'predicate':
      return { type: 'noul', ...told }
    case 'choice':
      return { type: 'choice', ...told, ...criteriaOf(question.choices) }
    case 'score':
      return {
        type: 'score',
        ...told,
        criteria: question.levels.map(({ label, description }) => (typeof description === 'string' ? { label, description } : label)),
      }
  }
}

type Choices = Extract<PublicQuestion, { type: 'choice' }>['choices']

function criteriaOf(choices: Choices): Pick<Extract<Question, { type: 'choice' }>, 'criteria' | 'options'> {
  const taken = new Set(choices.map(({ value }) => value).filter(value => typeof value === 'string'))
  const options = choices.map(({ value }): TypedOption => {
    if (typeof value === 'string') return { key: value, value }
    let key = String(value)
    while (taken.has(key)) key = `${key} (boolean)`
    taken.add(key)
    return { key, value }
  })
  const criteria = Object.fromEntries(options.map(({ key }, index) => [key, choices[index]!.description ?? null]))
  const isPlain = Object.keys(criteria).every((key, index) => options[index]!.value === key)
  return { criteria, ...(!isPlain && { options }) }
}

const maxTold = 20
const plainName = /^[\w.-]{1,64}$/
const common = ['type', 'name', 'instructions']
const known: Readonly<Record<PublicQuestion['type'], ReadonlySet<string>>> = {
  predicate: new Set(common),
  choice: new Set([...common, 'choices']),
  score: new Set([...common, 'levels']),
}

function unknownIn(questions: readonly (PublicQuestion & JsonObject)[]): readonly Warning[] {
  const warnings: Warning[] = []
  for (const [index, question] of questions.entries())
    for (const name in question)
      if (!known[question.type].has(name) && plainName.test(name) && warnings.length < maxTold)
        warnings.push({ param: `questions[${index}].${name}`, message: 'unknown, so it has no effect' })
  return warnings
}
