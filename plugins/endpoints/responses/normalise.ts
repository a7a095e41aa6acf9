import { invalidRequest, isObject } from '../../../core/index.ts'
import { characters, maxTextLength, wording, own } from '../../../core/kit.ts'
import { emptyInput } from './missing-input.ts'

type Draft = Record<string, unknown>

/** The type of the web search tool, and the older types that clients still send. */
export const webSearchTypes = ['web_search', 'web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11'] as const
const webSearchNames: ReadonlySet<unknown> = new Set(webSearchTypes)

// The body was just parsed and is not shared, so it is changed in place.
// Nulls become undefined. Deleting them would slow down every later access to the object.

/** Turns `input` into a list of typed items whose content is a list of parts. */
export function normaliseInput(input: unknown): unknown {
  if (typeof input === 'string') {
    if (input === '') throw emptyInput('string')
    if (input.length > maxTextLength && characters(input) > maxTextLength)
      throw invalidRequest(wording`Invalid value for 'input': it must NOT have more than ${own(maxTextLength)} characters.`, 'input')
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }]
  }
  if (input === undefined) return input
  if (!Array.isArray(input)) {
    // The schema describes the canonical form, so it would ask for an array alone.
    const came = typeof input === 'object' ? 'an object' : `a ${typeof input}`
    throw invalidRequest(wording`Invalid type for 'input': expected a string or an array, but got ${came}.`, 'input', 'invalid_type')
  }
  for (const item of input) if (isObject(item)) normaliseItem(item)
  return input
}

export function normaliseTools(tools: unknown): unknown {
  if (!Array.isArray(tools)) return tools
  for (const tool of tools) {
    if (!isObject(tool)) continue
    withoutNulls(tool)
    normaliseToolType(tool)
    if (tool['type'] === 'web_search') for (const member of ['engine', 'filters', 'user_location']) withoutNulls(tool[member])
    else if (tool['type'] === 'custom') withoutNulls(tool['format'])
    else if (tool['type'] === 'namespace') normaliseTools(tool['tools'])
  }
  return tools
}

/** Replaces older tool types, and fills in the default mode of `allowed_tools`: docs/protocol/tools.md#choosing. */
export function normaliseToolChoice(choice: unknown): unknown {
  if (!isObject(choice)) return choice
  withoutNulls(choice)
  normaliseToolType(choice)
  if (Array.isArray(choice['tools'])) for (const tool of choice['tools']) if (isObject(tool)) normaliseToolType(withoutNulls(tool))
  if (choice['type'] === 'allowed_tools') (choice as Draft)['mode'] ??= 'auto'
  return choice
}

/** Nulls in the schema of a format are part of it, so they stay. */
export function normaliseText(text: unknown): unknown {
  if (isObject(text)) withoutNulls(withoutNulls(text)['format'])
  return text
}

export function normaliseRouting(routing: unknown): unknown {
  if (isObject(routing)) for (const level of Object.values(withoutNulls(routing))) withoutNulls(level)
  return routing
}

export function normalisePrompt(prompt: unknown): unknown {
  if (isObject(prompt) && isObject(withoutNulls(prompt)['variables']))
    for (const variable of Object.values(prompt['variables'] as Draft)) normalisePart(variable)
  return prompt
}

/** Nulls count as absent: docs/protocol/README.md#conventions. */
export function withoutNulls<T>(value: T): T {
  if (isObject(value)) for (const name in value) if (value[name] === null) (value as Draft)[name] = undefined
  return value
}

function normaliseItem(item: Draft): void {
  withoutNulls(item)
  if (item['type'] === undefined) {
    if (item['role'] !== undefined) item['type'] = 'message'
    else if (item['id'] !== undefined) item['type'] = 'item_reference'
  }
  switch (item['type']) {
    case 'message': {
      const { content } = item
      if (typeof content === 'string')
        item['content'] = [item['role'] === 'assistant' ? { type: 'output_text', text: content } : { type: 'input_text', text: content }]
      else normaliseParts(content)
      return
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return normaliseParts(item['output'])
    case 'reasoning':
      normaliseParts(item['summary'])
      return normaliseParts(item['content'])
    case 'web_search_call':
      withoutNulls(item['action'])
  }
}

function normaliseParts(parts: unknown): void {
  if (Array.isArray(parts)) for (const part of parts) normalisePart(part)
}

function normalisePart(part: unknown): void {
  if (!isObject(part)) return
  withoutNulls(part)
  if (part['cache_control'] !== undefined) withoutNulls(part['cache_control'])
  if (part['prompt_cache_breakpoint'] !== undefined) withoutNulls(part['prompt_cache_breakpoint'])
}

function normaliseToolType(tool: Draft): void {
  const { type } = tool
  if (type === 'web_search' || !webSearchNames.has(type)) return
  tool['type'] = 'web_search'
  olderTypes.set(tool, type as string)
}

/** The types that callers sent for those that were replaced. */
const olderTypes = new WeakMap<object, string>()

/** A tool, or a choice of one, with the type that its caller sent. */
export function withSentType<T extends object>(tool: T): T {
  const type = olderTypes.get(tool)
  return type === undefined ? tool : { ...tool, type }
}
