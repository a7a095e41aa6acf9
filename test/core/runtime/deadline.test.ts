import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { FakeClock } from '../../kit/set-up.ts'

// A copy of the module: one timer visits its deadlines, and other tests in this process may have started that of the original.
const copy = new URL('../../../core/runtime/deadline.ts?copy', import.meta.url)
const { Deadline } = (await import(copy.href)) as typeof import('../../../core/runtime/deadline.ts')

let clock: FakeClock

/** A test that moves the time itself. */
function timed(name: string, run: (t: Test) => Promise<void>): void {
  void t.test(name, async t => {
    clock = new FakeClock()
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    t.teardown(() => mock.timers.reset())
    await run(t)
  })
}

function pass(milliseconds: number): void {
  clock.pass(milliseconds)
  mock.timers.tick(milliseconds)
}

timed('short deadlines pass once, and not before their time', async t => {
  let passed = 0
  new Deadline(clock, 20, () => passed++)
  pass(19)
  t.equal(passed, 0)
  pass(1)
  t.equal(passed, 1)
  pass(30)
  t.equal(passed, 1)
})

timed('a deadline that has ended does not pass', async t => {
  let passed = 0
  const deadline = new Deadline(clock, 10, () => passed++)
  deadline.end()
  deadline.end()
  pass(30)
  t.equal(passed, 0)
})

timed('long deadlines share a timer, and neither pass early nor twice', async t => {
  const passed: string[] = []
  new Deadline(clock, 5_000, () => passed.push('first'))
  const ended = new Deadline(clock, 5_000, () => passed.push('ended'))
  ended.end()
  const endless = new Deadline(clock, 1e15, () => passed.push('a time that no Node.js timer can wait for'))
  const restarted = new Deadline(clock, 60_000, () => passed.push('restarted'))
  pass(4_999)
  t.same(passed, [])
  pass(1)
  t.same(passed, ['first'])
  restarted.restart()
  pass(59_999)
  t.same(passed, ['first'])
  pass(1)
  t.same(passed, ['first', 'restarted'])
  restarted.end()
  endless.end()
  pass(60_000)
  t.same(passed, ['first', 'restarted'])
  new Deadline(clock, 5_000, () => passed.push('after the timer has stopped'))
  pass(5_000)
  t.same(passed, ['first', 'restarted', 'after the timer has stopped'])
})
