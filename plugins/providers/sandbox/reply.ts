import { isObject, type GenerationEvent } from '../../../core/index.ts'
import { membersOf, type FunctionTool, type LogProb, type UpstreamRequestBody } from '../../../core/kit.ts'
import { callsIn, callsOfTurn, lastText, quotedOutputs } from './conversation.ts'
import { matchingText, schemaValue } from './schema-value.ts'
import type { CallableTool } from './tool-choice.ts'

/** Cuts a text into pieces of a few words. */
export function pieces(text: string): readonly string[] {
  if (text === '') return []
  return (text.trim() && text.match(/(?:\s*\S{1,24}){1,3}\s*/gu)) || [text]
}

/** The text in the requested format. If tools were called, quotes their outputs instead. */
async function answer(request: UpstreamRequestBody, text: string): Promise<string> {
  const said = quotedOutputs(request.input) ?? text
  const format = request.text?.format
  if (format?.type === 'json_schema') return JSON.stringify(await schemaValue(format.schema))
  return format?.type === 'json_object' ? JSON.stringify({ text: said }) : said
}

/** A whole text answer. A text in pieces keeps them, unless the answer is a different text. */
export async function speak(request: UpstreamRequestBody, text: string | readonly string[]): Promise<readonly GenerationEvent[]> {
  const plain = typeof text === 'string' ? text : text.join('')
  const said = await answer(request, plain)
  const cut = said === plain && typeof text !== 'string' ? text : pieces(said)
  return [...cut.map(piece => textEvent(request, piece)), { type: 'finish', reason: 'stop' }]
}

export function textEvent(request: UpstreamRequestBody, text: string): GenerationEvent {
  const wanted = request.top_logprobs !== undefined || request.logprobs
  return wanted ? { type: 'text', text, logprobs: logProbs(text, request.top_logprobs ?? 0) } : { type: 'text', text }
}

/** A token is four characters here. Longer tokens are less likely. */
export function logProbs(text: string, alternatives: number): LogProb[] {
  const tokens = text.match(/.{1,4}/gsu) ?? []
  return tokens.map(token => {
    const ranked = Array.from({ length: alternatives }, (_, rank) => scored(rank === 0 ? token : `${token}${rank}`, rank))
    return { ...scored(token, 0), top_logprobs: ranked }
  })
}

function scored(token: string, rank: number): { token: string; logprob: number; bytes: number[] } {
  return { token, logprob: -(token.length / 8) - rank, bytes: [...Buffer.from(token)] }
}

/** The tools that this turn has not called yet: all of them, or only the next one without parallel calls. */
export function pendingTools(request: UpstreamRequestBody, tools: readonly CallableTool[]): readonly CallableTool[] {
  const past = callsOfTurn(request.input)
  const pending = tools.filter(tool => !past.some(call => call.name === tool.name && call.namespace === tool.namespace))
  return request.parallel_tool_calls === false ? pending.slice(0, 1) : pending
}

/** Calls each of the tools. Ids count the calls in the conversation, so they differ from earlier ones. */
export async function callTools(request: UpstreamRequestBody, tools: readonly CallableTool[]): Promise<readonly GenerationEvent[]> {
  const events: GenerationEvent[] = []
  const taken = new Set(callsIn(request.input).map(call => call.callId))
  let count = taken.size
  for (const tool of tools) {
    do count++
    while (taken.has(`call_${count}`))
    const key = `call_${count}`
    events.push({
      type: 'tool-call',
      key,
      callId: key,
      name: tool.name,
      ...(tool.namespace !== undefined && { namespace: tool.namespace }),
      ...(tool.type === 'custom' && { custom: true }),
    })
    for (const text of pieces(await toolInput(tool, request))) events.push({ type: 'tool-input', key, text })
  }
  events.push({ type: 'finish', reason: 'tool-calls' })
  return events
}

async function toolInput(tool: CallableTool, request: UpstreamRequestBody): Promise<string> {
  if (tool.type === 'function') {
    const value = await schemaValue({ type: 'object', ...tool.parameters })
    // Search for what the user asks.
    return JSON.stringify(asksFreely(tool) && isObject(value) ? { ...value, query: lastText(request) } : value)
  }
  const { syntax, definition } = tool.format ?? {}
  const matching = syntax === 'regex' && typeof definition === 'string' ? await matchingText(definition) : undefined
  return matching || `input for ${tool.name}`
}

/** True if the function takes any text as its `query`. */
function asksFreely({ parameters }: FunctionTool): boolean {
  const query = membersOf(membersOf(parameters?.['properties'])['query'])
  return query['type'] === 'string' && Object.keys(query).every(keyword => keyword === 'type' || keyword === 'description')
}
