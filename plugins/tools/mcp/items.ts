import { invalidRequest, isObject, type Item, type JsonObject } from '../../../core/index.ts'
import { readableOutput, wording } from '../../../core/kit.ts'
import { errorText, maxOutputLength } from './outcome.ts'

type Converted = readonly [call: Item, output: Item]

/**
 * The conversation as models read it: calls and their outputs. Lists of tools and approvals are not part of it. A call that the user
 * declined is included, and the model is told about it.
 */
export function withoutMcpItems(input: readonly Item[]): readonly Item[] {
  if (!input.some(({ type }) => type.startsWith('mcp_'))) return input
  const declined = new Map(
    (input as readonly JsonObject[]).flatMap(item =>
      item['type'] === 'mcp_approval_response' && item['approve'] === false ? [[item['approval_request_id'], textOf(item['reason'])]] : [],
    ),
  )
  const items: Item[] = []
  let waiting: Item[] = []
  for (const item of input) {
    if (!item.type.startsWith('mcp_')) {
      items.push(...waiting, item)
      waiting = []
      continue
    }
    const converted = convertedItem(item as JsonObject, declined)
    if (!converted) continue
    // Vendors expect the calls of one turn together, then their outputs.
    items.push(converted[0])
    waiting.push(converted[1])
  }
  items.push(...waiting)
  return items
}

function convertedItem(item: JsonObject, declined: ReadonlyMap<unknown, string>): Converted | undefined {
  const id = textOf(item['id'])
  if (item['type'] === 'mcp_call') {
    const output = errorText(item['error']) ?? textOf(item['output'])
    return pair(item, id, readableOutput(textOf(item['name']), output, maxOutputLength))
  }
  if (item['type'] !== 'mcp_approval_request' || !declined.has(id)) return undefined
  const reason = declined.get(id)
  return pair(item, id, reason ? `The user declined this call: ${reason}` : 'The user declined this call.')
}

function pair(item: JsonObject, id: string, output: string): Converted {
  const call_id = `call_${id}`.slice(0, 64)
  const name = functionNameOf(textOf(item['server_label']), textOf(item['name']))
  return [
    { type: 'function_call', call_id, name, arguments: textOf(item['arguments']) || '{}' },
    { type: 'function_call_output', call_id, output },
  ] as unknown as Converted
}

/** Throws a 400 for an approval of nothing: its caller would wait for a call that never runs. */
export function checkApprovals(input: readonly Item[]): void {
  const items = input as readonly JsonObject[]
  const answers = items.filter(({ type }) => type === 'mcp_approval_response')
  if (answers.length === 0) return
  const asked = new Set(items.flatMap(({ type, id }) => (type === 'mcp_approval_request' ? [id] : [])))
  const odd = answers.find(({ approval_request_id: id }) => !asked.has(id))
  if (odd)
    throw invalidRequest(
      wording`No mcp_approval_request has the id "${textOf(odd['approval_request_id']).slice(0, 64)}". Send the whole conversation with it, or chain with previous_response_id.`,
      'input',
    )
}

/** The arguments of an approved call, as an object. */
export function argumentsIn(text: unknown): JsonObject {
  try {
    const parsed: unknown = JSON.parse(textOf(text))
    return isObject(parsed) ? parsed : {}
  } catch {
    return {}
  }
}

/**
 * Function names are short and use few characters, which all vendors accept. A name that this changes gets a hash, and so does one that
 * another label and tool would have, too: no two tools share a function.
 */
export function functionNameOf(label: string, tool: string): string {
  const raw = `mcp__${label}__${tool}`
  const name = raw.replaceAll(/[^a-zA-Z0-9_-]/g, '_')
  const isPlain = name === raw && name.length <= 64 && !/__|_$/.test(label) && !tool.startsWith('_')
  return isPlain ? name : `${name.slice(0, 55)}_${hashOf(JSON.stringify([label, tool]))}`
}

function hashOf(text: string): string {
  let hash = 0
  for (const character of text) hash = (Math.imul(hash, 31) + character.codePointAt(0)!) | 0
  return (hash >>> 0).toString(16).padStart(8, '0')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
