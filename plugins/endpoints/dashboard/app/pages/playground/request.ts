import type { ShownItem } from './answer.ts'

type Json = Readonly<Record<string, unknown>>

/** The fields of the form. An empty one is left out of the request. */
export interface ResponseValues {
  readonly instructions: string
  readonly input: string
  readonly effort: string
  readonly temperature: number | null
  readonly max_output_tokens: number | null
  readonly sort: string
  readonly stream: boolean
  readonly webSearch: boolean
  /** JSON: an array of tools. */
  readonly tools: string
}

/** The body for the public API. `before`: the conversation so far. Throws if the tools are not JSON. */
export function requestOf(model: string, values: ResponseValues, before: readonly Json[]): Json {
  const { instructions, input, effort, temperature, max_output_tokens: most, sort, stream } = values
  const message = { role: 'user', content: input }
  const items = input === '' ? before : [...before, message]
  const tools = [...(values.webSearch ? [{ type: 'web_search' }] : []), ...toolsIn(values.tools)]
  return {
    model,
    ...(instructions !== '' && { instructions }),
    input: before.length === 0 ? input : items,
    ...(tools.length > 0 && { tools }),
    ...(effort !== '' && { reasoning: { effort, summary: 'auto' } }),
    ...(temperature !== null && { temperature }),
    ...(most !== null && { max_output_tokens: most }),
    ...(sort !== '' && { routing: { provider: { sort } } }),
    ...(stream && { stream }),
  }
}

function toolsIn(text: string): readonly Json[] {
  if (text.trim() === '') return []
  let tools: unknown
  try {
    tools = JSON.parse(text)
  } catch (error) {
    throw new Error(`The tools are not valid JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!Array.isArray(tools)) throw new Error('The tools must be an array, such as [{"type": "function", "name": "…"}].')
  return tools as readonly Json[]
}

/** The messages and calls that an answer adds to the conversation. Reasoning stays with its endpoint. */
export function itemsToSend(items: readonly ShownItem[], outputs: Readonly<Record<string, string>>): readonly Json[] {
  const said = items
    .filter(({ type }) => type === 'message' || type === 'function_call' || type === 'custom_tool_call')
    .map(({ type, text, item }): Json => (type === 'message' ? { role: 'assistant', content: text } : item))
  const returned = Object.entries(outputs).map(([id, output]): Json => {
    const isCustom = items.some(({ type, item }) => type === 'custom_tool_call' && item['call_id'] === id)
    return { type: isCustom ? 'custom_tool_call_output' : 'function_call_output', call_id: id, output }
  })
  return [...said, ...returned]
}

/** The calls that wait for an output of the caller. */
export function callsIn(items: readonly ShownItem[]): readonly ShownItem[] {
  return items.filter(({ type, item }) => (type === 'function_call' || type === 'custom_tool_call') && typeof item['call_id'] === 'string')
}

export interface Question {
  readonly id: string
  readonly type: 'noul' | 'choice' | 'score'
  readonly instructions: string
  /** One option or level a line, with a description after a colon. */
  readonly options: string
}

/** A text that is JSON counts as JSON. */
export function decisionOf(model: string, state: string, questions: readonly Question[]): Json {
  return { model, state: jsonOrText(state), questions: Object.fromEntries(questions.map(question => [question.id, questionOf(question)])) }
}

/** The same in the public format. A state that is a JSON object is a part of a message. */
export function publicDecisionOf(model: string, state: string, questions: readonly Question[]): Json {
  const said = jsonOrText(state)
  const data = typeof said === 'object' && !Array.isArray(said) ? [{ type: 'input_json', data: said }] : undefined
  return { model, input: data ? [{ role: 'user', content: data }] : state, questions: questions.map(publicQuestionOf) }
}

function publicQuestionOf({ id, type, instructions, options }: Question): Json {
  const lines = linesOf(options).map(optionIn)
  const told = { name: id, ...(instructions !== '' && { instructions }) }
  const described = (description: string | null): Json => (description === null ? {} : { description })
  if (type === 'noul') return { type: 'predicate', ...told }
  if (type === 'choice') return { type, ...told, choices: lines.map(([value, description]) => ({ value, ...described(description) })) }
  return { type, ...told, levels: lines.map(([label, description]) => ({ label, ...described(description) })) }
}

function linesOf(options: string): readonly string[] {
  return options
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
}

function questionOf({ type, instructions, options }: Question): Json {
  const lines = linesOf(options)
  const criteria = type === 'score' ? lines : Object.fromEntries(lines.map(optionIn))
  return { type, ...(instructions !== '' && { instructions }), ...(lines.length > 0 && { criteria }) }
}

function optionIn(line: string): readonly [string, string | null] {
  const colon = line.indexOf(':')
  return colon < 1 ? [line, null] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim() || null]
}

function jsonOrText(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
