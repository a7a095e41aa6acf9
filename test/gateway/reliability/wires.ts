import type { PluginUse } from '../../../core/index.ts'
import type { Timeouts } from '../../../core/kit.ts'
import { sseFrame } from '../../../core/testing/index.ts'
import anthropic from '../../../plugins/providers/anthropic/index.ts'
import cohere from '../../../plugins/providers/cohere/index.ts'
import gemini from '../../../plugins/providers/gemini/index.ts'
import openaiChat from '../../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../../plugins/providers/openai-responses/index.ts'
import * as answers from '../../plugins/providers/all/answers.ts'
import type { VendorAnswer } from '../../plugins/providers/all/answers.ts'
import { chatCalls, cohereCalls, messagesCalls, responsesCalls, type CallStreams } from './calls.ts'

export interface Common {
  readonly id: string
  readonly baseUrl: string
  readonly apiKey: string
  readonly timeouts?: Partial<Timeouts>
  readonly maxConcurrent?: number
  readonly hedgeAfter?: number
}

/** A dialect of vendors, with an answer in it and an error inside a stream. */
export interface WireUnderTest {
  readonly name: string
  readonly model: string
  readonly plugin: (common: Common) => PluginUse
  readonly answer: VendorAnswer
  /** The event that tells an overloaded vendor. */
  readonly error: string
  /** An event that has the usage and nothing else, or nothing else that is new. */
  readonly usage: string
  readonly calls?: CallStreams
}

const overloaded = { type: 'overloaded_error', message: 'Overloaded.' }

export const wires: readonly WireUnderTest[] = [
  {
    name: 'openai-chat',
    model: 'demo',
    plugin: common => openaiChat({ ...common, host: 'compatible' }),
    answer: answers.chat,
    error: sseFrame({ error: { ...overloaded, code: 503 } }),
    usage: sseFrame({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } }),
    calls: chatCalls,
  },
  {
    name: 'openai-responses',
    model: 'demo',
    plugin: openaiResponses,
    answer: answers.responses,
    error: sseFrame({ type: 'error', code: 'server_is_overloaded', message: overloaded.message }, 'error'),
    usage: answers.responses.stream
      .toString()
      .split(/(?<=\n\n)/)
      .at(-1)!,
    calls: responsesCalls,
  },
  {
    name: 'anthropic',
    model: 'demo',
    plugin: anthropic,
    answer: answers.messages,
    error: sseFrame({ type: 'error', error: overloaded }, 'error'),
    usage: sseFrame({ type: 'message_delta', delta: {}, usage: { input_tokens: 3, output_tokens: 2 } }, 'message_delta'),
    calls: messagesCalls,
  },
  {
    name: 'gemini',
    model: 'gemini-demo',
    plugin: gemini,
    answer: answers.gemini,
    error: sseFrame({ error: { code: 503, status: 'UNAVAILABLE', message: overloaded.message } }),
    usage: sseFrame({ usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 } }),
  },
  {
    name: 'cohere',
    model: 'demo',
    plugin: cohere,
    answer: answers.cohere,
    error: sseFrame({ type: 'message-end', delta: { error: overloaded.message, finish_reason: 'ERROR' } }, 'message-end'),
    usage: answers.cohere.stream
      .toString()
      .split(/(?<=\n\n)/)
      .at(-1)!,
    calls: cohereCalls,
  },
]
