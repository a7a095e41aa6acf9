import t from 'tap'
import { noUsage } from '../../../core/contracts/events.ts'
import type { GenerationEvent } from '../../../core/index.ts'
import { checkGenerationEvents } from '../../../core/testing/index.ts'

const finish = { type: 'finish', reason: 'stop' } as const
const call = { type: 'tool-call', key: 'a', name: 'time' } as const

t.test('allows what providers may say', async t => {
  const legal: readonly (readonly GenerationEvent[])[] = [
    [],
    [
      { type: 'warning', param: 'top_p', message: 'dropped' },
      { type: 'model', model: 'demo-1' },
      { type: 'text', text: 'Hi' },
      finish,
      { type: 'usage', usage: noUsage },
    ],
    [
      call,
      { type: 'tool-call', key: 'b', name: 'time' },
      { type: 'tool-input', key: 'a', text: '{' },
      { type: 'tool-input', key: 'b', text: '{}' },
      { type: 'tool-input', key: 'a', text: '}' },
      finish,
    ],
    [{ type: 'usage', usage: { ...noUsage, output: 3, reasoning: 3, estimated: true, toolCalls: { web_search: 1 } } }],
  ]
  for (const events of legal) t.doesNotThrow(() => checkGenerationEvents(events))
})

t.test('refuses what they must not', async t => {
  const illegal: readonly (readonly [readonly GenerationEvent[], RegExp])[] = [
    [[finish, { type: 'text', text: 'Hi' }], /^event 1 \(text\) comes after the finish$/],
    [[finish, finish], /comes after the finish/],
    [
      [
        { type: 'model', model: 'demo-1' },
        { type: 'warning', param: 'top_p', message: 'dropped' },
      ],
      /must come before all other events/,
    ],
    [[call, call], /repeats the key a/],
    [[{ type: 'tool-input', key: 'a', text: '{}' }, call], /belongs to no call: a/],
    [[{ type: 'usage', usage: { ...noUsage, output: 1.5 } }], /counts 1.5 as output/],
    [[{ type: 'usage', usage: { ...noUsage, cacheRead: -1 } }], /counts -1 as cacheRead/],
    [[{ type: 'usage', usage: { ...noUsage, toolCalls: { web_search: Number.NaN } } }], /counts NaN as web_search/],
    [[{ type: 'usage', usage: { ...noUsage, output: 1, reasoning: 2 } }], /more reasoning than output/],
  ]
  for (const [events, message] of illegal) t.throws(() => checkGenerationEvents(events), message)
})
