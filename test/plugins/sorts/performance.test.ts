import fc from 'fast-check'
import t from 'tap'
import { sortOrder, type SortFacts } from '../../../core/testing/index.ts'
import performance from '../../../plugins/sorts/performance/index.ts'
import { runs } from '../../kit/runs.ts'

const orderOf = (facts: Readonly<Record<string, SortFacts>>) => sortOrder(performance({}), 'performance', facts)

function answering(latencyMs: number, throughput: number, uptime = 1): SortFacts {
  return { metrics: { requests: 20, samples: 20, uptime, latencyMs, throughput, totalMs: latencyMs + 1000 } }
}

t.test('the time to the first event and 300 tokens, over the cube of the uptime', async t => {
  const { order, values } = orderOf({ slow: answering(2_000, 50), quick: answering(500, 100), shaky: answering(500, 100, 0.5) })
  t.same(order, ['quick', 'slow', 'shaky'])
  t.same(values, { slow: 8, quick: 3.5, shaky: 28 })
})

t.test('endpoints that were not tried get the median of the others', async t => {
  const { order, values } = orderOf({ new: {}, a: answering(1_000, 300), b: answering(3_000, 300), c: answering(9_000, 300) })
  t.equal(values['new'], 4)
  t.same(order, ['a', 'new', 'b', 'c'])
  t.equal(orderOf({ new: {}, a: answering(1_000, 300), b: answering(3_000, 300) }).values['new'], 3)
  t.same(orderOf({ one: {}, two: {} }), { order: ['one', 'two'], values: { one: undefined, two: undefined }, warnings: [] })
})

t.test('open circuits and endpoints that only fail come last', async t => {
  const failing: SortFacts = { metrics: { requests: 3, samples: 0, uptime: 0 } }
  const { order } = orderOf({ open: { ...answering(1, 1_000), isOpen: true }, failing, new: {}, slow: answering(60_000, 1) })
  t.same(order.slice(0, 2), ['new', 'slow'])
  t.same(orderOf({ failing, new: {} }).order, ['new', 'failing'], 'even where nothing has answered')
})

t.test('without streamed answers, the time of whole ones counts', async t => {
  const whole = (totalMs: number): SortFacts => ({ metrics: { requests: 9, samples: 9, uptime: 1, totalMs } })
  t.same(orderOf({ a: whole(900), b: whole(300) }), { order: ['b', 'a'], values: { a: 0.9, b: 0.3 }, warnings: [] })
  const unreported: SortFacts = { metrics: { requests: 9, samples: 9, uptime: 1, latencyMs: 100, throughput: 0, totalMs: 700 } }
  t.equal(orderOf({ a: unreported, b: whole(300) }).values['a'], 0.7, 'a vendor that does not report its output')
  const neutral: SortFacts = { metrics: { requests: 2, samples: 0, uptime: 1 } }
  t.equal(orderOf({ a: neutral, b: whole(300) }).values['a'], 0.3, 'attempts that say nothing')
})

t.test('recent results of an endpoint count more', async t => {
  const usual = answering(1_000, 100)
  const lately = (samples: number, latencyMs: number, throughput: number | undefined = 100): SortFacts => ({
    ...usual,
    latest: { samples, latencyMs, throughput, totalMs: latencyMs + 3_000 },
  })
  const valueOf = (given: SortFacts): number => orderOf({ given, other: usual }).values['given']!
  t.equal(valueOf(usual), 4)
  t.equal(valueOf(lately(5, 2_000)), 4.5)
  t.equal(valueOf(lately(3, 2_000)), 4.375)
  t.equal(valueOf(lately(3, 2_000, undefined)), 4.375, 'where only whole answers are known')
  t.equal(valueOf(lately(1, 9_000)), 16 / 3, 'one answer may be chance')
  t.equal(valueOf(lately(3, 9_000)), 10, 'at most 20% off')
  t.ok(Math.abs(valueOf({ ...lately(3, 1_000), metrics: answering(60_000, 10).metrics! }) - 4.8) < 1e-9, 'it has recovered')
})

t.test('slower never counts as faster', async () => {
  const value = (window: number, latest: number, samples: number): number =>
    orderOf({
      given: { ...answering(window, 100), latest: { samples, latencyMs: latest, throughput: 100, totalMs: latest } },
      other: {},
    }).values['given']!
  fc.assert(
    fc.property(positive, positive, positive, fc.integer({ min: 1, max: 50 }), (window, latest, more, samples) => {
      const before = value(window, latest, samples)
      const allowed = before * (1 - 1e-12)
      return value(window + more, latest, samples) >= allowed && value(window, latest + more, samples) >= allowed
    }),
    runs(100),
  )
})

const positive = fc.double({ min: 0.001, max: 1e6, noNaN: true })
const facts = fc.oneof(
  fc.constant<SortFacts>({}),
  fc.record({
    metrics: fc.record({
      requests: fc.integer({ min: 1, max: 1_000 }),
      uptime: fc.double({ min: 0, max: 1, noNaN: true }),
      latencyMs: positive,
      throughput: positive,
      totalMs: positive,
    }),
    isOpen: fc.boolean(),
  }),
)

t.test('with any metrics, each endpoint is in the order once', async () => {
  fc.assert(
    fc.property(fc.array(facts, { maxLength: 12 }), all => {
      const { order } = orderOf(Object.fromEntries(all.map((each, index) => [`p${index}`, each])))
      return order.length === all.length && new Set(order).size === all.length
    }),
    runs(100),
  )
})

t.test('an endpoint that gets better in one way never moves back', async () => {
  const better = fc.constantFrom('uptime', 'latencyMs', 'throughput')
  fc.assert(
    fc.property(
      fc.array(facts, { minLength: 2, maxLength: 8 }),
      fc.nat(),
      better,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (all, which, member, share) => {
        const id = `p${which % all.length}`
        const before = Object.fromEntries(all.map((each, index) => [`p${index}`, each]))
        const { metrics } = before[id]!
        if (!metrics) return true
        const value = metrics[member as 'uptime'] as number
        const changed = member === 'latencyMs' ? value * share : member === 'uptime' ? value + (1 - value) * share : value * (1 + share)
        const after = { ...before, [id]: { ...before[id], metrics: { ...metrics, [member]: changed } } }
        return orderOf(after).order.indexOf(id) <= orderOf(before).order.indexOf(id)
      },
    ),
    runs(1_000),
  )
})
