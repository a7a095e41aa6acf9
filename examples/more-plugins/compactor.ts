// Compacts conversations into a list of facts.

import { definePlugin } from 'turnpike'
import { Compactor } from 'turnpike/kit'

export default definePlugin({
  name: 'acme-compactor',
  contracts: { Compactor: 1 },
  options: {
    type: 'object',
    additionalProperties: false,
    properties: { maxSummaryTokens: { type: 'integer', minimum: 256, default: 2_000, description: 'The longest list, in tokens.' } },
  },
  provides: [Compactor],
  setup(gateway, { maxSummaryTokens }) {
    gateway.provide(Compactor, {
      isPortable: true,
      maxSummaryTokens,
      maxKeptTokens: 4_000,
      maxParts: 4,
      question: ({ index, count, openCalls }) =>
        [
          'List the facts of this conversation that are needed to go on, one in each line.',
          ...(count > 1 ? [`This is part ${index + 1} of ${count}.`] : []),
          ...(openCalls.length > 0 ? [`These calls are still open: ${openCalls.map(({ name }) => name).join(', ')}.`] : []),
        ].join(' '),
    })
  },
})
