import type { JsonObject, PluginUse } from '../../../core/index.ts'
import chat from '../../../plugins/endpoints/chat/index.ts'
import messages from '../../../plugins/endpoints/messages/index.ts'
import type { Recording } from '../../kit/recordings.ts'
import type { Wire } from '../../plugins/providers/oracle/oracle.ts'
import { accumulateCompletion, accumulateMessage, type Accumulate } from './accumulated.ts'
import type { Changes } from './lost.ts'
import { validator, type Validate } from './valid.ts'

/** A surface, and how its clients read it. */
export interface Surface {
  readonly path: string
  readonly plugin: PluginUse
  /** Vendors of this wire are of the same dialect. */
  readonly wire: Wire
  request(recording: Recording, model: string): JsonObject
  readonly accumulate: Accumulate
  /** On the same wire. */
  readonly changes: Changes
  /** The same for the oracle's reading. */
  readonly read: Changes
  readonly validate: Validate
}

const openai = 'openai.responses-and-chat.schema.json'

/** Every surface that answers with generations, but Responses: `test/plugins/providers/recordings` proves that it shows all that a vendor says. */
export const surfaces: Readonly<Record<string, Surface>> = {
  chat: {
    path: '/v1/chat/completions',
    plugin: chat({}),
    wire: 'openai-chat',
    request: ({ mode }, model) => ({
      model,
      messages: [{ role: 'user', content: 'hi' }],
      ...(mode === 'stream' && { stream: true, stream_options: { include_usage: true } }),
    }),
    accumulate: accumulateCompletion,
    changes: {
      changed: new RegExp(
        [
          '^(id|created|model|object)$',
          // Tiers that no client of this API knows are left out.
          '^service_tier$',
          // Hosts have thoughts in it, between tags or as parts: its text is read apart.
          String.raw`message\.content$`,
          // The SDK keeps only the last piece of reasoning: its whole text is read apart. Its state is sealed.
          String.raw`message\.reasoning`,
          // Clients rely on it that an answer with calls says so.
          String.raw`^choices\[\]\.(finish_reason|native_finish_reason)$`,
          // Perplexity's empty delta beside a whole message.
          String.raw`^choices\[\]\.delta$`,
          // The number of a call, where it stands in a whole reply.
          String.raw`tool_calls\[\]\.index$`,
          // Strictly typed clients read no tier that OpenAI does not have.
          '^service_tier$',
        ].join('|'),
      ),
      // The request asks for one choice.
      cut: /^choices$/,
      added: /^usage|\.annotations$|tool_calls\[\]\.(id|type|function\.arguments)$/,
    },
    read: { changed: /^(usage|finish)/, added: /^$/ },
    // Published chunks have no calls of custom tools, which whole replies have. OpenRouter has citations of files, which are not published.
    validate: validator(openai, ['CreateChatCompletionResponse'], ['CreateChatCompletionStreamResponse'], said =>
      /"type":"(file|custom)"/.test(JSON.stringify(said)),
    ),
  },
  messages: {
    path: '/v1/messages',
    plugin: messages({}),
    wire: 'anthropic',
    request: ({ mode }, model) => ({
      model,
      max_tokens: 1000,
      messages: [{ role: 'user', content: 'hi' }],
      stream: mode === 'stream',
    }),
    accumulate: accumulateMessage,
    changes: { changed: /^(id|model)$|^content\[\]\.(signature|data)$/, added: /^usage/ },
    read: { changed: /^usage/, added: /^$/ },
    // Compaction has only beta types.
    validate: validator(
      'anthropic.messages.schema.json',
      ['Message', 'BetaMessage'],
      ['RawMessageStreamEvent', 'BetaRawMessageStreamEvent'],
      ({ type }) => type === 'ping',
    ),
  },
}
