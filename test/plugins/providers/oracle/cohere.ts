import { count, list, object, string, type Json } from './json.ts'
import { plainSse } from './plain-sse.ts'
import { Draft, type ErrorReading, type Reading, type UsageReading } from './reading.ts'

// Cohere's Chat of version 2 as its published schema describes it. No SDK of the vendor's is at hand: the bytes are read here.

export function readCohere(status: number, body: Uint8Array, stream: boolean): Reading {
  const draft = new Draft()
  if (!stream || status >= 400) {
    const whole = object(JSON.parse(Buffer.from(body).toString('utf8')))
    return draft.reading(status >= 400 ? errorOf(whole, status) : readMessage(whole, object(whole['message']), draft))
  }
  const events = plainSse(body).map(object)
  const said = events.map(event => ({ type: event['type'], message: object(object(event['delta'])['message']) }))
  const ofType = (type: string): readonly Json[] => said.filter(each => each.type === type).map(({ message }) => message)
  const message = {
    content: [...ofType('content-start'), ...ofType('content-delta')].map(({ content }) => content),
    tool_plan: ofType('tool-plan-delta')
      .map(({ tool_plan: plan }) => plan)
      .join(''),
    tool_calls: callsIn(events),
    citations: ofType('citation-start').map(({ citations }) => citations),
  }
  return draft.reading(readMessage(object(events.findLast(({ type }) => type === 'message-end')?.['delta']), message, draft))
}

/** Returns the error by which a message ended. */
function readMessage(end: Json, message: Json, draft: Draft): ErrorReading | null {
  for (const part of list(message['content']).map(object)) {
    draft.reasoning += string(part['thinking'])
    draft.text += string(part['text'])
  }
  draft.text += string(message['tool_plan'])
  for (const call of list(message['tool_calls']).map(each => object(object(each)['function'])))
    draft.toolCalls.push({ name: string(call['name']), arguments: string(call['arguments']), custom: false })
  for (const source of list(message['citations']).flatMap(citation => list(object(citation)['sources']))) {
    const url = string(object(object(source)['tool_output'])['url'])
    if (url) draft.citations.push(url)
  }
  draft.usage = usageOf(object(end['usage']))
  const reason = string(end['finish_reason'])
  if (reason === 'ERROR') return errorOf(end, null)
  draft.finish = reasons[reason] ?? null
  return null
}

const reasons: Readonly<Record<string, string>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool-calls',
}

/** Calls begin in order, and what follows a beginning until the next one is its arguments. */
function callsIn(events: readonly Json[]): readonly Json[] {
  const calls: { function: { name: unknown; arguments: string } }[] = []
  for (const event of events) {
    const called = object(object(object(object(event['delta'])['message'])['tool_calls'])['function'])
    if (event['type'] === 'tool-call-start') calls.push({ function: { name: called['name'], arguments: '' } })
    if (calls.length > 0) calls.at(-1)!.function.arguments += string(called['arguments'])
  }
  return calls
}

/** The billed tokens. Unbilled tokens count as cached first, so only the remaining cached tokens are listed. */
function usageOf(usage: Json): UsageReading | null {
  const billed = object(usage['billed_units'])
  const read = object(usage['tokens'])
  const input = count(billed['input_tokens'])
  const output = count(billed['output_tokens'])
  if (input === null || output === null) return null
  const unbilled = (count(read['input_tokens']) ?? 0) + (count(read['image_tokens']) ?? 0) - input
  const cached = Math.max(0, (count(usage['cached_tokens']) ?? 0) - unbilled)
  return { input, cached, cacheWrite: null, output, reasoning: count(read['reasoning_tokens']) }
}

function errorOf(body: Json, status: number | null): ErrorReading {
  const message = string(body['message']) || string(body['error'])
  return { status, code: string(body['error_type']) || null, message, body: JSON.stringify(body) }
}
