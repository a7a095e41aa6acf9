import t from 'tap'
import { nextTurn } from '../../../core/runtime/turns.ts'

const jobs = 60
const slices = 50

t.test('long work shares the slices of a turn of the event loop, and goes on in the order of its start', async t => {
  let turn = 0
  let isOver = false
  const count = (): void => {
    turn++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const done: number[] = []
  const inTurn: number[] = []
  await Promise.all(
    Array.from({ length: jobs }, async (_, job) => {
      for (let slice = 0; slice < slices; slice++) {
        await nextTurn()
        inTurn[turn] = (inTurn[turn] ?? 0) + 1
      }
      done.push(job)
    }),
  )
  isOver = true
  const counted = inTurn.filter(count => count > 0)
  t.equal(
    counted.reduce((sum, each) => sum + each, 0),
    jobs * slices,
  )
  t.ok(Math.max(...counted) <= 16, `${Math.max(...counted)} slices in one turn`)
  t.equal(done.length, jobs)
})
