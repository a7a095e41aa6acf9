// Replaces words of a request before a model sees them.

import { definePlugin, Guardrails } from 'turnpike'
import { requestTexts } from 'turnpike/kit'

export default definePlugin({
  name: 'calm-words',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      word: { type: 'string', minLength: 1, default: 'ASAP', description: 'The word to replace.' },
      by: { type: 'string', default: 'soon', description: 'The word that takes its place.' },
    },
  },
  setup(gateway, { word, by }) {
    gateway.add(Guardrails, {
      name: 'calm-words',
      enforces: [],
      onFailure: 'allow',
      timeoutMs: 1_000,
      seesContent: 'local',
      open: () => ({
        input(request) {
          const texts = requestTexts(request)
          const found = texts.slots.filter(({ kind, text }) => kind === 'text' && text.includes(word))
          if (found.length === 0) return { pass: true }
          for (const slot of found) slot.replace(slot.text.replaceAll(word, by))
          texts.finish()
          return { replace: texts.request }
        },
        decision: () => ({ pass: true }),
      }),
    })
  },
})
