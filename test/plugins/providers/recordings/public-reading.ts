import type { JsonObject } from '../../../../core/index.ts'
import { list, object, string } from '../oracle/json.ts'
import { Draft, type Reading } from '../oracle/reading.ts'
import type { Said } from './differences.ts'

// Reads the gateway's own public protocol, apart from the oracle's reading of the vendors' dialect of it,
// since the two protocols are alike and need not stay so.

/** A finished response object. */
export function readPublicResponse(response: JsonObject): Reading {
  const draft = new Draft()
  for (const item of list(response['output'])) readItem(object(item), draft)
  const usage = object(response['usage'])
  const inputDetails = object(usage['input_tokens_details'])
  if (response['usage'] !== null)
    draft.usage = {
      input: usage['input_tokens'] as number,
      cached: inputDetails['cached_tokens'] as number,
      cacheWrite: inputDetails['cache_write_tokens'] as number,
      output: usage['output_tokens'] as number,
      reasoning: object(usage['output_tokens_details'])['reasoning_tokens'] as number,
    }
  draft.finish = string(object(response['incomplete_details'])['reason']) || string(response['status'])
  const error = object(response['error'])
  if (response['status'] !== 'failed') return draft.reading()
  return draft.reading({ status: null, code: string(error['code']), message: string(error['message']), body: JSON.stringify(error) })
}

/** The same from nothing but the deltas of a stream; without usage, finish and error, which no delta carries. */
export function readPublicDeltas(events: readonly JsonObject[]): Said {
  const draft = new Draft()
  for (const event of events) {
    const delta = string(event['delta'])
    switch (event['type']) {
      case 'response.output_text.delta':
        draft.text += delta
        break
      case 'response.refusal.delta':
        draft.refusal += delta
        break
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        draft.reasoning += delta
        break
      case 'response.function_call_arguments.delta':
        draft.toolCalls.at(-1)!.arguments += delta
        break
      case 'response.output_text.annotation.added': {
        const annotation = object(event['annotation'])
        if (annotation['type'] === 'url_citation') draft.citations.push(string(annotation['url']))
        break
      }
      case 'response.output_item.added': {
        const item = object(event['item'])
        if (item['type'] === 'function_call') draft.toolCalls.push({ name: string(item['name']), arguments: '', custom: false })
        break
      }
      case 'response.output_item.done': {
        // Custom calls, searches and the like have no deltas in this protocol.
        const item = object(event['item'])
        if (!/^(message|reasoning|function_call)$/.test(string(item['type']))) readItem(item, draft)
        break
      }
    }
  }
  return draft.reading()
}

function readItem(item: JsonObject, draft: Draft): void {
  switch (item['type']) {
    case 'message':
      for (const part of list(item['content'])) {
        draft.text += string(object(part)['text'])
        draft.refusal += string(object(part)['refusal'])
        for (const annotation of list(object(part)['annotations']).map(object))
          if (annotation['type'] === 'url_citation') draft.citations.push(string(annotation['url']))
      }
      break
    case 'reasoning':
      for (const part of [...list(item['summary']), ...list(item['content'])]) draft.reasoning += string(object(part)['text'])
      break
    case 'function_call':
      draft.toolCalls.push({ name: string(item['name']), arguments: string(item['arguments']), custom: false })
      break
    case 'custom_tool_call':
      draft.toolCalls.push({ name: string(item['name']), arguments: string(item['input']), custom: true })
      break
    default:
      draft.sources.push(...list(object(item['action'])['sources']).map(source => string(object(source)['url'])))
      draft.others.push([string(item['type']), string(object(item['action'])['query'])].join(' ').trim())
  }
}
