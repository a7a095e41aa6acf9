// A provider as a table: Globex speaks Chat Completions with words, counts, errors and streams of its own.

import { chatProvider, type ChatHost } from 'turnpike/dialects'

export const host = {
  baseUrl: 'https://llm.globex.example.com/v3',
  keyVariable: 'GLOBEX_API_KEY',

  // The address, and how a request proves who sent it: `authorization: Key …`.
  path: '/converse',
  keyHeader: 'authorization',
  keyScheme: 'Key',
  headers: { 'globex-version': '2026-10' },

  // Requests: other names, members that are refused, and one that all have.
  renamed: { max_tokens: 'max_output', stop: 'stop_sequences' },
  without: ['logprobs', 'parallel_tool_calls', 'stream_options'],
  added: { safety: 'standard' },

  // Replies and events have the answer in a member `result`, and a stream ends with `[END]`.
  wrapped: 'result',
  endFrame: '[END]',

  // Reasons to stop. `overrun` is no answer at all.
  finishReasons: { complete: 'stop', truncated: 'length', blocked: 'content-filter', overrun: { failure: 'overloaded' } },

  // Counts stand beside the result. What the cache had is not part of the input.
  usage: { at: 'meter', input: 'in', output: 'out.total', cacheRead: 'cached', reasoning: 'out.thoughts', inputExcludesCache: true },

  // Errors look the same under any status, a 200 included.
  errors: {
    at: 'fault',
    message: 'text',
    code: 'reason',
    retryAfterSeconds: 'retry_in',
    codes: { EMPTY_PURSE: 'quota', TOO_FAST: 'rate-limit', TOO_LONG: 'context-length', NAP: 'overloaded' },
    statuses: { 460: 'auth' },
  },

  // Thoughts have another name, too, and the model wants them back.
  reasoning: 'reasoning_content',
  reasoningMember: 'thoughts',

  models: {
    'globex-2': { contextWindow: 64_000, maxOutputTokens: 8_000, price: { input: 0.4, output: 1.2, cacheRead: 0.1 } },
    'globex-2-mini': { contextWindow: 32_000, price: { input: 0.1, output: 0.3 }, capabilities: { images: false } },
  },
} as const satisfies ChatHost

export default chatProvider({
  ...host,
  name: 'turnpike-plugin-globex',
  id: 'globex',
  required: ['apiKey'],
  options: { region: { enum: ['eu', 'us'], description: 'Where requests may be answered. Default: anywhere.' } },
  departures: ({ region }) => ({ added: { ...host.added, ...(region && { region }) } }),
})
