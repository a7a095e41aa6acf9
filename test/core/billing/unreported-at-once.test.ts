import t from 'tap'
import { UnreportedUsage } from '../../../core/billing/unreported-usage.ts'
import type { Endpoint } from '../../../core/contracts/catalog.ts'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'

const characters = 3_000_000
const leavers = 40
/** See `nextTurn`. */
const maxSlicesInTurn = 16

t.test('clients that leave long answers at once do not have them all read in one turn', async t => {
  const counted: number[] = []
  let turn = 0
  const counter = {
    async count(texts: readonly string[]) {
      counted[turn] = (counted[turn] ?? 0) + 1
      return { tokens: texts.reduce((sum, { length }) => sum + length, 0) / 4, complete: true }
    },
  }
  const unreported = new UnreportedUsage(counter, () => 0.5, createLogger('silent', new Masks()))
  let isOver = false
  const next = (): void => {
    turn++
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  const endpoint = { provider: 'acme', model: 'm', tokenizer: 'o200k_base' } as Endpoint
  const usages = await Promise.all(
    Array.from({ length: leavers }, () =>
      unreported.of({
        input: () => ({ texts: ['hello'], otherInputTokens: 0 }),
        endpoint,
        reported: undefined,
        said: ['x'.repeat(characters)],
        maxOutputTokens: Infinity,
      }),
    ),
  )
  isOver = true
  for (const { output } of usages) t.equal(output, characters / 4)
  // Each has a count of its input, too.
  t.ok(Math.max(...counted.filter(Boolean)) <= (2 * maxSlicesInTurn) / 3 + 2, `${Math.max(...counted.filter(Boolean))} in one turn`)
})
