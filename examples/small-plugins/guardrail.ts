// Refuses requests that mention a forbidden word, for keys whose policy has redaction on.

import { definePlugin, Guardrails, invalidRequest } from 'turnpike'
import { decisionTexts, requestTexts, type RequestText } from 'turnpike/kit'

export default definePlugin({
  name: 'acme-guard',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['words'],
    properties: { words: { type: 'array', items: { type: 'string', minLength: 1 }, description: 'Words that no request may contain.' } },
  },
  setup(gateway, { words }) {
    const refusal = invalidRequest('This request contains a forbidden word.', 'input', 'invalid_prompt')
    // Instructions, outputs of tools and arguments of calls may hold the word, too.
    const check = (texts: readonly RequestText[]) =>
      texts.some(({ text }) => words.some(word => text.includes(word))) ? { refuse: refusal } : { pass: true as const }
    gateway.add(Guardrails, {
      name: 'acme-guard',
      enforces: ['redaction'],
      onFailure: 'refuse',
      timeoutMs: 1_000,
      seesContent: 'local',
      open: ({ caller: { policy } }) =>
        policy.redaction.value
          ? { input: request => check(requestTexts(request).slots), decision: request => check(decisionTexts(request).slots) }
          : undefined,
    })
  },
})
