import t from 'tap'
import { isObject, type JsonObject } from '../../../../core/index.ts'
import type { TestGateway } from '../../../../core/testing/index.ts'

export interface ChatReply {
  readonly status: number
  readonly headers: Headers
  /** The completion, or the error. Of a stream, what its chunks add up to. */
  readonly body: JsonObject & { readonly choices: readonly ChatChoice[]; readonly usage: JsonObject; readonly error: JsonObject }
  readonly chunks: readonly JsonObject[]
  /** True if the stream ended with `[DONE]`. */
  readonly isDone: boolean
}

export interface ChatChoice {
  readonly index: number
  readonly message: JsonObject
  readonly logprobs: JsonObject | null
  readonly finish_reason: string
}

export const hi = { messages: [{ role: 'user', content: 'hi' }] }

/** `POST /v1/chat/completions`. A stream that breaks the grammar fails the test. */
export async function askChat(
  under: TestGateway,
  body: object,
  headers?: Readonly<Record<string, string>>,
  path = '/v1/chat/completions',
): Promise<ChatReply> {
  const reply = await under.request(path, { body: { ...hi, ...body }, ...(headers && { headers }) })
  const text = await reply.text()
  const isStream = reply.headers.get('content-type') === 'text/event-stream'
  const chunks = isStream ? chunksIn(text) : []
  const isDone = text.endsWith('data: [DONE]\n\n')
  const read = isStream ? folded(chunks, isDone) : (JSON.parse(text) as JsonObject)
  return { status: reply.status, headers: reply.headers, body: read as ChatReply['body'], chunks, isDone }
}

export function chunksIn(text: string): readonly JsonObject[] {
  return text
    .split('\n\n')
    .filter(frame => frame !== '' && !frame.startsWith(':') && frame !== 'data: [DONE]')
    .map(frame => JSON.parse(/^data: (.*)$/.exec(frame)![1]!) as JsonObject)
}

/** Adds the chunks up to a completion, as clients do. */
function folded(chunks: readonly JsonObject[], isDone: boolean): JsonObject {
  let whole: Record<string, unknown> = {}
  const choices: Record<string, unknown>[] = []
  let error: unknown
  for (const chunk of chunks) {
    t.notOk(error, 'nothing follows an error')
    error = chunk['error']
    if (error) continue
    const { choices: told, object, ...facts } = chunk
    t.equal(object, 'chat.completion.chunk')
    whole = { ...whole, ...facts, object: 'chat.completion' }
    for (const { index, delta, logprobs, ...ended } of told as readonly (JsonObject & { index: number; delta: JsonObject })[]) {
      const choice = (choices[index] ??= { index, message: {}, logprobs: null })
      if (Object.keys(choice['message'] as object).length === 0) t.equal(delta['role'], 'assistant', 'the first delta has the role')
      else t.notOk(choice['finish_reason'], 'nothing follows the end of a choice')
      choice['message'] = grown(choice['message'], delta)
      choice['logprobs'] = grown(choice['logprobs'], logprobs)
      Object.assign(choice, ended)
    }
  }
  t.equal(isDone, !error, 'a stream ends with [DONE] or an error')
  return {
    ...whole,
    choices: choices.map(choice => ({ ...choice, message: withoutIndexes(choice['message'] as JsonObject) })),
    ...(error ? { error } : {}),
  }
}

function grown(so: unknown, piece: unknown, name = ''): unknown {
  if (so === undefined || so === null) return piece
  if (piece === undefined || piece === null) return so
  if (typeof so === 'string') return ['id', 'type', 'role', 'format'].includes(name) ? piece : so + String(piece)
  if (Array.isArray(so)) {
    const all = [...(so as JsonObject[])]
    for (const each of piece as JsonObject[]) {
      const at = name === 'tool_calls' ? all.findIndex(({ index }) => index === each['index']) : -1
      if (at < 0) all.push(each)
      else all[at] = grown(all[at], each) as JsonObject
    }
    return all
  }
  if (!isObject(so)) return piece
  const all: Record<string, unknown> = { ...so }
  for (const [member, value] of Object.entries(piece as JsonObject)) all[member] = grown(so[member], value, member)
  return all
}

function withoutIndexes(message: JsonObject): JsonObject {
  const calls = message['tool_calls'] as readonly JsonObject[] | undefined
  return calls ? { ...message, tool_calls: calls.map(({ index: _, ...call }) => call) } : message
}
