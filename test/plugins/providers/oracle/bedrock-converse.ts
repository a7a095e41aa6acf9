import { count, list, object, string, type Json } from './json.ts'
import { Draft, type Reading, type UsageReading } from './reading.ts'

// Amazon Bedrock's Converse as its API reference describes it, in the objects of the vendor's SDK.

/** A whole reply. */
export function readConverse(body: unknown): Reading {
  const reply = object(body)
  const draft = new Draft()
  for (const block of list(object(object(reply['output'])['message'])['content'])) readBlock(object(block), draft)
  draft.usage = usageOf(object(reply['usage']))
  draft.finish = finishOf(reply['stopReason'])
  return draft.reading()
}

interface Pieces {
  start: Json
  text: string
  thought: string
  input: string
  readonly citations: unknown[]
}

/** The events of a stream: blocks are put together by their index, and then read as whole ones. */
export function readConverseEvents(events: readonly unknown[]): Reading {
  const draft = new Draft()
  const blocks = new Map<unknown, Pieces>()
  const piecesOf = (event: Json): Pieces => {
    const index = event['contentBlockIndex']
    if (!blocks.has(index)) blocks.set(index, { start: {}, text: '', thought: '', input: '', citations: [] })
    return blocks.get(index)!
  }
  for (const value of events) {
    const [name, payload] = Object.entries(object(value))[0] ?? []
    const event = object(payload)
    if (name === 'contentBlockStart') piecesOf(event).start = object(event['start'])
    else if (name === 'contentBlockDelta') addDelta(piecesOf(event), object(event['delta']))
    else if (name === 'messageStop') draft.finish = finishOf(event['stopReason'])
    else if (name === 'metadata') draft.usage = usageOf(object(event['usage']))
  }
  for (const { start, text, thought, input, citations } of blocks.values()) {
    if (thought) readBlock({ reasoningContent: { reasoningText: { text: thought } } }, draft)
    if (start['toolUse']) readBlock({ toolUse: { ...object(start['toolUse']), partial: input } }, draft)
    if (text || citations.length > 0) readBlock({ citationsContent: { content: [{ text }], citations } }, draft)
  }
  return draft.reading()
}

function addDelta(pieces: Pieces, delta: Json): void {
  pieces.text += string(delta['text'])
  pieces.thought += string(object(delta['reasoningContent'])['text'])
  pieces.input += string(object(delta['toolUse'])['input'])
  if (delta['citation']) pieces.citations.push(delta['citation'])
}

function readBlock(block: Json, draft: Draft): void {
  const { toolUse, citationsContent, reasoningContent } = block
  draft.text += string(block['text'])
  draft.reasoning += string(object(object(reasoningContent)['reasoningText'])['text'])
  for (const piece of list(object(citationsContent)['content'])) draft.text += string(object(piece)['text'])
  for (const citation of list(object(citationsContent)['citations']).map(object)) {
    const address = string(object(object(citation['location'])['web'])['url']) || string(citation['source'])
    if (/^https?:/.test(address)) draft.citations.push(address)
  }
  if (toolUse) readToolUse(object(toolUse), draft)
}

function readToolUse({ name, input, partial, type }: Json, draft: Draft): void {
  if (type !== 'server_tool_use')
    draft.toolCalls.push({ name: string(name), arguments: string(partial) || JSON.stringify(input ?? {}), custom: false })
  else if (name === 'nova_grounding') {
    const asked = partial ? (JSON.parse(string(partial)) as unknown) : input
    draft.others.push(`web_search_call ${string(object(asked)['query'])}`)
  }
}

/** `inputTokens` excludes tokens read from and written to the cache. */
function usageOf(usage: Json): UsageReading | null {
  const uncached = count(usage['inputTokens'])
  if (uncached === null) return null
  const cached = count(usage['cacheReadInputTokens'])
  const cacheWrite = count(usage['cacheWriteInputTokens'])
  return {
    input: uncached + (cached ?? 0) + (cacheWrite ?? 0),
    cached,
    cacheWrite,
    output: count(usage['outputTokens']) ?? 0,
    reasoning: null,
  }
}

function finishOf(reason: unknown): string | null {
  if (reason === 'end_turn' || reason === 'stop_sequence') return 'stop'
  if (reason === 'tool_use') return 'tool-calls'
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'length'
  if (reason === 'guardrail_intervened' || reason === 'content_filtered') return 'content-filter'
  return string(reason) || null
}
