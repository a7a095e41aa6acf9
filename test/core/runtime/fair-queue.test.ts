import t from 'tap'
import { FairQueue } from '../../../core/runtime/fair-queue.ts'

function queueOf(jobs: readonly string[]): FairQueue<string> {
  const queue = new FairQueue<string>()
  for (const job of jobs) queue.add(job[0]!, job)
  return queue
}

t.test('owners take turns, each in its own order', async t => {
  const queue = queueOf(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'])
  t.same(
    Array.from({ length: 7 }, () => queue.next()),
    ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined],
  )
})

t.test('a late owner goes before those with more running jobs', async t => {
  const queue = queueOf(['a1', 'a2', 'a3', 'a4'])
  t.same([queue.next(), queue.next()], ['a1', 'a2'])
  queue.add('b', 'b1')
  queue.done('a')
  t.equal(queue.next(), 'b1')
  queue.done('b')
  queue.done('a')
  t.same([queue.next(), queue.next(), queue.next()], ['a3', 'a4', undefined])
})

t.test('a removed job never runs', async t => {
  const queue = queueOf(['a1', 'a2', 'b1'])
  t.equal(queue.next(), 'a1')
  queue.remove('a', 'a1')
  queue.remove('b', 'b1')
  queue.remove('c', 'c1')
  t.same([queue.next(), queue.next()], ['a2', undefined])
})
