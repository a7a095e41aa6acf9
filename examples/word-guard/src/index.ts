// Refuses requests and answers that mention a forbidden word.

import { definePlugin, Guardrails, invalidRequest } from 'turnpike'
import { decisionTexts, requestTexts } from 'turnpike/kit'

export default definePlugin({
  name: 'word-guard',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['words'],
    properties: { words: { type: 'array', items: { type: 'string', minLength: 1 }, description: 'Words that nobody may say.' } },
  },
  setup(gateway, { words }) {
    const refuse = invalidRequest('This conversation contains a forbidden word.', 'input', 'invalid_prompt')
    const check = (texts: readonly { readonly text: string }[]) =>
      texts.some(({ text }) => words.some(word => text.includes(word))) ? { refuse } : { pass: true as const }
    gateway.add(Guardrails, {
      name: 'word-guard',
      enforces: [],
      onFailure: 'refuse',
      timeoutMs: 1_000,
      seesContent: 'local',
      open: () => ({
        input: request => check(requestTexts(request).slots),
        decision: request => check(decisionTexts(request).slots),
        item: item => check(item.texts),
      }),
    })
  },
})
