import { sseFrame } from '../../../core/testing/index.ts'

/** Streams of one dialect that call two functions, in pieces that do not come in order. Undefined where calls come whole. */
export interface CallStreams {
  /** The pieces of both calls take turns. */
  readonly interleaved: string
  /** The first piece of a call comes before the call. */
  readonly early: string
  /** The last piece of a call comes after its end. */
  readonly late: string
}

/** The calls that the model makes, as `name(arguments)`. */
export const expectedCalls = 'weather({"city":"Rome"}) time({"zone":"CET"})'
/** For the request. */
export const offered = ['weather', 'time'].map(name => ({ type: 'function', name, parameters: { type: 'object' } }))

const events = (...data: readonly object[]): string =>
  data.map(each => sseFrame(each, 'type' in each && typeof each.type === 'string' ? each.type : undefined)).join('')

type Piece = readonly ['open', 0 | 1] | readonly ['piece', 0 | 1, string] | readonly ['close', 0 | 1]
const interleaved: readonly Piece[] = [
  ['open', 0],
  ['piece', 0, '{"city":'],
  ['open', 1],
  ['piece', 1, '{"zone":'],
  ['piece', 0, '"Rome"}'],
  ['piece', 1, '"CET"}'],
  ['close', 0],
  ['close', 1],
]
const early: readonly Piece[] = [
  ['piece', 0, '{"city":'],
  ['open', 0],
  ['piece', 0, '"Rome"}'],
  ['close', 0],
  ['open', 1],
  ['piece', 1, '{"zone":"CET"}'],
  ['close', 1],
]
const late: readonly Piece[] = [
  ['open', 0],
  ['piece', 0, '{"city":'],
  ['close', 0],
  ['open', 1],
  ['piece', 1, '{"zone":"CET"}'],
  ['close', 1],
  ['piece', 0, '"Rome"}'],
]
const names = ['weather', 'time'] as const
const whole = ['{"city":"Rome"}', '{"zone":"CET"}'] as const

function streams(write: (pieces: readonly Piece[]) => string): CallStreams {
  return { interleaved: write(interleaved), early: write(early), late: write(late) }
}

const chunk = { id: 'chat_1', object: 'chat.completion.chunk', created: 1, model: 'demo' }

/** The protocol has no end of a call, so a late piece is one that comes after the other call. */
export const chatCalls = streams(
  pieces =>
    `${events(
      ...pieces.flatMap(([what, index, text]) => {
        const call =
          what === 'open'
            ? { index, id: `call_${index}`, type: 'function', function: { name: names[index], arguments: '' } }
            : { index, function: { arguments: text } }
        return what === 'close' ? [] : [{ ...chunk, choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] }]
      }),
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      { ...chunk, choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
    )}data: [DONE]\n\n`,
)

const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'demo', error: null, incomplete_details: null }
const item = (index: 0 | 1, text: string, status: string) => ({
  type: 'function_call',
  id: `fc_${index}`,
  call_id: `call_${index}`,
  name: names[index],
  arguments: text,
  status,
})

export const responsesCalls = streams(pieces =>
  events(
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
    ...pieces.map(([what, index, text]) => {
      if (what === 'open') return { type: 'response.output_item.added', output_index: index, item: item(index, '', 'in_progress') }
      if (what === 'close') return { type: 'response.output_item.done', output_index: index, item: item(index, whole[index], 'completed') }
      return { type: 'response.function_call_arguments.delta', item_id: `fc_${index}`, output_index: index, delta: text }
    }),
    {
      type: 'response.completed',
      response: {
        ...response,
        status: 'completed',
        output: [item(0, whole[0], 'completed'), item(1, whole[1], 'completed')],
        usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
      },
    },
  ),
)

const claude = { id: 'msg_1', type: 'message', role: 'assistant', model: 'demo', stop_sequence: null }

export const messagesCalls = streams(pieces =>
  events(
    { type: 'message_start', message: { ...claude, content: [], stop_reason: null, usage: { input_tokens: 3, output_tokens: 0 } } },
    ...pieces.map(([what, index, text]) => {
      if (what === 'open')
        return {
          type: 'content_block_start',
          index,
          content_block: { type: 'tool_use', id: `call_${index}`, name: names[index], input: {} },
        }
      if (what === 'close') return { type: 'content_block_stop', index }
      return { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: text } }
    }),
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ),
)

export const cohereCalls = streams(pieces =>
  events(
    { id: 'c_1', type: 'message-start', delta: { message: { role: 'assistant', content: [] } } },
    ...pieces.map(([what, index, text]) => {
      if (what === 'close') return { type: 'tool-call-end', index }
      if (what === 'piece') return { type: 'tool-call-delta', index, delta: { message: { tool_calls: { function: { arguments: text } } } } }
      const called = { id: `call_${index}`, type: 'function', function: { name: names[index], arguments: '' } }
      return { type: 'tool-call-start', index, delta: { message: { tool_calls: called } } }
    }),
    {
      type: 'message-end',
      delta: { finish_reason: 'TOOL_CALL', usage: { billed_units: { input_tokens: 3, output_tokens: 2 } } },
    },
  ),
)
