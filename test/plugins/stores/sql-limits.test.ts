import t from 'tap'
import type { Hold, RateLimiter, TokenWindow } from '../../../core/stores.ts'
import { SqlLimits } from '../../../plugins/stores/sql/limits.ts'
import { SqlSavedWindows } from '../../../plugins/stores/sql/saved-windows.ts'
import { WindowRows } from '../../../plugins/stores/sql/window-rows.ts'
import { rateLimiterSuite, savedWindowsSuite } from '../../../core/testing/index.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { onEveryDatabase, silent } from './databases.ts'

const hourMs = 3_600_000
const hourly: TokenWindow = { bucket: 'key:k1:tokens:3600000', tokens: 1_000, windowMs: hourMs }
const short: TokenWindow = { bucket: 'key:k1:requests:60000', tokens: 10, windowMs: 60_000 }

async function take(limits: RateLimiter, window: TokenWindow, tokens: number): Promise<Hold> {
  const taken = await limits.reserve([window], tokens)
  if ('retryAfterMs' in taken) throw new Error(`refused: ${JSON.stringify(taken)}`)
  return taken
}

onEveryDatabase(t, (t, open) => {
  void t.test('a window of an hour survives a restart, and a shorter one need not', async t => {
    const database = await open(t)
    const clock = new FakeClock()
    const first = new SqlLimits(database, clock, silent)
    await take(first, short, 10)
    const hold = await take(first, hourly, 900)
    await hold.settle(600)
    await first.stop()
    clock.pass(hourMs / 2)
    const second = new SqlLimits(database, clock, silent)
    t.same(await second.reserve([hourly], 500), { full: hourly, retryAfterMs: hourMs / 2 })
    await take(second, hourly, 400)
    t.same(await second.reserve([hourly], 1), { full: hourly, retryAfterMs: hourMs / 2 })
    t.notOk('retryAfterMs' in (await second.reserve([short], 10)))
    t.same(await second.reserve([hourly], 1_001), { full: hourly, retryAfterMs: undefined }, 'it never fits')
    clock.pass(hourMs / 2)
    await take(second, hourly, 1_000)
    await second.stop()
  })

  void t.test('gateways count together', async t => {
    const database = await open(t)
    const clock = new FakeClock()
    const [one, two] = [new SqlLimits(database, clock, silent), new SqlLimits(database, clock, silent)]
    await take(one, hourly, 400)
    await one.stop()
    await take(two, hourly, 500)
    await two.stop()
    await take(one, hourly, 50)
    await one.stop()
    t.same(await one.reserve([hourly], 60), { full: hourly, retryAfterMs: hourMs }, 'what the other one counted is known after a save')
    const third = new SqlLimits(database, clock, silent)
    await take(third, hourly, 50)
    t.same(await third.reserve([hourly], 1), { full: hourly, retryAfterMs: hourMs })
  })

  void t.test('keeps windows for a limiter that counts elsewhere', async t => {
    const database = await open(t)
    const clock = new FakeClock()
    const ahead = new FakeClock(clock.now() + 300_000)
    const [one, two] = [clock, ahead].map(machine => new SqlSavedWindows(new WindowRows(database, database, machine, clock), machine)) as [
      SqlSavedWindows,
      SqlSavedWindows,
    ]
    t.same(await one.read(['a', 'b']), [])
    await one.add([
      { bucket: 'b', used: 5, endsInMs: hourMs },
      { bucket: 'a', used: 7, endsInMs: 2 * hourMs },
    ])
    t.same(await two.add([{ bucket: 'b', used: -2, endsInMs: hourMs / 2 }]), [{ bucket: 'b', used: 3, endsInMs: hourMs }])
    const read = async (from: SqlSavedWindows): Promise<unknown> =>
      (await from.read(['a', 'b', 'c'])).toSorted((a, b) => (a.bucket < b.bucket ? -1 : 1))
    const both = [
      { bucket: 'a', used: 7, endsInMs: 2 * hourMs },
      { bucket: 'b', used: 3, endsInMs: hourMs },
    ]
    t.same(await read(one), both, 'both add')
    t.same(await read(two), both, 'whatever the clock of a machine says')
    clock.pass(hourMs)
    t.same(await read(one), [{ bucket: 'a', used: 7, endsInMs: hourMs }])
    t.same(await one.add([{ bucket: 'b', used: 4, endsInMs: hourMs }]), [{ bucket: 'b', used: 4, endsInMs: hourMs }], 'it begins anew')
    await one.add(Array.from({ length: 1_200 }, (_, index) => ({ bucket: `many ${index}`, used: index, endsInMs: hourMs })))
    t.match(await one.read(['many 1199']), [{ used: 1_199 }])
  })

  savedWindowsSuite(t, {
    async open() {
      const database = await open(t)
      const clock = new FakeClock()
      const [windows, other] = [1, 2].map(() => new SqlSavedWindows(new WindowRows(database, database, clock, clock), clock))
      return { windows: windows!, other: other!, pass: milliseconds => clock.pass(milliseconds) }
    },
  })

  rateLimiterSuite(t, {
    async open() {
      const database = await open(t)
      const clock = new FakeClock()
      const [limiter, other] = [new SqlLimits(database, clock, silent), new SqlLimits(database, clock, silent)]
      return {
        limiter,
        other,
        pass: milliseconds => clock.pass(milliseconds),
        exchange: async () => void (await Promise.all([limiter.stop(), other.stop()])),
      }
    },
  })
})

t.test('holds are extended, settled once, and given back', async t => {
  const broken = new Proxy(
    {},
    {
      get: () => () => {
        throw new Error('the database is down')
      },
    },
  ) as never
  const clock = new FakeClock()
  const limits = new SqlLimits(broken, clock, silent)
  const hold = await take(limits, short, 4)
  t.equal(await hold.extend(6), true)
  t.equal(await hold.extend(1), false)
  t.same(await limits.reserve([short], 1), { full: short, retryAfterMs: 60_000 })
  await hold.settle(7)
  await hold.settle(0)
  await hold.release()
  await take(limits, short, 3)
  t.same(await limits.reserve([short], 1), { full: short, retryAfterMs: 60_000 })
  const before = await take(limits, { ...short, bucket: 'b' }, 10)
  clock.pass(60_000)
  await take(limits, { ...short, bucket: 'b' }, 2)
  await before.release()
  t.same(
    await limits.reserve([{ ...short, bucket: 'b' }], 9),
    { full: { ...short, bucket: 'b' }, retryAfterMs: 60_000 },
    'a finished window gives nothing back to the next one',
  )
  t.throws(() => limits.reserve([short], -1), /0 or more/)
  await take(limits, hourly, 1_000)
  t.ok('retryAfterMs' in (await limits.reserve([hourly], 1)), 'a long window works without the database, in this process')
  const leave = limits.enter('key:k1', 1) as () => void
  t.equal(limits.enter('key:k1', 1), undefined)
  leave()
  t.ok(limits.enter('key:k1', 1))
})
