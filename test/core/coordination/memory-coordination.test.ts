import t from 'tap'
import { MemoryCoordination, type Coordination } from '../../../core/stores.ts'
import { coordinationSuite } from '../../../core/testing/index.ts'
import { FakeClock } from '../../kit/set-up.ts'

coordinationSuite(t, {
  open() {
    const clock = new FakeClock()
    let made = 0
    let engine = new MemoryCoordination(clock)
    const lost = (id: string): Coordination => ({
      claim: claim => engine.member(id).claim(claim),
      change: (windows, places) => engine.member(id).change(windows, places),
      states: (group, windows) => engine.member(id).states(group, windows),
      beat: gauges => engine.member(id).beat(gauges),
      gauges: () => engine.member(id).gauges(),
      exchange: (deltas, since) => engine.member(id).exchange(deltas, since),
    })
    return {
      join: () => lost(`process ${++made}`),
      kill: () => {},
      pass: milliseconds => clock.pass(milliseconds),
      lose: () => void (engine = new MemoryCoordination(clock)),
    }
  },
})

t.test('the places of a process that is known to have ended are free at once', async t => {
  const engine = new MemoryCoordination(new FakeClock())
  const claim = (place: string) => ({ group: 'g', places: [{ bucket: 'b', limit: 1, place }], windows: [] })
  await engine.member('one').claim(claim('p1'))
  t.match(await engine.member('two').claim(claim('p2')), { fullPlace: 'b' })
  engine.leave('one')
  t.same(await engine.member('two').claim(claim('p2')), { windows: [] })
  t.equal((await engine.member('two').beat({})).processes, 1)
})
