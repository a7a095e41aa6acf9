import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { Deadline } from '../../../core/foundation/deadline.ts'

function until(isTrue: () => boolean): Promise<void> {
  return new Promise(resolve => {
    const look = (): void => void (isTrue() ? resolve() : setTimeout(look, 5))
    look()
  })
}

t.test('short deadlines pass once, and not before their time', async t => {
  let passed = 0
  const start = performance.now()
  new Deadline(20, () => passed++)
  await until(() => passed > 0)
  t.ok(performance.now() - start >= 18)
  await sleep(30)
  t.equal(passed, 1)
})

t.test('a deadline that has ended does not pass', async t => {
  let passed = 0
  const deadline = new Deadline(10, () => passed++)
  deadline.end()
  deadline.end()
  await sleep(30)
  t.equal(passed, 0)
})

t.test('long deadlines share a timer, and neither pass early nor twice', async t => {
  const passed: string[] = []
  const start = performance.now()
  new Deadline(5_000, () => passed.push('first'))
  const ended = new Deadline(5_000, () => passed.push('ended'))
  ended.end()
  const endless = new Deadline(1e15, () => passed.push('a time that no Node.js timer can wait for'))
  const restarted = new Deadline(60_000, () => passed.push('restarted'))
  await until(() => passed.length > 0)
  t.ok(performance.now() - start >= 5_000)
  t.same(passed, ['first'])
  restarted.restart()
  restarted.visit(start + 60_001)
  t.same(passed, ['first'])
  restarted.visit(performance.now() + 60_001)
  restarted.end()
  endless.end()
  t.same(passed, ['first', 'restarted'])
})
