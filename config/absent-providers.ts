import { AbsentProviders, definePlugin } from '../core/index.ts'

export const absentProvidersName = 'absent-providers'

const text = { type: 'string', minLength: 1 } as const

/** Lets error messages explain how to load a provider that a caller names but that is not loaded. */
export default definePlugin({
  name: absentProvidersName,
  contracts: { AbsentProviders: 1 },
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['providers'],
    properties: {
      providers: {
        type: 'array',
        items: { type: 'object', additionalProperties: false, required: ['id', 'remedy'], properties: { id: text, remedy: text } },
        description: 'Ids of providers, and how to load each one.',
      },
    },
  },
  setup(gateway, { providers }) {
    for (const provider of providers) gateway.add(AbsentProviders, provider)
  },
})
