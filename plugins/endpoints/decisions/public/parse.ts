import { invalidRequest, isObject, type JsonObject } from '../../../../core/index.ts'
import { type Wire, wording, own } from '../../../../core/kit.ts'
import { validatePublicDecision, type publicDecisionSchema, type publicQuestionSchema } from './request-schema.ts'

export type PublicDecision = Wire<typeof publicDecisionSchema> & JsonObject
export type PublicQuestion = Wire<typeof publicQuestionSchema>

/** Checks a body of the public Decisions API. Throws a 400 that names the member by its path. */
export function parsePublicDecision(body: unknown): PublicDecision {
  if (!isObject(body)) throw invalidRequest(wording`The body must be a JSON object.`)
  const { input, stream = null } = body
  if (stream !== null && stream !== false)
    throw invalidRequest(
      wording`Expected stream to be false or missing, but got ${stream === true ? wording`true` : wording`a value of the type ${own(typeof stream)}`}. Decisions are not streamed: leave it out.`,
      'stream',
    )
  const typed = Array.isArray(input) ? { ...body, input: input.map(asItem) } : body
  validatePublicDecision(typed)
  const parsed = typed as PublicDecision
  if (typeof parsed.input !== 'string') checkItems(parsed.input as readonly JsonObject[])
  for (const [index, question] of parsed.questions.entries()) if (question.type === 'choice') checkUnique(question, index)
  return parsed
}

/** The type of a message may be missing. */
function asItem(item: unknown): unknown {
  return isObject(item) && item['type'] === undefined && 'role' in item ? { type: 'message', ...item } : item
}

const partsByRole: Readonly<Record<string, ReadonlySet<unknown>>> = {
  user: new Set(['input_text', 'input_image', 'input_json']),
  developer: new Set(['input_text']),
  system: new Set(['input_text']),
  assistant: new Set(['output_text', 'refusal']),
}

const callOf: Readonly<Record<string, string>> = {
  function_call_output: 'function_call',
  custom_tool_call_output: 'custom_tool_call',
}

function checkItems(items: readonly JsonObject[]): void {
  const calls = new Set<string>()
  for (const [index, item] of items.entries()) {
    const type = item['type'] as string
    const callId = item['call_id'] as string
    const call = callOf[type]
    if (type === 'message') checkParts(item, index)
    else if (call === undefined) calls.add(`${type} ${callId}`)
    else if (!calls.has(`${call} ${callId}`))
      throw invalidRequest(
        wording`Expected a ${own(call)} with the call_id of this output before it, but there is none. Send the call as well.`,
        `input[${index}].call_id`,
      )
  }
}

function checkParts({ role, content }: JsonObject, index: number): void {
  if (!Array.isArray(content)) return
  const known = partsByRole[role as string]!
  for (const [position, part] of (content as readonly JsonObject[]).entries())
    if (!known.has(part['type']))
      throw invalidRequest(
        wording`Expected a part of the type ${own([...known].join(' or '))} in a message of the role ${String(role)}, but got ${String(part['type'])}.`,
        `input[${index}].content[${position}].type`,
      )
}

function checkUnique({ choices }: Extract<PublicQuestion, { type: 'choice' }>, index: number): void {
  const values = new Set<string | boolean>()
  for (const [position, { value }] of choices.entries()) {
    if (values.has(value))
      throw invalidRequest(
        wording`Expected every choice to be unique, but this one repeats another.`,
        `questions[${index}].choices[${position}].value`,
      )
    values.add(value)
  }
}
