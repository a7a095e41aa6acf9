import t from 'tap'
import { Roster } from '../../../core/runtime/roster.ts'

t.test('a roster holds what came and has not left, in whatever order they leave', async t => {
  const roster = new Roster<{ place: number; readonly name: string }>()
  const entries = ['a', 'b', 'c', 'd'].map(name => ({ place: -1, name }))
  const names = (): string =>
    roster
      .all()
      .map(({ name }) => name)
      .toSorted()
      .join('')
  for (const entry of entries) roster.add(entry)
  t.equal(names(), 'abcd')
  roster.remove(entries[1]!)
  roster.remove(entries[1]!)
  t.equal(names(), 'acd')
  roster.remove(entries[3]!)
  roster.remove(entries[0]!)
  t.equal(names(), 'c')
  roster.add(entries[1]!)
  t.equal(names(), 'bc')
  for (const entry of entries) roster.remove(entry)
  t.equal(roster.size, 0)
})
