import t, { type Test } from 'tap'
import type { TokenWindow } from '../../../core/stores.ts'
import { LimitedProcesses, type LimitedProcess } from './limited-processes.ts'

const minute = 60_000
const window: TokenWindow = { bucket: 'key:k:requests:60000', tokens: 10, windowMs: minute }

async function processesOf(t: Test, count: number): Promise<LimitedProcesses> {
  const processes = new LimitedProcesses()
  t.teardown(() => processes.stop())
  for (let index = 0; index < count; index++) await processes.start()
  return processes
}

/** How many of so many requests at each process are taken. */
async function taken(of: readonly LimitedProcess[], each = 20, one = window): Promise<number> {
  const asked = of.flatMap(({ limiter }) => Array.from({ length: each }, () => limiter.reserve([one], 1, 'org')))
  return (await Promise.all(asked)).filter(result => 'settle' in result).length
}

for (const count of [1, 2, 3, 4, 7])
  t.test(`${count} processes that cannot count together take at most the limit and one less than there are`, async t => {
    const processes = await processesOf(t, count)
    await processes.cut(...processes.all)
    const most = count * Math.ceil(10 / count)
    t.equal(await taken(processes.all), most)
    t.ok(most <= 10 + count - 1)
    processes.clock.pass(minute)
    t.equal(await taken(processes.all), most, 'in each window')
  })

t.test('in the window of the change, they take at most twice the limit', async t => {
  const processes = await processesOf(t, 3)
  const [one, ...others] = processes.all as [LimitedProcess, LimitedProcess, LimitedProcess]
  t.equal(await taken([one]), 10)
  await processes.cut(...processes.all)
  t.equal(await taken([one]), 0, 'it has had its share')
  t.equal(await taken(others), 8)
})

t.test('one that is cut off takes its share, and what it took is added once when it is back', async t => {
  const processes = await processesOf(t, 3)
  const [one, two, cut] = processes.all as [LimitedProcess, LimitedProcess, LimitedProcess]
  await processes.cut(cut)
  t.equal(await taken([cut], 3), 3)
  t.equal(await taken([one, two], 2), 4)
  await processes.mend()
  t.equal((await one.limiter.states([window], 'org'))[0]!.left, 3)
  await processes.cut(cut)
  await processes.mend()
  t.equal((await one.limiter.states([window], 'org'))[0]!.left, 3, 'once')
  t.equal(await taken(processes.all), 3)
})

t.test('what was taken alone in a window that is over is not added', async t => {
  const processes = await processesOf(t, 2)
  await processes.cut(...processes.all)
  t.equal(await taken(processes.all), 10)
  processes.clock.pass(minute)
  await processes.mend()
  t.equal(await taken(processes.all), 10)
})

t.test('a window that only began alone ends when it would have', async t => {
  const processes = await processesOf(t, 2)
  await processes.cut(...processes.all)
  t.equal(await taken([processes.all[0]!], 4), 4)
  processes.clock.pass(minute / 2)
  await processes.mend()
  t.equal(await taken(processes.all), 6)
  processes.clock.pass(minute / 2)
  t.equal(await taken(processes.all), 10)
})

t.test('what a request gives back alone is not added', async t => {
  const processes = await processesOf(t, 2)
  const [one] = processes.all as [LimitedProcess]
  const before = await one.limiter.reserve([window], 4, 'org')
  await processes.cut(...processes.all)
  const alone = await one.limiter.reserve([window], 1, 'org')
  if (!('settle' in before && 'settle' in alone)) throw new Error('refused')
  await alone.release()
  await before.settle(2)
  await processes.mend()
  t.equal((await one.limiter.states([window], 'org'))[0]!.left, 8)
})

t.test('after a loss, each process adds its part of the windows that are open, once', async t => {
  const processes = await processesOf(t, 3)
  const short: TokenWindow = { bucket: 'short', tokens: 10, windowMs: 1_000 }
  t.equal(await taken(processes.all, 2), 6)
  t.equal(await taken(processes.all, 2, short), 6)
  const [one] = processes.all as [LimitedProcess]
  const hold = await one.limiter.reserve([window], 3, 'org')
  processes.clock.pass(1_000)
  await processes.mend({ isLost: true })
  t.equal((await one.limiter.states([window], 'org'))[0]!.left, 1)
  t.equal((await one.limiter.states([short], 'org'))[0]!.left, 10)
  if ('settle' in hold) await hold.settle(1)
  await processes.flush()
  t.equal(await taken(processes.all), 3)
  await processes.mend({ isLost: true })
  t.equal(await taken(processes.all), 0, 'and what came after it')
})

t.test('places: each has its share, and what is in progress counts again when they are back', async t => {
  const processes = await processesOf(t, 2)
  const [one, two] = processes.all as [LimitedProcess, LimitedProcess]
  const enter = async ({ limiter }: LimitedProcess): Promise<(() => void) | undefined> => await limiter.enter('key:k', 5, 'org')
  const leaves = [await enter(one), await enter(one), await enter(one), await enter(one)]
  await processes.cut(one, two)
  t.equal(await enter(one), undefined)
  leaves.push(await enter(two), await enter(two), await enter(two))
  t.equal(await enter(two), undefined)
  leaves.pop()!()
  leaves[0]!()
  await processes.mend({ isLost: true })
  t.equal(await enter(one), undefined, 'five are in progress')
  leaves[1]!()
  t.ok(await enter(two))
  t.equal(await enter(one), undefined)
  for (const leave of leaves) leave?.()
  for (let place = 0; place < 4; place++) t.ok(await enter(place % 2 ? one : two))
})

t.test('a process that starts while the service is absent goes by what it was told', async t => {
  const processes = new LimitedProcesses()
  t.teardown(() => processes.stop())
  const started = [await processes.start('fails', 4), await processes.start('fails', 4)]
  t.equal(await taken(started), 6)
  await processes.mend()
  t.equal((await started[0]!.limiter.states([window], 'org'))[0]!.left, 4)
})

t.test('exact limits are refused with 503, by calls that need them', async t => {
  const processes = await processesOf(t, 2)
  const [one] = processes.all as [LimitedProcess]
  const exact = { ...window, exact: true }
  t.ok('settle' in (await one.limiter.reserve([exact], 1, 'org')))
  await processes.cut(one)
  await t.rejects(one.limiter.reserve([exact], 1, 'org'), { message: /exact limit, which cannot be kept now/ })
  t.ok('settle' in (await one.limiter.reserve([window], 1, 'org')))
  await processes.mend()
  t.match(await one.limiter.reserve([exact], 1, 'org'), { states: [{ left: 7 }] })
})

t.test('a service that loses its counts admits nothing under exact limits until all have told theirs', async t => {
  const processes = await processesOf(t, 2)
  const [one, two] = processes.all as [LimitedProcess, LimitedProcess]
  const exact = { ...window, exact: true }
  t.ok('settle' in (await one.limiter.reserve([exact], 6, 'org')))
  processes.lose()
  await t.rejects(two.limiter.reserve([exact], 6, 'org'), { message: /exact limit, which cannot be kept now/ })
  await t.rejects(one.limiter.reserve([exact], 1, 'org'), { message: /exact limit, which cannot be kept now/ })
  for (const { coordinated } of processes.all) await coordinated.beat()
  await t.rejects(two.limiter.reserve([exact], 1, 'org'), { message: /exact limit/ }, 'others may not have noticed yet')
  processes.clock.pass(3_000)
  await processes.flush()
  t.match(await two.limiter.reserve([exact], 6, 'org'), { full: exact })
  t.ok('settle' in (await two.limiter.reserve([exact], 2, 'org')))
})

t.test('an exact limit is asked about once in each window of a process', async t => {
  const processes = await processesOf(t, 1)
  const [{ limiter, service }] = processes.all as [LimitedProcess]
  service.asked.length = 0
  for (let count = 0; count < 3; count++) await limiter.reserve([{ ...window, exact: true }], 1, 'org')
  t.same(service.asked, ['claim', 'beat', 'claim', 'claim'])
})

t.test('a stall counts as a failure after 50 ms, and what it took meanwhile is corrected', async t => {
  const processes = await processesOf(t, 2)
  const [one, two] = processes.all as [LimitedProcess, LimitedProcess]
  one.service.mode = 'stalls'
  const results = await Promise.all(Array.from({ length: 8 }, () => one.limiter.reserve([window], 1, 'org')))
  t.equal(results.filter(result => 'settle' in result).length, 5, 'its share')
  t.equal(one.coordinated.isUp, false)
  await processes.mend()
  t.equal((await two.limiter.states([window], 'org'))[0]!.left, 5, 'what the stalled claims took is given back')
})
