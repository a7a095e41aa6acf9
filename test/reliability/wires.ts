import type { PluginUse, Timeouts } from '../../core/index.ts'
import { sseFrame } from '../../core/testing/index.ts'
import anthropic from '../../plugins/providers/anthropic/index.ts'
import cohere from '../../plugins/providers/cohere/index.ts'
import gemini from '../../plugins/providers/gemini/index.ts'
import openaiChat from '../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../plugins/providers/openai-responses/index.ts'
import * as answers from '../providers/answers.ts'
import type { VendorAnswer } from '../providers/answers.ts'

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
}

const overloaded = { type: 'overloaded_error', message: 'Overloaded.' }

export const wires: readonly WireUnderTest[] = [
  {
    name: 'openai-chat',
    model: 'demo',
    plugin: common => openaiChat({ ...common, host: 'compatible' }),
    answer: answers.chat,
    error: sseFrame({ error: { ...overloaded, code: 503 } }),
  },
  {
    name: 'openai-responses',
    model: 'demo',
    plugin: openaiResponses,
    answer: answers.responses,
    error: sseFrame({ type: 'error', code: 'server_is_overloaded', message: overloaded.message }, 'error'),
  },
  {
    name: 'anthropic',
    model: 'demo',
    plugin: anthropic,
    answer: answers.messages,
    error: sseFrame({ type: 'error', error: overloaded }, 'error'),
  },
  {
    name: 'gemini',
    model: 'gemini-demo',
    plugin: gemini,
    answer: answers.gemini,
    error: sseFrame({ error: { code: 503, status: 'UNAVAILABLE', message: overloaded.message } }),
  },
  {
    name: 'cohere',
    model: 'demo',
    plugin: cohere,
    answer: answers.cohere,
    error: sseFrame({ type: 'message-end', delta: { error: overloaded.message, finish_reason: 'ERROR' } }, 'message-end'),
  },
]
