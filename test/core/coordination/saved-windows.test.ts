import t, { type Test } from 'tap'
import type { SavedWindow, SavedWindows, TokenWindow } from '../../../core/stores.ts'
import { LimitedProcesses } from './limited-processes.ts'

const hour = 3_600_000
const long: TokenWindow = { bucket: 'key:k:requests:3600000', tokens: 100, windowMs: hour }
const short: TokenWindow = { bucket: 'key:k:requests:60000', tokens: 100, windowMs: 60_000 }

/** A store in memory. */
class Kept implements SavedWindows {
  readonly windows = new Map<string, SavedWindow>()
  fails = false

  read(buckets: readonly string[]): readonly SavedWindow[] {
    if (this.fails) throw new Error('the database is down')
    return buckets.flatMap(bucket => this.windows.get(bucket) ?? [])
  }

  async add(changes: readonly SavedWindow[]): Promise<readonly SavedWindow[]> {
    if (this.fails) throw new Error('the database is down')
    return changes.map(change => {
      const window = { ...change, used: (this.windows.get(change.bucket)?.used ?? 0) + change.used }
      this.windows.set(change.bucket, window)
      return window
    })
  }
}

function processesOf(t: Test, kept: Kept): LimitedProcesses {
  const processes = new LimitedProcesses(kept)
  t.teardown(() => processes.stop())
  return processes
}

async function leftOf(processes: LimitedProcesses, window: TokenWindow): Promise<number> {
  return (await processes.all.at(-1)!.limiter.states([window]))[0]!.left
}

t.test('windows of an hour or more are saved, and survive a restart of everything', async t => {
  const kept = new Kept()
  const before = processesOf(t, kept)
  const { limiter } = await before.start()
  await limiter.reserve([long, short], 30)
  const hold = await limiter.reserve([short, long], 20)
  if (!('settle' in hold)) throw new Error('refused')
  await hold.settle(5)
  await limiter.stop()
  t.same([...kept.windows.values()], [{ bucket: long.bucket, used: 35, endsInMs: hour }], 'a refund is saved, too')
  const after = processesOf(t, kept)
  const again = await after.start()
  t.equal(await leftOf(after, long), 65)
  t.match(await again.limiter.reserve([long, short], 66), { full: long })
  t.match(await again.limiter.reserve([long, short], 65), { states: [{ left: 0 }, { left: 35 }] })
})

t.test('a service that lost its counts goes on from what was saved, and adds what was not', async t => {
  const kept = new Kept()
  const processes = processesOf(t, kept)
  const [one, two] = [await processes.start(), await processes.start()]
  await one.limiter.reserve([long, short], 30)
  await two.limiter.reserve([long, short], 10)
  for (const { limiter } of processes.all) await limiter.stop()
  t.equal(kept.windows.get(long.bucket)?.used, 40)
  await processes.cut(one, two)
  await one.limiter.reserve([long, short], 4)
  await processes.mend({ isLost: true })
  t.equal(await leftOf(processes, short), 56, 'short windows are counted again by each process')
  await one.limiter.reserve([long], 1)
  await processes.flush()
  t.equal(await leftOf(processes, long), 55)
})

t.test('a process that starts while the service is away goes on from what was saved', async t => {
  const kept = new Kept()
  const before = processesOf(t, kept)
  await (await before.start()).limiter.reserve([long], 80)
  await before.all[0]!.limiter.stop()
  const after = processesOf(t, kept)
  const [one, two] = [await after.start('fails'), await after.start('fails')]
  t.match(await one.limiter.states([long]), [{ left: 20 }])
  t.match(await one.limiter.reserve([long], 21), { full: long })
  t.match(await one.limiter.reserve([long], 15), { states: [{ left: 5 }] })
  await one.limiter.stop()
  t.match(await two.limiter.reserve([long], 6), { full: long }, 'others see what was counted alone')
  await after.mend()
  t.match(await one.limiter.reserve([long], 6), { full: long })
  t.ok('settle' in (await one.limiter.reserve([long], 2)))
  await after.flush()
  t.equal(await leftOf(after, long), 3, 'the service has what was saved, and what was counted alone')
  await one.limiter.stop()
  t.equal(kept.windows.get(long.bucket)?.used, 97, 'nothing is saved twice')
})

t.test('a loss that a claim meets before the sign of life loses nothing of what others counted', async t => {
  const kept = new Kept()
  const processes = processesOf(t, kept)
  const [one, two] = [await processes.start(), await processes.start()]
  await two.limiter.reserve([long], 20)
  await one.limiter.reserve([long], 10)
  for (const { limiter } of processes.all) await limiter.stop()
  processes.lose()
  await one.limiter.reserve([long], 1)
  for (const { coordinated } of processes.all) await coordinated.beat()
  await processes.flush()
  await two.limiter.reserve([long], 1)
  await processes.flush()
  for (const { limiter } of processes.all) await limiter.stop()
  t.equal(await leftOf(processes, long), 68)
  t.equal(kept.windows.get(long.bucket)?.used, 32)
})

t.test('where nothing is saved, each process counts its part again', async t => {
  const processes = new LimitedProcesses({ read: () => [], add: () => [] })
  t.teardown(() => processes.stop())
  const [one, two] = [await processes.start(), await processes.start()]
  await one.limiter.reserve([long], 30)
  await two.limiter.reserve([long], 10)
  for (const { limiter } of processes.all) await limiter.stop()
  await processes.mend({ isLost: true })
  await one.limiter.reserve([long], 1)
  await two.limiter.reserve([long], 1)
  await processes.flush()
  t.equal(await leftOf(processes, long), 58)
})

t.test('a database that is down stops nobody, and is told later', async t => {
  const kept = new Kept()
  const processes = processesOf(t, kept)
  const { limiter } = await processes.start()
  kept.fails = true
  t.ok('settle' in (await limiter.reserve([long], 10)))
  await limiter.stop()
  t.equal(kept.windows.size, 0)
  t.equal(processes.logs.length, 1, 'logged once')
  kept.fails = false
  await limiter.stop()
  t.equal(kept.windows.get(long.bucket)?.used, 10)
})

t.test('machines that cannot count together know of each other by what is saved', async t => {
  const kept = new Kept()
  const machines = [new LimitedProcesses(kept, true), new LimitedProcesses(kept, true)] as const
  for (const machine of machines) t.teardown(() => machine.stop())
  const [one, sibling, two] = [await machines[0].start(), await machines[0].start(), await machines[1].start()]
  const save = async (): Promise<void> => {
    for (const { limiter } of [one, sibling, two]) await limiter.stop()
  }
  const take = async ({ limiter }: typeof one, amount: number): Promise<boolean> => 'settle' in (await limiter.reserve([long], amount))
  t.ok((await take(one, 10)) && (await take(two, 20)) && (await take(sibling, 5)))
  await save()
  t.ok((await take(one, 1)) && (await take(two, 1)) && (await take(sibling, 1)))
  await save()
  t.equal(kept.windows.get(long.bucket)?.used, 38)
  t.equal(await leftOf(machines[0], long), 63, 'all but the last one, which was saved later')
  t.equal(await take(one, 64), false)
  t.equal(await take(two, 63), false)
  t.ok(await take(sibling, 63))
  await save()
  t.ok(await take(two, 1), 'it learns with what it saves')
  await save()
  t.equal(await take(two, 1), false)
})
