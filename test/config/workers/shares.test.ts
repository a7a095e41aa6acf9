import t from 'tap'
import { sharesOf } from '../../../config/workers/shares.ts'

const sockets = Array.from({ length: 64 }, (_, index) => index)
const counts = (workers: number, present: readonly number[]): readonly number[] =>
  Array.from(sharesOf(sockets, workers, present).values(), ({ length }) => length)

t.test('every socket has exactly one worker, whoever is there', async t => {
  for (const [workers, present] of [
    [2, [1, 2]],
    [2, [2]],
    [4, [1, 2, 3, 4]],
    [4, [1, 3, 4]],
    [4, [4]],
    [3, [1, 2]],
  ] as const) {
    const shares = sharesOf(sockets, workers, present)
    t.same(
      [...shares.values()].flat().toSorted((a, b) => a - b),
      sockets,
      `${present} of ${workers}`,
    )
  }
})

t.test('the sockets of one that is away are spread over all others, who keep their own', async t => {
  t.same(counts(4, [1, 2, 3, 4]), [16, 16, 16, 16])
  t.same(counts(4, [1, 2, 4]), [22, 21, 21])
  const before = sharesOf(sockets, 4, [1, 2, 3, 4])
  const after = sharesOf(sockets, 4, [1, 2, 4])
  for (const worker of [1, 2, 4]) t.ok(before.get(worker)!.every(socket => after.get(worker)!.includes(socket)))
})

t.test('where ports cannot be shared, all accept from the one socket', async t => {
  t.same(
    [...sharesOf([0], 3, [1, 3])],
    [
      [1, [0]],
      [3, [0]],
    ],
  )
})

t.test('nobody accepts while no worker is there', async t => {
  t.same([...sharesOf(sockets, 2, [])], [])
})
