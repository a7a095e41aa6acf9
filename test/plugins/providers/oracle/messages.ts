import { count, list, object, string, type Json } from './json.ts'
import { Draft, type Reading, type UsageReading } from './reading.ts'

// Anthropic's Messages API, as its documents describe it.

/** A whole reply: a message object. */
export function readMessage(body: unknown): Reading {
  const message = object(body)
  const draft = new Draft()
  const searches = new Set<unknown>()
  for (const block of list(message['content'])) readBlock(object(block), draft, searches)
  draft.usage = usageOf(object(message['usage']))
  draft.finish = finishOf(message['stop_reason'])
  return draft.reading()
}

/** The events of a stream. Counts in `message_delta` are running totals, which replace those of `message_start`. */
export function readMessageEvents(events: readonly unknown[]): Reading {
  const draft = new Draft()
  const blocks = new Map<unknown, { block: Json; text: string; thinking: string; input: string; citations: unknown[] }>()
  const searches = new Set<unknown>()
  let usage: Json = {}
  for (const value of events) {
    const event = object(value)
    if (event['type'] === 'message_start') {
      const message = object(event['message'])
      usage = object(message['usage'])
      // With tools that are called by code, the finished calls stand here and no blocks follow.
      for (const block of list(message['content'])) readBlock(object(block), draft, searches)
      draft.finish = finishOf(message['stop_reason'])
    } else if (event['type'] === 'content_block_start') {
      const block = object(event['content_block'])
      blocks.set(event['index'], { block, text: string(block['text']), thinking: string(block['thinking']), input: '', citations: [] })
    } else if (event['type'] === 'content_block_delta') {
      const open = blocks.get(event['index'])
      const delta = object(event['delta'])
      if (!open) continue
      open.text += string(delta['text'])
      open.thinking += string(delta['thinking'])
      open.input += string(delta['partial_json'])
      if (delta['citation']) open.citations.push(delta['citation'])
    } else if (event['type'] === 'message_delta') {
      draft.finish = finishOf(object(event['delta'])['stop_reason']) ?? draft.finish
      usage = { ...usage, ...Object.fromEntries(Object.entries(object(event['usage'])).filter(([, total]) => total !== null)) }
    }
  }
  for (const { block, text, thinking, input, citations } of blocks.values())
    readBlock({ ...block, text, thinking, citations, ...(input && { partial: input }) }, draft, searches)
  draft.usage = usageOf(usage)
  return draft.reading()
}

function readBlock(block: Json, draft: Draft, searches: Set<unknown>): void {
  if (block['type'] === 'text') {
    draft.text += string(block['text'])
    for (const citation of list(block['citations']).map(object)) if (citation['url']) draft.citations.push(string(citation['url']))
  } else if (block['type'] === 'server_tool_use' && block['name'] === 'web_search') {
    searches.add(block['id'])
    const input = block['partial'] ? (JSON.parse(string(block['partial'])) as unknown) : block['input']
    draft.others.push(`web_search_call ${string(object(input)['query'])}`)
  } else if (block['type'] === 'web_search_tool_result') {
    // After a pause the result comes in a later reply than the search.
    if (!searches.has(block['tool_use_id'])) draft.others.push('web_search_call')
    for (const result of list(block['content'])) draft.sources.push(string(object(result)['url']))
  } else if (block['type'] === 'compaction') draft.others.push('compaction')
  else if (block['type'] === 'thinking') draft.reasoning += string(block['thinking'])
  else if (block['type'] === 'tool_use')
    draft.toolCalls.push({
      name: string(block['name']),
      arguments: string(block['partial']) || JSON.stringify(block['input'] ?? {}),
      custom: false,
    })
}

/** Compaction is billed without being part of the totals: the documents have its iterations added up with those of the message. */
function usageOf(usage: Json): UsageReading | null {
  const iterations = list(usage['iterations']).map(object)
  if (!iterations.some(({ type }) => type === 'compaction')) return countsOf(usage)
  const billed = iterations.filter(({ type }) => type === 'compaction' || type === 'message').map(countsOf)
  const total = (member: keyof UsageReading): number => billed.reduce((sum, counts) => sum + (counts?.[member] ?? 0), 0)
  return {
    input: total('input'),
    cached: total('cached'),
    cacheWrite: total('cacheWrite'),
    output: total('output'),
    reasoning: total('reasoning'),
  }
}

/** `input_tokens` excludes tokens read from and written to the cache. */
function countsOf(usage: Json): UsageReading | null {
  const uncached = count(usage['input_tokens'])
  if (uncached === null) return null
  const cached = count(usage['cache_read_input_tokens'])
  const cacheWrite = count(usage['cache_creation_input_tokens'])
  return {
    input: uncached + (cached ?? 0) + (cacheWrite ?? 0),
    cached,
    cacheWrite,
    output: count(usage['output_tokens']) ?? 0,
    reasoning: count(object(usage['output_tokens_details'])['thinking_tokens']),
  }
}

function finishOf(reason: unknown): string | null {
  if (reason === 'end_turn' || reason === 'stop_sequence') return 'stop'
  if (reason === 'tool_use') return 'tool-calls'
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'length'
  if (reason === 'refusal') return 'content-filter'
  if (reason === 'pause_turn') return 'pause'
  return string(reason) || null
}
