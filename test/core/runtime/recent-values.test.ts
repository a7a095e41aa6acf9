import t from 'tap'
import { recentValues } from '../../../core/runtime/recent-values.ts'

t.test('it forgets the value that was used least recently', async t => {
  const values = recentValues<string, number>(2)
  values.set('a', 1).set('b', 2)
  t.equal(values.get('a'), 1)
  values.set('c', 3)
  t.same([...values.keys()].sort(), ['a', 'c'])
})

t.test('it takes the other options of lru-cache', async t => {
  const forgotten: string[] = []
  const values = recentValues<string, number>(1, { dispose: (_, key) => forgotten.push(key) })
  values.set('a', 1).set('b', 2)
  t.same(forgotten, ['a'])
})
