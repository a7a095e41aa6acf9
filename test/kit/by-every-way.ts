import t, { type Test } from 'tap'
import { enterBy, type Ingress } from './gateway.ts'
import { isLong } from './long.ts'

const ways: readonly Ingress[] = isLong ? ['memory', 'node', 'h3'] : ['node', 'h3']

/** A test of what depends on how requests reach the gateway. */
export function byEveryWay(name: string, run: (t: Test) => Promise<unknown>): void {
  for (const way of ways)
    void t.test(`${name}, by ${way}`, async t => {
      enterBy(way)
      t.teardown(() => enterBy('memory'))
      await run(t)
    })
}
