import { chatProvider } from '../../../dialects/index.ts'
import { mistralHost, safeguarded } from './host.ts'

/** Mistral: Chat Completions with differences, and with safeguards that the operator can turn on. */
export default chatProvider({
  ...mistralHost,
  name: 'mistral',
  id: 'mistral',
  options: {
    safePrompt: { type: 'boolean', description: "Puts the vendor's safety prompt before every conversation." },
    guardrails: {
      type: 'array',
      items: { type: 'object' },
      description: "The vendor's guardrails, as in its API reference. What they block is refused.",
    },
  },
  departures: safeguarded,
})
