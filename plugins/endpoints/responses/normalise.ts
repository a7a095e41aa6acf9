import { invalidRequest } from '../../../core/index.ts'

type Draft = Record<string, unknown>

/** Older names of the web search tool that clients still send. */
const webSearchAliases = new Set(['web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11'])

// The body has just been parsed and belongs to nobody else: it is changed in place.
// A null is set to undefined rather than deleted, which would slow every later access to the object.

/** `input` as a list of typed items with lists of parts. */
export function normaliseInput(input: unknown): unknown {
  if (typeof input === 'string') {
    if (input === '') throw invalidRequest('input must not be empty.', 'input')
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }]
  }
  if (Array.isArray(input)) for (const item of input) if (isObject(item)) normaliseItem(item)
  return input
}

export function normaliseTools(tools: unknown): unknown {
  if (!Array.isArray(tools)) return tools
  for (const tool of tools) {
    if (!isObject(tool)) continue
    withoutNulls(tool)
    if (webSearchAliases.has(tool['type'] as string)) tool['type'] = 'web_search'
    if (isObject(tool['filters'])) withoutNulls(tool['filters'])
    if (isObject(tool['user_location'])) withoutNulls(tool['user_location'])
    if (tool['type'] === 'namespace') normaliseTools(tool['tools'])
  }
  return tools
}

/** A choice of a tool by its older name, and the mode that an allowed list has where it says none: contract/responses.md §5. */
export function normaliseToolChoice(choice: unknown): unknown {
  if (!isObject(choice)) return choice
  withoutNulls(choice)
  for (const tool of [choice, ...(Array.isArray(choice['tools']) ? choice['tools'] : [])])
    if (isObject(tool) && webSearchAliases.has(tool['type'] as string)) tool['type'] = 'web_search'
  if (choice['type'] === 'allowed_tools') choice['mode'] ??= 'auto'
  return choice
}

export function normaliseFormat(text: unknown): unknown {
  withoutNulls(text)
  if (isObject(text)) withoutNulls(text['format'])
  return text
}

/** Nulls count as absent: spec.md, "Every other field is optional and nullable". */
export function withoutNulls(value: unknown): unknown {
  if (isObject(value)) for (const name in value) if (value[name] === null) value[name] = undefined
  return value
}

function normaliseItem(item: Draft): void {
  withoutNulls(item)
  if (item['type'] === undefined) {
    if (item['role'] !== undefined) item['type'] = 'message'
    else if (item['id'] !== undefined) item['type'] = 'item_reference'
  }
  if (item['type'] === 'message') {
    const { content } = item
    if (typeof content === 'string')
      item['content'] = [item['role'] === 'assistant' ? { type: 'output_text', text: content } : { type: 'input_text', text: content }]
    else if (Array.isArray(content)) for (const part of content) withoutNulls(part)
  } else if (Array.isArray(item['output'])) {
    for (const part of item['output']) withoutNulls(part)
  }
}

function isObject(value: unknown): value is Draft {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
