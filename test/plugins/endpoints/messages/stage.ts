import t from 'tap'
import type { JsonObject } from '../../../../core/index.ts'
import type { TestGateway } from '../../../../core/testing/index.ts'

export interface MessageReply {
  readonly status: number
  readonly headers: Headers
  /** The message, or the error. Of a stream, what its events add up to. */
  readonly body: JsonObject & { readonly content: readonly JsonObject[]; readonly usage: JsonObject; readonly error: JsonObject }
  /** Of a stream, without pings. */
  readonly events: readonly JsonObject[]
}

export const hi = { max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] }

/** `POST /v1/messages`. A stream that breaks the grammar fails the test. */
export async function askMessages(
  under: TestGateway,
  body: object,
  headers?: Readonly<Record<string, string>>,
  path = '/v1/messages',
): Promise<MessageReply> {
  const reply = await under.request(path, { body: path === '/v1/messages' ? { ...hi, ...body } : body, ...(headers && { headers }) })
  const text = await reply.text()
  const isStream = reply.headers.get('content-type') === 'text/event-stream'
  const events = isStream ? eventsIn(text) : []
  const read = isStream ? folded(events) : (JSON.parse(text) as JsonObject)
  return {
    status: reply.status,
    headers: reply.headers,
    body: read as MessageReply['body'],
    events: events.filter(({ type }) => type !== 'ping'),
  }
}

export function eventsIn(text: string): readonly JsonObject[] {
  return text
    .split('\n\n')
    .filter(frame => frame !== '' && !frame.startsWith(':'))
    .map(frame => {
      const [, type, data] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? []
      const event = JSON.parse(data!) as JsonObject
      t.equal(event['type'], type, 'the frame has the name of its event')
      return event
    })
}

/** Follows the grammar of the events, and adds them up to a message. */
export function folded(events: readonly JsonObject[]): JsonObject {
  let message: Record<string, unknown> = {}
  const content: Record<string, unknown>[] = []
  let open: Record<string, unknown> | undefined
  let json = ''
  let state: 'none' | 'begun' | 'told' | 'over' = 'none'
  for (const event of events) {
    const { type, index } = event
    t.not(state, 'over', 'nothing follows the end')
    if (type === 'ping') continue
    if (type === 'error') {
      state = 'over'
      message = { ...message, error: event['error'], request_id: event['request_id'] }
    } else if (type === 'message_start') {
      t.equal(state, 'none')
      state = 'begun'
      message = { ...(event['message'] as JsonObject) }
    } else if (type === 'content_block_start') {
      t.same([state, open, index], ['begun', undefined, content.length], 'one block after the other')
      open = { ...(event['content_block'] as JsonObject) }
      json = ''
      content.push(open)
    } else if (type === 'content_block_delta') {
      t.ok(open)
      t.equal(index, content.length - 1)
      json += grow(open!, event['delta'] as JsonObject)
    } else if (type === 'content_block_stop') {
      t.ok(open)
      if (json !== '') open!['input'] = parsed(json)
      open = undefined
    } else if (type === 'message_delta') {
      t.same([state, open], ['begun', undefined])
      state = 'told'
      const { type: _type, delta, usage, ...beside } = event
      message = { ...message, ...(delta as JsonObject), ...beside, usage }
    } else {
      t.same([type, state], ['message_stop', 'told'])
      state = 'over'
    }
  }
  t.equal(state, 'over', 'the stream has an end')
  return { ...message, content }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

/** Returns the piece of an input. */
function grow(block: Record<string, unknown>, delta: JsonObject): string {
  switch (delta['type']) {
    case 'text_delta':
      block['text'] = `${String(block['text'])}${String(delta['text'])}`
      return ''
    case 'thinking_delta':
      block['thinking'] = `${String(block['thinking'])}${String(delta['thinking'])}`
      return ''
    case 'signature_delta':
      block['signature'] = delta['signature']
      return ''
    case 'citations_delta':
      block['citations'] = [...((block['citations'] as unknown[] | undefined) ?? []), delta['citation']]
      return ''
    case 'compaction_delta':
      block['content'] = delta['content']
      return ''
    default:
      t.equal(delta['type'], 'input_json_delta')
      return String(delta['partial_json'])
  }
}
