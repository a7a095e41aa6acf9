import { definePlugin, Guardrails, PluginError, type GuardSession } from '../../../core/index.ts'
import { WordsSession } from './session.ts'
import { symbolsOf, WordList } from './word-list.ts'

/** Refuses or masks words and phrases in requests and answers: docs/guardrails.md#words. */
export default definePlugin({
  name: 'words',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['words'],
    properties: {
      name: { type: 'string', minLength: 1, default: 'words', description: 'The name of the guardrail, for `guardrails` of API keys.' },
      words: {
        type: 'array',
        minItems: 1,
        maxItems: 100_000,
        items: { type: 'string', minLength: 1, maxLength: 500 },
        description: 'The words and phrases to find. Only whole words match.',
      },
      action: {
        enum: ['refuse', 'mask'],
        default: 'refuse',
        description: 'refuse: the request is a 400, and an answer ends there. mask: each match becomes `***`.',
      },
      output: { type: 'boolean', default: true, description: 'false: only requests are searched, not answers.' },
      applies: {
        enum: ['always', 'key'],
        default: 'always',
        description: 'key: only requests of API keys that name the guardrail in `guardrails`.',
      },
      message: {
        type: 'string',
        minLength: 1,
        default: 'This conversation contains a word that is not allowed here.',
        description: 'The message of a refusal.',
      },
    },
  },
  instance: ({ name }) => name,
  setup(gateway, { name, words, action, output, applies, message }) {
    const empty = words.findIndex(entry => symbolsOf(entry).length === 0)
    if (empty >= 0) throw new PluginError(gateway.name, `has an entry without a character to search for: words[${empty}].`)
    const session = new WordsSession({ list: new WordList(words), action, message })
    const requestsOnly: GuardSession = { input: request => session.input(request), decision: request => session.decision(request) }
    gateway.add(Guardrails, {
      name,
      enforces: [],
      onFailure: 'refuse',
      timeoutMs: 30_000,
      seesContent: 'local',
      applies,
      open: () => (output ? session : requestsOnly),
    })
  },
})
