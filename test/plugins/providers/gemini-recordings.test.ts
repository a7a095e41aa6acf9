import t from 'tap'
import type { GenerationEvent, Item, JsonObject } from '../../../core/index.ts'
import type { UpstreamRequestBody } from '../../../core/kit.ts'
import { providerCall, replay } from '../../../core/testing/index.ts'
import { geminiAdapter } from '../../../plugins/providers/gemini/adapter.ts'
import { list, object, string, type Json } from './oracle/json.ts'
import { plainSse } from './oracle/plain-sse.ts'
import { recordedReply, recordings, recordingsAbsent, type Recording } from '../../kit/recordings.ts'

const adapter = geminiAdapter({ modelUrl: () => 'https://api.example.com/v1beta/models/any' })
const question = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] } as const

/** The responses of every recorded answer that is in server-sent events or whole. */
function answers(): readonly { readonly recording: Recording; readonly responses: readonly Json[]; readonly body: Buffer }[] {
  return recordings()
    .filter(({ api, status }) => api === 'generateContent' && status === 200)
    .flatMap(recording => {
      const reply = recordedReply(recording)
      if (!reply || recording.response_file === 'stream.json') return []
      const responses = recording.mode === 'stream' ? plainSse(reply.body) : [JSON.parse(reply.body.toString()) as unknown]
      return [{ recording, responses: responses.map(object), body: reply.body }]
    })
}

async function eventsOf({ model, mode }: Recording, body: Buffer): Promise<readonly GenerationEvent[]> {
  const call = providerCall({ model: model || 'any', stream: mode === 'stream', input: [question] })
  return (await replay(adapter, call, { pieces: [body] })).events
}

t.test('signed parts return signed, in place and byte for byte', { skip: recordingsAbsent }, async t => {
  let signatures = 0
  for (const { recording, responses, body } of answers()) {
    const said = joined(partsIn(responses))
    // Calls whose arguments come in pieces are no parts that could go back.
    if (!said.some(part => part['thoughtSignature']) || recording.behaviours.includes('streamed_args')) continue
    const input: UpstreamRequestBody['input'] = [question, ...itemsOf(await eventsOf(recording, body)), question]
    const { contents } = JSON.parse(String(adapter.prepare(providerCall({ model: recording.model, input })).body)) as {
      readonly contents: readonly Json[]
    }
    const sent = contents.filter(({ role }) => role === 'model').flatMap(content => list(content['parts']).map(object))
    t.strictSame(joined(sent).map(withoutId), said.map(withoutId), recording.path)
    signatures += said.filter(part => part['thoughtSignature']).length
  }
  t.comment(`${signatures} signatures`)
  t.ok(signatures > 0)
})

t.test('citations stand where the segment that the vendor quotes stands', { skip: recordingsAbsent }, async t => {
  let citations = 0
  for (const { recording, responses, body } of answers()) {
    const grounding = responses.map(response => object(object(list(response['candidates'])[0])['groundingMetadata']))
    const segments = new Set(
      grounding.flatMap(each => list(each['groundingSupports'])).map(support => string(object(object(support)['segment'])['text'])),
    )
    if (segments.size === 0) continue
    const events = await eventsOf(recording, body)
    const text = events.map(event => (event.type === 'text' ? event.text : '')).join('')
    for (const event of events) {
      if (event.type !== 'annotation') continue
      const cited = text.slice(event.start, event.end)
      if (!segments.has(cited)) t.fail(`${recording.path}: ${JSON.stringify(cited)} is no segment`)
      citations += 1
    }
  }
  t.comment(`${citations} citations`)
  t.ok(citations > 0)
})

/** The parts that belong to a conversation: the vendor's own tools and its summaries of thoughts do not. */
function partsIn(responses: readonly Json[]): readonly Json[] {
  return responses
    .flatMap(response => list(object(object(list(response['candidates'])[0])['content'])['parts']).map(object))
    .filter(part => (part['thought'] ? part['thoughtSignature'] : part['functionCall'] || part['thoughtSignature'] || part['text']))
    .filter(part => !part['executableCode'] && !part['inlineData'] && !part['codeExecutionResult'])
}

/** A text that came in pieces is one; a signature on a later piece stands behind it. */
function joined(parts: readonly Json[]): readonly Json[] {
  const result: Record<string, unknown>[] = []
  for (const part of parts) {
    const last = result.at(-1)
    const continues = part['text'] && !part['thought'] && typeof last?.['text'] === 'string' && !last['thoughtSignature']
    if (!continues) result.push({ ...part })
    else {
      last['text'] += string(part['text'])
      if (part['thoughtSignature']) result.push({ text: '', thoughtSignature: part['thoughtSignature'] })
    }
  }
  return result
}

/** Calls without an id get one here. */
function withoutId(part: Json): JsonObject {
  const { id: _, args = {}, ...call } = object(part['functionCall'])
  return part['functionCall'] ? { ...part, functionCall: { ...call, args } } : part
}

/** The items that a client would see, as it sends them back. */
function itemsOf(events: readonly GenerationEvent[]): readonly Item[] {
  const items: Record<string, unknown>[] = []
  let text = ''
  const close = (): void => {
    if (text) items.push({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })
    text = ''
  }
  for (const event of events) {
    if (event.type === 'text') text += event.text
    else if (event.type === 'reasoning-state') {
      close()
      items.push({ type: 'reasoning', summary: [], encrypted_content: event.opaque })
    } else if (event.type === 'tool-call') {
      close()
      items.push({ type: 'function_call', call_id: event.callId ?? event.key, name: event.name, arguments: '' })
    } else if (event.type === 'tool-input') items.at(-1)!['arguments'] += event.text
  }
  close()
  return items as unknown as readonly Item[]
}
