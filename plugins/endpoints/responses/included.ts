import { invalidRequest, isObject, type JsonObject } from '../../../core/index.ts'
import { wording, own } from '../../../core/kit.ts'
import { includables, type Includable } from './request-body.ts'

export type Included = ReadonlySet<Includable>

const maxIncluded = 8

/** The values of `include[]=…&include[]=…` or `include=…` in a query. Throws a 400 for an unknown one. */
export function includedBy(query: URLSearchParams): Included {
  const asked = [...query.getAll('include[]'), ...query.getAll('include')]
  if (asked.length > maxIncluded)
    throw invalidRequest(wording`At most ${own(maxIncluded)} values may be included, but got ${own(asked.length)}.`, 'include')
  return new Set(asked.map(includable))
}

function includable(value: string, index: number): Includable {
  const known = includables.find(name => name === value)
  if (known) return known
  const allowed = includables.map(name => `'${name}'`).join(', ')
  throw invalidRequest(wording`Invalid value for 'include[${own(index)}]': expected one of ${own(allowed)}.`, `include[${index}]`)
}

/**
 * Removes the members of an item that `include` does not ask for: docs/protocol/request.md#include. The sources of a search always stay.
 */
export function shownItem(item: JsonObject, included: Included): JsonObject {
  switch (item['type']) {
    case 'message':
      return Array.isArray(item['content']) ? { ...item, content: item['content'].map(part => shownPart(part, included)) } : item
    case 'reasoning':
      return included.has('reasoning.encrypted_content') ? item : without(item, 'encrypted_content')
    case 'web_search_call':
      return included.has('web_search_call.results') ? item : without(item, 'results')
    case 'file_search_call':
      return included.has('file_search_call.results') ? item : without(item, 'results')
    case 'code_interpreter_call':
      return included.has('code_interpreter_call.outputs') ? item : without(item, 'outputs')
    case 'computer_call_output':
      if (included.has('computer_call_output.output.image_url') || !isObject(item['output'])) return item
      return { ...item, output: without(item['output'], 'image_url') }
    default:
      return item
  }
}

function shownPart(part: JsonObject, included: Included): JsonObject {
  if (part['type'] === 'input_image' && !included.has('message.input_image.image_url')) return without(part, 'image_url')
  if (part['type'] === 'output_text' && !included.has('message.output_text.logprobs')) return { ...part, logprobs: [] }
  return part
}

function without(object: JsonObject, member: string): JsonObject {
  const { [member]: _, ...rest } = object
  return rest
}
