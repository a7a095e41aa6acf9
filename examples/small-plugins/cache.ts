// Answers a generation that repeats an earlier one of the same caller, from memory.

import { CallWrappers, definePlugin, type GenerationEvent } from 'turnpike'

export default definePlugin({
  name: 'acme-cache',
  contracts: { CallWrappers: 1 },
  options: {
    type: 'object',
    additionalProperties: false,
    properties: { maxAnswers: { type: 'integer', minimum: 1, default: 1_000, description: 'The oldest answers go first.' } },
  },
  setup(gateway, { maxAnswers }) {
    const answers = new Map<string, readonly GenerationEvent[]>()
    gateway.add(CallWrappers, {
      name: 'acme-cache',
      seesContent: 'local',
      keepsContent: true,
      timeoutMs: 100,
      generation({ request }, { caller }) {
        // Streamed or not, it is the same answer.
        const { stream: _, ...asked } = request
        const key = JSON.stringify([caller.owner, asked])
        const answer = answers.get(key)
        if (answer) return { answer }
        const events: GenerationEvent[] = []
        return {
          write: event => void events.push(event),
          end({ by, finish, ranTools }) {
            if (by !== undefined || ranTools || (finish !== 'stop' && finish !== 'tool-calls')) return
            answers.set(key, events)
            if (answers.size > maxAnswers) answers.delete(answers.keys().next().value!)
          },
        }
      },
    })
  },
})
