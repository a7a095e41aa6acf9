import { list, object, string } from '../oracle/json.ts'
import { plainSse } from '../oracle/plain-sse.ts'
import type { Reading } from '../oracle/reading.ts'
import { recordedReply, recordings, type RecordedReply, type Recording } from '../../../kit/recordings.ts'

/** The vendor's answer when it was asked to continue after a pause: the recorded next turn, or an end that finishes the open search. */
export function continuationOf(recording: Recording, paused: RecordedReply): RecordedReply {
  const { group, interaction, mode } = recording
  const next = recordings().find(each => each.group === group && each.interaction === interaction + 1 && each.mode === mode)
  return (next && recordedReply(next)) ?? plainEnd(recording, paused)
}

/** Both turns as the one answer that they are. The second begins with the result of the search at which the first paused. */
export function joinAfterPause<R extends Reading>(first: R, second: R): R {
  const sum = (member: 'input' | 'cached' | 'cacheWrite' | 'output' | 'reasoning'): number =>
    (first.usage?.[member] ?? 0) + (second.usage?.[member] ?? 0)
  return {
    ...first,
    text: first.text + second.text,
    reasoning: first.reasoning + second.reasoning,
    toolCalls: [...first.toolCalls, ...second.toolCalls],
    citations: [...first.citations, ...second.citations],
    sources: [...first.sources, ...second.sources],
    others: [...first.others, ...second.others.slice(1)],
    usage: {
      input: sum('input'),
      cached: sum('cached'),
      cacheWrite: sum('cacheWrite'),
      output: sum('output'),
      reasoning: sum('reasoning'),
    },
    finish: second.finish,
  }
}

function plainEnd({ mode, model }: Recording, paused: RecordedReply): RecordedReply {
  const search =
    mode === 'stream'
      ? plainSse(paused.body).map(event => object(event)['content_block'])
      : list(object(JSON.parse(paused.body.toString()))['content'])
  const pending = search.map(object).findLast(block => block['type'] === 'server_tool_use')
  const result = { type: 'web_search_tool_result', tool_use_id: string(pending?.['id']), content: [] }
  const usage = { input_tokens: 0, output_tokens: 0 }
  const message = { id: 'msg_demo', type: 'message', role: 'assistant', model, stop_sequence: null, usage }
  if (mode !== 'stream') {
    const body = JSON.stringify({ ...message, content: [result], stop_reason: 'end_turn' })
    return { body: Buffer.from(body), headers: { 'content-type': 'application/json' }, pieces: undefined }
  }
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: result },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
  const body = events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  return { body: Buffer.from(body), headers: { 'content-type': 'text/event-stream' }, pieces: undefined }
}
