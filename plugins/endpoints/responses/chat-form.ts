import { invalidRequest, isObject, type GatewayError, type JsonObject } from '../../../core/index.ts'
import { type Warning, wording, own } from '../../../core/kit.ts'

// Requests in the form of the Chat Completions API: the most common mistake of newcomers.

/** Top-level members of that API, and what to use here. */
const members: Readonly<Record<string, string>> = {
  messages: 'use input',
  system: 'use instructions',
  max_tokens: 'use max_output_tokens',
  max_completion_tokens: 'use max_output_tokens',
  response_format: 'use text.format',
  reasoning_effort: 'use reasoning.effort',
  verbosity: 'use text.verbosity',
  functions: 'use tools',
  function_call: 'use tool_choice',
  logprobs: 'use include with message.output_text.logprobs',
  n: 'each request has one answer',
  stop: 'it has no counterpart',
}

export function isChatMember(name: string): boolean {
  return Object.hasOwn(members, name)
}

const defaults: JsonObject = { n: 1, logprobs: false }

/** Such members never reach a provider, so each gets a warning. */
export function chatMemberWarnings(sent: JsonObject): readonly Warning[] {
  return Object.keys(sent)
    .filter(param => sent[param] !== defaults[param])
    .map(param => ({ param, message: `ignored, it belongs to the Chat Completions API: ${members[param]}` }))
}

/**
 * The 400 for a request that the schema refused, if it is in chat form: it says what to write instead. Undefined for any other request.
 * Called only after a refusal, so that requests in the right form pay nothing.
 */
export function chatFormRefusal({ input, messages, text, tools, tool_choice: choice }: JsonObject): GatewayError | undefined {
  if (input === undefined && Array.isArray(messages))
    return missing('input', 'messages belongs to the Chat Completions API: send the list as input')
  return (
    first(input, (item, index) => itemRefusal(item, `input[${index}]`)) ??
    first(tools, (tool, index) => functionRefusal(tool, `tools[${index}]`)) ??
    functionRefusal(choice, 'tool_choice') ??
    formatRefusal(text)
  )
}

function itemRefusal(item: JsonObject, path: string): GatewayError | undefined {
  const { type, role, content } = item
  if (type === undefined) return content === undefined ? undefined : missing(`${path}.role`, 'A message needs a role, such as "user"')
  if (type !== 'message') return undefined
  if (role === 'tool' || role === 'function')
    return chatForm(`${path}.role`, `the role "${role}"`, '{"type":"function_call_output","call_id":"…","output":"…"}')
  if (content === undefined && Array.isArray(item['tool_calls']))
    return chatForm(
      `${path}.tool_calls`,
      'tool_calls',
      'an item {"type":"function_call","call_id":"…","name":"…","arguments":"…"} for each call',
    )
  return first(content, (part, index) => partRefusal(part, `${path}.content[${index}]`, role === 'assistant'))
}

function partRefusal({ type, image_url: image }: JsonObject, path: string, isAnswer: boolean): GatewayError | undefined {
  if (type === 'text') return chatForm(`${path}.type`, '"text"', isAnswer ? '"output_text"' : '"input_text"')
  if (type === 'image_url' || (type === 'input_image' && isObject(image)))
    return chatForm(path, 'an image_url object', '{"type":"input_image","image_url":"https://…"}')
  return type === 'file' ? chatForm(`${path}.type`, '"file"', '"input_file", with file_data or file_url') : undefined
}

/** `{type: 'function', function: {name, …}}` */
function functionRefusal(value: unknown, path: string): GatewayError | undefined {
  if (!isObject(value) || value['type'] !== 'function' || value['name'] !== undefined || !isObject(value['function'])) return undefined
  const expected = path === 'tool_choice' ? '{"type":"function","name":"…"}' : '{"type":"function","name":"…","parameters":{…}}'
  return missing(
    `${path}.name`,
    `function.name is the form of the Chat Completions API. Expected ${expected}, without "function" around it`,
  )
}

/** `{format: {type: 'json_schema', json_schema: {name, schema}}}` */
function formatRefusal(text: unknown): GatewayError | undefined {
  const format = isObject(text) ? text['format'] : undefined
  if (!isObject(format) || format['type'] !== 'json_schema' || !isObject(format['json_schema'])) return undefined
  return chatForm('text.format.json_schema', 'a json_schema object', '{"type":"json_schema","name":"…","schema":{…}}')
}

/** The refusal of the first object in a list that has one. */
function first(list: unknown, refusal: (value: JsonObject, index: number) => GatewayError | undefined): GatewayError | undefined {
  if (!Array.isArray(list)) return undefined
  for (const [index, value] of list.entries()) {
    const found = isObject(value) ? refusal(value, index) : undefined
    if (found) return found
  }
  return undefined
}

function chatForm(param: string, sent: string, expected: string): GatewayError {
  return invalidRequest(
    wording`Invalid value for '${own(param)}': ${own(sent)} belongs to the Chat Completions API. Use ${own(expected)}.`,
    param,
  )
}

function missing(param: string, problem: string): GatewayError {
  return invalidRequest(wording`Missing required parameter: '${own(param)}'. ${own(problem)}.`, param, 'missing_required_parameter')
}
