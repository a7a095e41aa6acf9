// Answers a generation that repeats an earlier one of the same caller, from memory.

import { CallWrappers, definePlugin, type Endpoint, type GenerationEvent } from 'turnpike'

export default definePlugin({
  name: 'acme-cache',
  contracts: { CallWrappers: 1 },
  options: {
    type: 'object',
    additionalProperties: false,
    properties: { maxAnswers: { type: 'integer', minimum: 1, default: 1_000, description: 'The oldest answers go first.' } },
  },
  setup(gateway, { maxAnswers }) {
    const answers = new Map<string, { readonly from: Endpoint; readonly events: readonly GenerationEvent[] }>()
    gateway.add(CallWrappers, {
      name: 'acme-cache',
      seesContent: 'local',
      keepsContent: true,
      timeoutMs: 100,
      generation({ request, endpoints }, { caller }) {
        // Streamed or not, it is the same answer.
        const { stream: _, ...asked } = request
        const key = JSON.stringify([caller.owner, asked])
        const kept = answers.get(key)
        // Another key of the caller may not use every model.
        if (kept && endpoints.some(({ provider, model }) => provider === kept.from.provider && model === kept.from.model))
          return { answer: kept.events }
        const events: GenerationEvent[] = []
        return {
          write: event => void events.push(event),
          end({ by, endpoint, finish, ranTools }) {
            if (by !== undefined || ranTools || (finish !== 'stop' && finish !== 'tool-calls')) return
            answers.set(key, { from: endpoint, events })
            if (answers.size > maxAnswers) answers.delete(answers.keys().next().value!)
          },
        }
      },
    })
  },
})
