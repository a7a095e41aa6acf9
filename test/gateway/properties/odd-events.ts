import fc, { type Arbitrary } from 'fast-check'
import type { GenerationEvent } from '../../../core/index.ts'
import { action, citation, finishes, words } from './provider-events.ts'

const key = fc.constantFrom('a', 'b', 'c')
const offset = fc.constantFrom(-1, 0, 1, 3, 2 ** 53)
const anyNumber = fc.constantFrom(-1, 0, 1, 3, 0.5, 2 ** 53, 1e21)

/** Events in any order and with any numbers, also such as no provider may yield. */
export const oddEvents: Arbitrary<readonly GenerationEvent[]> = fc.array(
  fc.oneof<Arbitrary<GenerationEvent>[]>(
    words.map(text => ({ type: 'text', text })),
    words.map(text => ({ type: 'refusal', text })),
    fc.record({ type: fc.constant('annotation' as const), citation, start: offset, end: offset }),
    fc.record({ type: fc.constant('reasoning' as const), text: words, form: fc.constantFrom('summary' as const, 'full' as const) }),
    fc.record({ type: fc.constant('reasoning-state' as const), opaque: fc.constantFrom('', 'c3RhdGU=') }),
    fc.constant({ type: 'item-end' }),
    fc.record({
      type: fc.constant('tool-call' as const),
      key,
      name: fc.constantFrom('weather', 'shell'),
      custom: fc.boolean(),
      callId: fc.constantFrom('', 'call_1', 'call_2'),
    }),
    fc.record({ type: fc.constant('tool-input' as const), key, text: fc.constantFrom('{', '{}', '}', ' ', '', 'a') }),
    fc.record({
      type: fc.constant('search' as const),
      key,
      status: fc.constantFrom('in_progress' as const, 'completed' as const, 'failed' as const),
      action,
    }),
    fc.constant({ type: 'compaction', opaque: 'Y29tcGFjdA==' }),
    fc.constant({ type: 'item', item: { type: 'mcp_call' } }),
    fc.constant({ type: 'warning', param: 'top_p', message: 'late' }),
    fc.constant({ type: 'model', model: 'late' }),
    fc.record({
      type: fc.constant('usage' as const),
      usage: fc.record({
        uncachedInput: anyNumber,
        cacheRead: anyNumber,
        cacheWrite5m: fc.constant(0),
        cacheWrite1h: fc.constant(0),
        output: anyNumber,
        reasoning: anyNumber,
      }),
    }),
    fc.record({ type: fc.constant('finish' as const), reason: finishes }),
  ),
  { maxLength: 12 },
)
