import { isObject, type JsonObject } from '../../../core/index.ts'

/** A message as `gen_ai.input.messages` and `gen_ai.output.messages` have them. */
export interface Message {
  readonly role: string
  readonly parts: readonly Part[]
}

export type Part = JsonObject & { readonly type: string }

export interface Conversation {
  readonly instructions: readonly Part[]
  readonly input: readonly Message[]
  readonly output: readonly Message[]
}

/**
 * The words of a request and of its answer, in any of the public APIs: of `input` and `output` (Responses), `messages` (Chat Completions and
 * Messages) and `contents` (Gemini). Names of tools are left out, and so is everything that is neither text, reasoning nor a call.
 */
export function conversationOf(request: JsonObject | null, response: JsonObject | null): Conversation {
  const { instructions, system, systemInstruction, input, messages, contents } = request ?? {}
  const { output, choices, content, candidates } = response ?? {}
  const told = [...listOf(input, 'user'), ...listOf(messages, 'user'), ...listOf(contents, 'user')].map(each => messageOf(each, 'user'))
  const said = [
    ...listOf(output, 'assistant'),
    ...listOf(choices).map(choice => (isObject(choice) ? choice['message'] : undefined)),
    ...(Array.isArray(content) ? [{ role: 'assistant', content }] : []),
    ...listOf(candidates).map(candidate => (isObject(candidate) ? candidate['content'] : undefined)),
  ].map(each => messageOf(each, 'assistant'))
  return {
    instructions: [...partsOf(instructions), ...partsOf(system), ...partsIn(systemInstruction)],
    input: told.filter(hasParts),
    output: said.filter(hasParts),
  }
}

/** A text stands for one message. */
function listOf(value: unknown, role?: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  return typeof value === 'string' && role !== undefined ? [{ role, content: value }] : []
}

function messageOf(item: unknown, usualRole: string): Message {
  if (!isObject(item)) return { role: usualRole, parts: [] }
  const given = typeof item['role'] === 'string' ? item['role'] : usualRole
  const role = given === 'model' ? 'assistant' : item['type'] === 'function_call_output' ? 'tool' : given
  const own = partOf(item)
  const parts = [...partsOf(item['content']), ...partsIn(item), ...partsOf(item['tool_calls'])]
  return { role, parts: own ? [own, ...parts] : parts }
}

/** Gemini has `parts` in place of `content`. */
function partsIn(value: unknown): readonly Part[] {
  return isObject(value) ? partsOf(value['parts']) : []
}

function partsOf(content: unknown): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content)]
  if (!Array.isArray(content)) return []
  return content.flatMap(each => (isObject(each) ? (partOf(each) ?? []) : partsOf(each)))
}

/** The part that an item or a part of an item is. Undefined if it has no words of its own. */
function partOf(each: JsonObject): Part | undefined {
  const { type, text, thinking, refusal } = each
  switch (type) {
    case 'function_call':
    case 'custom_tool_call':
    case 'tool_use':
    case 'function':
    case 'custom': {
      const call = isObject(each['function']) ? each['function'] : isObject(each['custom']) ? each['custom'] : each
      return { type: 'tool_call', id: idOf(each), name: 'function', arguments: call['arguments'] ?? call['input'] ?? null }
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { type: 'tool_call_response', id: idOf(each), result: textOf(each['output']) }
    case 'tool_result':
      return { type: 'tool_call_response', id: idOf(each), result: textOf(each['content']) }
    case 'thinking':
    case 'reasoning_text':
    case 'summary_text':
      return { type: 'reasoning', content: String(thinking ?? text ?? '') }
  }
  if (isObject(each['functionCall'])) {
    return { type: 'tool_call', id: idOf(each['functionCall']), name: 'function', arguments: each['functionCall']['args'] ?? null }
  }
  if (isObject(each['functionResponse']))
    return { type: 'tool_call_response', id: idOf(each['functionResponse']), result: each['functionResponse']['response'] ?? null }
  if (typeof text === 'string') return textPart(text)
  return typeof refusal === 'string' ? textPart(refusal) : undefined
}

function textPart(content: string): Part {
  return { type: 'text', content }
}

function idOf({ call_id, tool_use_id, id }: JsonObject): string | null {
  return ([call_id, tool_use_id, id].find(value => typeof value === 'string') as string | undefined) ?? null
}

/** Outputs of tools are texts, or lists of parts. */
function textOf(value: unknown): unknown {
  return Array.isArray(value) ? partsOf(value) : (value ?? null)
}

function hasParts({ parts }: Message): boolean {
  return parts.length > 0
}
