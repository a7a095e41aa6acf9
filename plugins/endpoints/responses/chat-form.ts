import { invalidRequest, isObject, type JsonObject, type Warning } from '../../../core/index.ts'

// What is written for the Chat Completions protocol and sent here: a newcomer's most common mistake.

/** Top-level members, and what does the same here. */
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

/** No provider gets such members, and the caller is told. */
export function chatMemberWarnings(sent: JsonObject): readonly Warning[] {
  return Object.keys(sent)
    .filter(param => sent[param] !== defaults[param])
    .map(param => ({ param, message: `ignored, it belongs to the Chat Completions API: ${members[param]}` }))
}

/** Throws the 400 that says what is expected here, for what the schema could only call incomplete. */
export function checkChatForms({ input, messages, tools, tool_choice: choice }: JsonObject): void {
  if (input === undefined && Array.isArray(messages))
    throw missing('input', 'messages belongs to the Chat Completions API: send the list as input')
  if (Array.isArray(tools)) for (const [index, tool] of tools.entries()) checkFunction(tool, `tools[${index}]`)
  checkFunction(choice, 'tool_choice')
}

/** `{type: 'function', function: {name, …}}` */
function checkFunction(value: unknown, path: string): void {
  if (!isObject(value) || value['type'] !== 'function' || value['name'] !== undefined || !isObject(value['function'])) return
  const expected = path === 'tool_choice' ? '{"type":"function","name":"…"}' : '{"type":"function","name":"…","parameters":{…}}'
  throw missing(`${path}.name`, `function.name is the form of the Chat Completions API. Expected ${expected}, without "function" around it`)
}

function missing(param: string, problem: string) {
  return invalidRequest(`Missing required parameter: '${param}'. ${problem}.`, param, 'missing_required_parameter')
}
