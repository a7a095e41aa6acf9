import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pTimeout from 'p-timeout'
import type { Claim, Claimed, Coordination, CoordinatedWindow, Unclaimed, WindowClaim } from '../../contracts/coordination.ts'
import type { TokenWindow } from '../../contracts/rate-limiter.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { onEachStore, type Closing } from './on-each-store.ts'

/** Processes that count together. Names in the suite are random, so the service may keep what earlier tests counted. */
export interface CoordinationUnderTest extends Closing {
  /** The implementation of one more process. At least three join. */
  join(): Maybe<Coordination>
  /** Ends a process without a word, as `kill -9` does: no call comes from it again. Without it, nothing tests that its places expire. */
  kill?(member: Coordination): Maybe<void>
  /** Lets time pass for the service. Without it, the suite waits where that takes up to two seconds, and leaves out the rest. */
  pass?(milliseconds: number): Maybe<void>
  /** Loses all that was counted, as a restart without persistence does. */
  lose?(): Maybe<void>
}

/** For `coordinationSuite`. */
export interface CoordinationSuiteOptions {
  /** Called once per test. */
  open(): Maybe<CoordinationUnderTest>
}

type Test = (under: CoordinationUnderTest) => Promise<void>

const minuteMs = 60_000
const deadlineMs = 20_000
/** How long places of a process live without a sign of life, at most. */
const expiryMs = 15_000

/** Tests for every implementation of `Coordination`. */
export function coordinationSuite(t: SuiteContext, { open }: CoordinationSuiteOptions): void {
  const onEach = onEachStore(t, open)
  const test = (name: string, run: Test): void =>
    onEach(name, async under => await pTimeout(run(under), { milliseconds: deadlineMs, message: `"${name}" took too long` }))

  test('a claim takes all of it, or nothing', takesAllOrNothing)
  test('claims at the same time, of windows in any order, never take too much', neverTakesTooMuch)
  test('places at the same time are never too many', neverTooManyPlaces)
  test('a place is free once it is given back, by its name and only once', givesPlacesBack)
  test('calls of one process take effect in their order', keepsOrder)
  test('a place that a process has counts whatever the limit is', holdsPlaces)
  test('the places of a process that died are free, and those of others are not', expires)
  test('a change counts once, for its run only, and never leaves less than 0', changesOnce)
  test('a change without a run begins a window if there is none', changesBegin)
  test('many changes arrive together', changesMany)
  test('a window begins with its first claim, ends, and begins again as another run', runs)
  test('a saved window counts only where the window is not known', takesSaved)
  test('asking how windows stand begins nothing', asks)
  test('groups and buckets may have any name', takesAnyName)
  test('beats tell how many processes there are, and that nothing was lost', beats)
  test('what was counted and is lost shows as another generation', loses)
  test('gauges are those of every process', showsGauges)
  test('sums add up what all processes exchange', exchanges)
  test('an exchange returns what changed since the last one', exchangesChanges)
}

function windowOf(tokens: number, windowMs: number = minuteMs): TokenWindow {
  return { bucket: `suite:${randomUUID()}`, tokens, windowMs }
}

function newGroup(): string {
  return `suite-${randomUUID()}`
}

function claimOf(group: string, windows: readonly TokenWindow[], amount: number, places: Claim['places'] = []): Claim {
  return { group, places, windows: windows.map(window => ({ ...window, amount })) }
}

function isTaken(result: Claimed | Unclaimed): result is Claimed {
  assert.ok(Array.isArray(result.windows), 'an answer says how the windows stand')
  return result.fullWindows === undefined
}

async function taken(member: Coordination, claim: Claim): Promise<readonly CoordinatedWindow[]> {
  const result = await member.claim(claim)
  assert.ok(isTaken(result), `this fits, but was refused: ${JSON.stringify(claim)}`)
  assert.equal(result.windows.length, claim.windows.length, 'every window has a state')
  return result.windows
}

async function refused(member: Coordination, claim: Claim): Promise<Unclaimed> {
  const result = await member.claim(claim)
  if (isTaken(result)) assert.fail(`this does not fit, but was taken: ${JSON.stringify(claim)}`)
  assert.equal(result.windows.length, claim.windows.length, 'every window has a state')
  return result
}

async function usedOf(member: Coordination, group: string, windows: readonly TokenWindow[]): Promise<readonly number[]> {
  return (await member.states(group, windows)).map(({ used }) => used)
}

async function joined(under: CoordinationUnderTest): Promise<readonly [Coordination, Coordination, Coordination]> {
  return [await under.join(), await under.join(), await under.join()]
}

function placeOf(bucket: string, limit: number): Claim['places'][number] {
  return { bucket, limit, place: randomUUID() }
}

const takesAllOrNothing: Test = async under => {
  const [one, two] = await joined(under)
  const group = newGroup()
  const [wide, narrow] = [windowOf(100), windowOf(10, 2 * minuteMs)]
  const bucket = `suite:${randomUUID()}`
  const first = await taken(one, claimOf(group, [wide, narrow], 6, [placeOf(bucket, 2)]))
  assert.deepEqual(
    first.map(({ used }) => used),
    [6, 6],
    'the states are those with the claim',
  )
  for (const [index, windowMs] of [minuteMs, 2 * minuteMs].entries()) {
    const { endsInMs, run } = first[index]!
    assert.ok(endsInMs! > windowMs - minuteMs / 2 && endsInMs! <= windowMs, `a window of ${windowMs} ms ends in ${endsInMs}`)
    assert.equal(typeof run, 'string')
  }
  const full = await refused(two, claimOf(group, [wide, narrow], 5, [placeOf(bucket, 2)]))
  assert.deepEqual([full.fullPlace, full.fullWindows], [undefined, [narrow.bucket]])
  assert.deepEqual(
    full.windows.map(({ used }) => used),
    [6, 6],
    'the states are those without the claim',
  )
  const both = await refused(two, claimOf(group, [narrow, wide], 101))
  assert.deepEqual(both.fullWindows.toSorted(), [wide.bucket, narrow.bucket].toSorted())
  await taken(two, claimOf(group, [narrow, wide], 4, [placeOf(bucket, 2)]))
  const crowded = await refused(one, claimOf(group, [wide], 1, [placeOf(`suite:${randomUUID()}`, 1), placeOf(bucket, 2)]))
  assert.equal(crowded.fullPlace, bucket)
  assert.deepEqual(await usedOf(one, group, [wide, narrow]), [10, 10])
  assert.equal((await refused(one, claimOf(group, [], 0, [placeOf(bucket, 0)]))).fullPlace, bucket, 'a limit of 0 has no place')
  const mixed: readonly WindowClaim[] = [
    { ...wide, amount: 5 },
    { ...narrow, amount: 0 },
  ]
  await taken(one, { group, places: [], windows: mixed })
  assert.deepEqual(await usedOf(two, group, [wide, narrow]), [15, 10], 'each window has an amount of its own')
}

const neverTakesTooMuch: Test = async under => {
  const members = await joined(under)
  const group = newGroup()
  const [first, second, third] = [windowOf(100), windowOf(60), windowOf(80)]
  const orders = [[first, second, third], [third, second, first], [second, first], [third, first], [first]]
  const claims = Array.from({ length: 200 }, (_, index) => ({
    member: members[index % members.length]!,
    windows: orders[index % orders.length]!,
    amount: (index % 3) + 1,
  }))
  const results = await Promise.all(
    claims.map(async each => ({ ...each, result: await each.member.claim(claimOf(group, each.windows, each.amount)) })),
  )
  const sums = new Map([first, second, third].map(({ bucket }) => [bucket, 0]))
  for (const { windows, amount, result } of results)
    if (isTaken(result)) for (const { bucket } of windows) sums.set(bucket, sums.get(bucket)! + amount)
  for (const window of [first, second, third]) {
    const sum = sums.get(window.bucket)!
    assert.ok(sum <= window.tokens, `${sum} of ${window.tokens} were taken`)
    assert.ok(sum > window.tokens - 3 || window === second || window === third, `${sum} of ${window.tokens} were taken, though more fit`)
    for (const member of members) assert.deepEqual(await usedOf(member, group, [window]), [sum], 'all processes see what was taken')
  }
}

const neverTooManyPlaces: Test = async under => {
  const members = await joined(under)
  const group = newGroup()
  const bucket = `suite:${randomUUID()}`
  const window = windowOf(1_000)
  const results = await Promise.all(
    Array.from({ length: 60 }, (_, index) => members[index % 3]!.claim(claimOf(group, [window], 1, [placeOf(bucket, 7)]))),
  )
  assert.equal(results.filter(isTaken).length, 7)
  assert.deepEqual(await usedOf(members[0], group, [window]), [7], 'a request without a place counts in no window')
}

const givesPlacesBack: Test = async under => {
  const [one, two] = await joined(under)
  const group = newGroup()
  const bucket = `suite:${randomUUID()}`
  const [first, second] = [placeOf(bucket, 2), placeOf(bucket, 2)]
  await taken(one, claimOf(group, [], 0, [first]))
  await taken(two, claimOf(group, [], 0, [second]))
  await refused(two, claimOf(group, [], 0, [placeOf(bucket, 2)]))
  const back = { group, bucket, place: first.place, isHeld: false }
  await one.change([], [back, back])
  await one.change([], [back, { ...back, place: randomUUID() }, { ...back, bucket: `suite:${randomUUID()}` }])
  await taken(two, claimOf(group, [], 0, [placeOf(bucket, 2)]))
  await refused(one, claimOf(group, [], 0, [placeOf(bucket, 2)]))
}

const keepsOrder: Test = async under => {
  const [one] = await joined(under)
  const group = newGroup()
  const bucket = `suite:${randomUUID()}`
  const window = windowOf(1_000)
  const calls: Promise<unknown>[] = []
  for (let round = 0; round < 50; round++) {
    const place = placeOf(bucket, 1)
    calls.push(taken(one, claimOf(group, [window], 1, [place])))
    calls.push(one.change([], [{ group, bucket, place: place.place, isHeld: false }]))
  }
  await Promise.all(calls)
}

const holdsPlaces: Test = async under => {
  const [one, two] = await joined(under)
  const group = newGroup()
  const bucket = `suite:${randomUUID()}`
  const held = placeOf(bucket, 1)
  await taken(one, claimOf(group, [], 0, [held]))
  const other = { group, bucket, place: randomUUID(), isHeld: true }
  await two.change([], [other, { ...other, place: held.place }, other])
  await refused(one, claimOf(group, [], 0, [placeOf(bucket, 2)]))
  await taken(one, claimOf(group, [], 0, [placeOf(bucket, 3)]))
}

const expires: Test = async under => {
  if (!under.kill || !under.pass) return
  const [dying, living, other] = await joined(under)
  const group = newGroup()
  const bucket = `suite:${randomUUID()}`
  await dying.beat({})
  await living.beat({})
  await taken(dying, claimOf(group, [], 0, [placeOf(bucket, 2)]))
  await taken(living, claimOf(group, [], 0, [placeOf(bucket, 2)]))
  await under.kill(dying)
  await refused(other, claimOf(group, [], 0, [placeOf(bucket, 2)]))
  for (let waited = 0; waited < expiryMs; waited += 1_000) {
    await under.pass(1_000)
    await Promise.all([living.beat({}), other.beat({})])
  }
  await taken(other, claimOf(group, [], 0, [placeOf(bucket, 2)]))
  await refused(other, claimOf(group, [], 0, [placeOf(bucket, 2)]))
}

const changesOnce: Test = async under => {
  const [one, two] = await joined(under)
  const group = newGroup()
  const window = windowOf(100)
  const { bucket, windowMs } = window
  const [{ run } = { run: undefined }] = await taken(one, claimOf(group, [window], 40))
  await two.change([{ group, bucket, windowMs, run, amount: -15 }], [])
  assert.deepEqual(await usedOf(one, group, [window]), [25])
  await one.change([{ group, bucket, windowMs, run: 'another run', amount: 50 }], [])
  assert.deepEqual(await usedOf(two, group, [window]), [25], 'another run is over')
  await one.change([{ group, bucket, windowMs, run, amount: -100 }], [])
  assert.deepEqual(await usedOf(two, group, [window]), [0])
  await one.change([{ group, bucket, windowMs, run: undefined, endsInMs: 1_000, amount: 130 }], [])
  const [state] = await two.states(group, [window])
  assert.equal(state!.used, 130, 'a change may overrun a window')
  assert.equal(state!.run, run, 'a window that runs goes on')
  assert.ok(state!.endsInMs! > 1_000, 'and ends when it would have')
}

const changesBegin: Test = async under => {
  const [one, two] = await joined(under)
  const group = newGroup()
  const [begun, never, over] = [windowOf(100), windowOf(100), windowOf(100)]
  await one.change(
    [
      { group, bucket: begun.bucket, windowMs: minuteMs, run: undefined, endsInMs: minuteMs / 2, amount: 30 },
      { group, bucket: never.bucket, windowMs: minuteMs, run: undefined, endsInMs: minuteMs / 2, amount: -30 },
      { group, bucket: over.bucket, windowMs: minuteMs, run: 'a run that is over', amount: 30 },
    ],
    [],
  )
  assert.deepEqual(await usedOf(two, group, [begun, never, over]), [30, 0, 0])
  const [state] = await two.states(group, [begun])
  assert.ok(state!.endsInMs! > 0 && state!.endsInMs! <= minuteMs / 2, `ends in ${state!.endsInMs}`)
  await taken(one, claimOf(group, [begun, never, over], 70))
  await refused(two, claimOf(group, [begun], 1))
}

const changesMany: Test = async under => {
  const [one, two] = await joined(under)
  const groups = [newGroup(), newGroup(), newGroup()]
  const windows = Array.from({ length: 300 }, () => windowOf(10))
  const groupOf = (index: number): string => groups[index % groups.length]!
  await one.change(
    windows.map(({ bucket, windowMs }, index) => ({
      group: groupOf(index),
      bucket,
      windowMs,
      run: undefined,
      endsInMs: windowMs,
      amount: 1 + (index % 9),
    })),
    windows.map(({ bucket }, index) => ({ group: groupOf(index), bucket, place: randomUUID(), isHeld: true })),
  )
  for (const [which, group] of groups.entries()) {
    const own = windows.filter((_, index) => index % groups.length === which)
    const expected = windows.flatMap((_, index) => (index % groups.length === which ? [1 + (index % 9)] : []))
    assert.deepEqual(await usedOf(two, group, own), expected)
    await refused(two, claimOf(group, [], 0, [placeOf(own[0]!.bucket, 1)]))
  }
  await one.change([], [])
}

const runs: Test = async under => {
  const [one, two] = await joined(under)
  const group = newGroup()
  const window = windowOf(10, 300)
  const [first] = await taken(one, claimOf(group, [window], 10))
  const [same] = (await refused(two, claimOf(group, [window], 1))).windows
  assert.equal(same!.run, first!.run)
  await (under.pass ?? sleep)(310)
  assert.deepEqual(await usedOf(two, group, [window]), [0])
  const [second] = await taken(two, claimOf(group, [window], 10))
  assert.notEqual(second!.run, first!.run)
  await one.change([{ group, bucket: window.bucket, windowMs: 300, run: first!.run, amount: -10 }], [])
  await refused(one, claimOf(group, [window], 1))
}

const takesSaved: Test = async under => {
  const [one, two] = await joined(under)
  const group = newGroup()
  const [window, other, over] = [windowOf(100), windowOf(10), windowOf(10)]
  const claim = (each: TokenWindow, amount: number, used: number, endsInMs: number): Claim => ({
    group,
    places: [],
    windows: [{ ...each, amount, saved: { used, endsInMs } }],
  })
  const [state] = await taken(one, claim(window, 10, 60, 20_000))
  assert.equal(state!.used, 70)
  assert.ok(state!.endsInMs! <= 20_000)
  assert.equal((await taken(two, claim(window, 10, 90, 50_000)))[0]!.used, 80, 'a window that is known is right')
  const [full] = (await refused(one, claim(other, 1, 10, 20_000))).windows
  assert.equal(full!.used, 10)
  assert.equal((await taken(one, claim(over, 1, 10, 0)))[0]!.used, 1, 'a saved window that is over counts nothing')
}

const asks: Test = async under => {
  const [one, two] = await joined(under)
  const group = newGroup()
  const windows = [windowOf(10), windowOf(20)]
  for (const member of [one, two])
    for (const { used, endsInMs, run } of await member.states(group, windows))
      assert.deepEqual([used, endsInMs ?? undefined, run ?? undefined], [0, undefined, undefined])
  await taken(one, claimOf(group, [windows[1]!], 5))
  assert.deepEqual(await usedOf(two, group, windows), [0, 5])
  assert.deepEqual(await two.states(group, []), [])
}

const takesAnyName: Test = async under => {
  const [one, two] = await joined(under)
  const names = ['a b', 'a{b}c', '}{', 'naïve “text”\n🔑', '*', "it's", '{}', 'x'.repeat(500), 'a:b:c', '\0']
  for (const name of names) {
    const group = `${name}${randomUUID()}`
    const window = { bucket: `${name}${randomUUID()}`, tokens: 10, windowMs: minuteMs }
    await taken(one, claimOf(group, [window], 4, [placeOf(window.bucket, 1)]))
    assert.equal((await refused(two, claimOf(group, [window], 4, [placeOf(window.bucket, 1)]))).fullPlace, window.bucket, name)
    assert.deepEqual((await refused(two, claimOf(group, [window], 7))).fullWindows, [window.bucket], name)
    assert.deepEqual(await usedOf(two, group, [window]), [4])
  }
}

const beats: Test = async under => {
  const [one, two, three] = await joined(under)
  await one.beat({})
  await two.beat({})
  const third = await three.beat({})
  const first = await one.beat({})
  assert.ok(third.processes >= 3 && first.processes >= 3, `${first.processes} processes`)
  assert.equal(first.generation, third.generation)
  assert.equal(typeof first.generation, 'string')
  if (!under.kill || !under.pass) return
  await under.kill(two)
  for (let waited = 0; waited < expiryMs; waited += 1_000) {
    await under.pass(1_000)
    await Promise.all([one.beat({}), three.beat({})])
  }
  assert.equal((await one.beat({})).processes, first.processes - 1)
}

const loses: Test = async under => {
  if (!under.lose) return
  const [one, two] = await joined(under)
  const group = newGroup()
  const window = windowOf(10)
  const { generation } = await one.beat({})
  await taken(one, claimOf(group, [window], 10))
  await under.lose()
  const after = await one.beat({})
  assert.notEqual(after.generation, generation)
  assert.equal((await two.beat({})).generation, after.generation)
  assert.deepEqual(await usedOf(two, group, [window]), [0])
}

const showsGauges: Test = async under => {
  const [one, two, three] = await joined(under)
  const name = `suite:${randomUUID()}`
  await one.beat({ [name]: 1, other: 2.5 })
  await two.beat({ [name]: 10 })
  await three.beat({})
  const sum = async (): Promise<number> => (await three.gauges()).reduce((total, gauges) => total + (gauges[name] ?? 0), 0)
  assert.equal(await sum(), 11)
  await one.beat({ [name]: 4 })
  await two.beat({})
  assert.equal(await sum(), 4, 'the last beat counts')
}

/** The sums of these names, however many others there are. */
function sumsOf({ sums }: Awaited<ReturnType<Coordination['exchange']>>, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(sums.flatMap(({ name, counts }) => (names.includes(name) ? [[name, { ...counts }]] : [])))
}

const exchanges: Test = async under => {
  const members = await joined(under)
  const [a, b] = [`suite:${randomUUID()}`, `suite:${randomUUID()}`]
  await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      members[index % 3]!.exchange(
        [
          { name: a, counts: { requests: 1, tokens: index }, forMs: minuteMs },
          { name: b, counts: { [`field ${index % 2}`]: 2 }, forMs: minuteMs },
        ],
        undefined,
      ),
    ),
  )
  const expected = { [a]: { requests: 30, tokens: 435 }, [b]: { 'field 0': 30, 'field 1': 30 } }
  for (const member of members) assert.deepEqual(sumsOf(await member.exchange([], undefined), [a, b]), expected)
  const more = await members[0].exchange([{ name: a, counts: { tokens: -35 }, forMs: minuteMs }], undefined)
  assert.deepEqual(sumsOf(more, [a]), { [a]: { requests: 30, tokens: 400 } }, 'an exchange counts what it brings')
}

const exchangesChanges: Test = async under => {
  const [one, two] = await joined(under)
  const [a, b, short] = [`suite:${randomUUID()}`, `suite:${randomUUID()}`, `suite:${randomUUID()}`]
  const names = [a, b, short]
  await one.exchange(
    [a, b].map(name => ({ name, counts: { n: 1 }, forMs: minuteMs })),
    undefined,
  )
  const start = await two.exchange([], undefined)
  assert.deepEqual(sumsOf(start, names), { [a]: { n: 1 }, [b]: { n: 1 } })
  assert.deepEqual(sumsOf(await two.exchange([], start.since), names), {}, 'nothing changed')
  await one.exchange([{ name: b, counts: { n: 5 }, forMs: minuteMs }], undefined)
  const next = await two.exchange([{ name: short, counts: { n: 1 }, forMs: 200 }], start.since)
  assert.deepEqual(sumsOf(next, names), { [b]: { n: 6 }, [short]: { n: 1 } })
  assert.deepEqual(sumsOf(await two.exchange([], next.since), names), {})
  await (under.pass ?? sleep)(210)
  assert.deepEqual(
    sumsOf(await two.exchange([], undefined), names),
    { [a]: { n: 1 }, [b]: { n: 6 } },
    'a sum is kept as long as it should be',
  )
  assert.deepEqual(sumsOf(await two.exchange([], 'what no service said'), names), { [a]: { n: 1 }, [b]: { n: 6 } })
}
