import { AbsentProviders, definePlugin } from '../core/index.ts'

export const absentProvidersName = 'absent-providers'

const text = { type: 'string', minLength: 1 } as const

/** Tells callers how a provider that they name, and that is not loaded, joins. */
export default definePlugin({
  name: absentProvidersName,
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['providers'],
    properties: {
      providers: {
        type: 'array',
        items: { type: 'object', additionalProperties: false, required: ['id', 'remedy'], properties: { id: text, remedy: text } },
        description: 'Ids of providers, and what to do so that each one is loaded.',
      },
    },
  },
  setup(gateway, { providers }) {
    for (const provider of providers) gateway.add(AbsentProviders, provider)
  },
})
