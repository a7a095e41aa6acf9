import { count, list, object, string, type Json } from './json.ts'
import { Draft, type Reading, type UsageReading } from './reading.ts'

/** A whole reply: a response object. */
export function readResponse(body: unknown): Reading {
  const response = object(body)
  const draft = new Draft()
  readItems(list(response['output']), draft)
  readEnd(response, draft)
  return failed(response, draft)
}

/**
 * The events of a stream. The terminal object is what counts; where it repeats no output, the finished items do,
 * and of items that never finished the pieces.
 */
export function readResponseEvents(events: readonly unknown[]): Reading {
  const draft = new Draft()
  const items = new Map<unknown, Json>()
  const pieces = new Pieces()
  let last: Json = {}
  for (const value of events) {
    const event = object(value)
    const type = string(event['type'])
    if (type === 'response.output_item.added') pieces.open(event)
    if (type === 'response.output_item.done') items.set(event['output_index'], object(event['item']))
    if (type.endsWith('.delta')) pieces.add(type, event)
    if (event['response']) last = object(event['response'])
  }
  const output = list(last['output'])
  if (output.length > 0) readItems(output, draft)
  else {
    readItems([...items.values()], draft)
    readItems(pieces.unfinished(items), draft)
  }
  readEnd(last, draft)
  return failed(last, draft)
}

function readItems(items: readonly unknown[], draft: Draft): void {
  for (const value of items) {
    const item = object(value)
    if (item['type'] === 'message')
      for (const part of list(item['content'])) {
        draft.text += string(object(part)['text'])
        draft.refusal += string(object(part)['refusal'])
        for (const annotation of list(object(part)['annotations']).map(object))
          if (annotation['type'] === 'url_citation') draft.citations.push(string(annotation['url']))
      }
    else if (item['type'] === 'reasoning')
      for (const part of [...list(item['summary']), ...list(item['content'])]) draft.reasoning += string(object(part)['text'])
    else if (item['type'] === 'function_call')
      draft.toolCalls.push({ name: string(item['name']), arguments: string(item['arguments']), custom: false })
    else if (item['type'] === 'custom_tool_call')
      draft.toolCalls.push({ name: string(item['name']), arguments: string(item['input']), custom: true })
    else {
      draft.others.push(`${string(item['type'])} ${queryOf(item)}`.trim())
      draft.sources.push(...list(object(item['action'])['sources']).map(source => string(object(source)['url'])))
    }
  }
}

/** Several queries may go out at once; the first stands for all. xAI has also said it as the arguments of a call. */
function queryOf(item: Json): string {
  const action = object(item['action'])
  const said = string(action['query']) || string(list(action['queries'])[0])
  return (
    said || (item['type'] === 'web_search_call' && item['arguments'] ? string(object(JSON.parse(string(item['arguments'])))['query']) : '')
  )
}

function readEnd(response: Json, draft: Draft): void {
  draft.usage = usageOf(response['usage'])
  const status = string(response['status'])
  const reason = string(object(response['incomplete_details'])['reason'])
  if (status === 'completed') draft.finish = draft.toolCalls.length > 0 ? 'tool-calls' : 'stop'
  else if (status === 'incomplete')
    draft.finish = reason === 'content_filter' ? 'content-filter' : reason === 'max_output_tokens' ? 'length' : reason
  else if (status === 'queued' || status === 'in_progress') draft.finish = null
  else draft.finish = status || null
}

function failed(response: Json, draft: Draft): Reading {
  const error = object(response['error'])
  if (response['status'] !== 'failed' && !error['message']) return draft.reading()
  return draft.reading({
    status: null,
    code: string(error['code']) || null,
    message: string(error['message']),
    body: JSON.stringify(error),
  })
}

function usageOf(value: unknown): UsageReading | null {
  const usage = object(value)
  const input = count(usage['input_tokens'])
  if (input === null) return null
  const details = object(usage['input_tokens_details'])
  return {
    input,
    cached: count(details['cached_tokens']),
    cacheWrite: count(details['cache_write_tokens']),
    output: count(usage['output_tokens']) ?? 0,
    reasoning: count(object(usage['output_tokens_details'])['reasoning_tokens']),
  }
}

/** The deltas of each item, shaped as the item would have been. */
class Pieces {
  readonly #items = new Map<unknown, { item: Json; text: string; refusal: string; reasoning: string; input: string }>()

  open(event: Json): void {
    this.#items.set(event['output_index'], { item: object(event['item']), text: '', refusal: '', reasoning: '', input: '' })
  }

  add(type: string, event: Json): void {
    const open = this.#items.get(event['output_index'])
    if (!open) return
    const delta = string(event['delta'])
    if (type === 'response.output_text.delta') open.text += delta
    else if (type === 'response.refusal.delta') open.refusal += delta
    else if (type.startsWith('response.reasoning')) open.reasoning += delta
    else if (type === 'response.function_call_arguments.delta' || type === 'response.custom_tool_call_input.delta') open.input += delta
  }

  unfinished(finished: ReadonlyMap<unknown, Json>): readonly Json[] {
    return Array.from(this.#items)
      .filter(([index]) => !finished.has(index))
      .map(([, { item, text, refusal, reasoning, input }]) => ({
        ...item,
        content: item['type'] === 'reasoning' ? [{ text: reasoning }] : [{ text }, { refusal }],
        summary: [],
        arguments: input,
        input,
      }))
  }
}
