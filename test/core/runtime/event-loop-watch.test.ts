import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { EventLoopWatch } from '../../../core/runtime/event-loop-watch.ts'

t.test('a blocked event loop is seen, by every reader', async t => {
  const watch = new EventLoopWatch()
  t.teardown(() => watch.stop())
  t.same(watch.read(), { meanMs: 0, p99Ms: 0, maxMs: 0 }, 'nothing was watched before')
  await delay(60)
  const until = performance.now() + 150
  while (performance.now() < until);
  for (let waited = 0; watch.read().maxMs < 100 && waited < 100; waited++) await delay(10)
  const seen = watch.read()
  t.ok(seen.maxMs >= 100, `${seen.maxMs} ms`)
  t.ok(seen.p99Ms > 0 && seen.p99Ms <= seen.maxMs)
  t.ok(seen.meanMs >= 0 && seen.meanMs <= seen.maxMs)
  t.ok(watch.read().maxMs >= seen.maxMs, 'reading resets nothing')
})
