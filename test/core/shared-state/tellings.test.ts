import t from 'tap'
import { Tellings } from '../../../core/shared-state/tellings.ts'
import { FakeClock } from '../../kit/set-up.ts'

t.test('all gateways together deliver as much, however many there are', async t => {
  for (const gateways of [3, 20, 200, 1000]) {
    const clock = new FakeClock()
    const tellings = new Tellings(clock, () => gateways)
    let told = 0
    const seconds = 1000
    for (let second = 0; second < seconds; second++) {
      clock.pass(1_000)
      for (let change = 0; change < 5_000; change++) if (tellings.take()) told++
    }
    const deliveries = (told / seconds) * gateways * gateways
    t.ok(deliveries > 39_000 && deliveries < 42_000, `${gateways} gateways: ${deliveries} deliveries a second`)
  }
})

t.test('a gateway that was quiet tells no more than a second of it at once', async t => {
  const clock = new FakeClock()
  const tellings = new Tellings(clock, () => 100)
  clock.pass(3_600_000)
  t.same([1, 2, 3, 4, 5].map(() => tellings.take()), [true, true, true, true, false]) // prettier-ignore
})
