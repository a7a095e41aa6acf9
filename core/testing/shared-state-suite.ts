import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SharedChange, SharedState } from '../contracts/shared-state.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { SuiteContext } from './provider-suite.ts'

/** Gateways that share what they learn. They need not be empty: the suite makes names up. */
export interface SharingGateways {
  /** The implementation of another of these gateways. At least three join. */
  join(): Maybe<SharedState>
  /** Called after each test. */
  close?(): Maybe<void>
}

/** For `sharedStateSuite`. */
export interface SharedStateSuiteOptions {
  /** Called once per test. */
  open(): Maybe<SharingGateways>
  /** How long a change may take to arrive, in milliseconds. Default: 5000. */
  readonly arriveMs?: number
}

/** Long enough that nothing ends during a test. */
const validMs = 600_000

interface JoinedGateway {
  publish(change: SharedChange): Promise<void>
  readonly received: readonly SharedChange[]
}

type Test = (gateways: { join(): Promise<JoinedGateway>; arrives(isThere: () => boolean, what: string): Promise<void> }) => Promise<void>

/** Tests for every implementation of `SharedState`. */
export function sharedStateSuite(t: SuiteContext, { open, arriveMs = 5_000 }: SharedStateSuiteOptions): void {
  const test = (name: string, run: Test): void =>
    void t.test(name, async () => {
      const gateways = await open()
      try {
        await run({ join: async () => await memberOf(await gateways.join()), arrives: (isThere, what) => until(isThere, what, arriveMs) })
      } finally {
        await gateways.close?.()
      }
    })
  test('a change reaches all other gateways, and not the one that it is from', reachesOthers)
  test('the changes of a key arrive in their order', keepsOrder)
  test('keys and values arrive as they were', keepsValues)
  test('a gateway that starts late gets what is still valid', tellsLate)
  test('a gateway that is alone may publish', standsAlone)
}

async function memberOf(state: SharedState): Promise<JoinedGateway> {
  const received: SharedChange[] = []
  await state.subscribe(change => void received.push(change))
  return { received, publish: async change => await state.publish(change) }
}

async function until(isThere: () => boolean, what: string, arriveMs: number): Promise<void> {
  const deadline = performance.now() + arriveMs
  while (!isThere()) {
    assert.ok(performance.now() < deadline, `${what} did not arrive within ${arriveMs} ms`)
    await sleep(5)
  }
}

let made = 0
/** A map that no other test uses. */
function newMap(): string {
  return `suite/${process.pid}-${++made}-${performance.now()}`
}

function changesIn(map: string, { received }: JoinedGateway): readonly SharedChange[] {
  return received.filter(change => change.map === map)
}

const reachesOthers: Test = async ({ join, arrives }) => {
  const map = newMap()
  const [one, two, three] = [await join(), await join(), await join()]
  await one.publish({ map, key: 'a', value: 1, forMs: validMs })
  await two.publish({ map, key: 'b', value: 2, forMs: validMs })
  await three.publish({ map, key: 'last', value: 3, forMs: validMs })
  const expected = [
    [one, ['b', 'last']],
    [two, ['a', 'last']],
    [three, ['a', 'b']],
  ] as const
  for (const [member, keys] of expected) {
    await arrives(() => changesIn(map, member).length >= keys.length, `changes of ${keys.join(' and ')}`)
    assert.deepEqual(
      changesIn(map, member)
        .map(({ key }) => key)
        .sort(),
      keys,
    )
  }
}

const keepsOrder: Test = async ({ join, arrives }) => {
  const map = newMap()
  const [one, two] = [await join(), await join()]
  // Not awaited one by one: core does not wait either.
  const sent = Array.from({ length: 100 }, (_, value) => one.publish({ map, key: `key ${value % 3}`, value, forMs: validMs }))
  sent.push(one.publish({ map, key: 'key 0', forMs: 0 }))
  await Promise.all(sent)
  await arrives(() => changesIn(map, two).some(({ key, forMs }) => key === 'key 0' && forMs === 0), 'the end of an entry')
  for (const key of ['key 1', 'key 2']) {
    const last = (): unknown => changesIn(map, two).findLast(change => change.key === key)?.value
    await arrives(() => last() === (key === 'key 1' ? 97 : 98), `the last value of ${key}`)
  }
  for (const key of ['key 0', 'key 1', 'key 2']) {
    const changes = changesIn(map, two).filter(change => change.key === key)
    const values = changes.filter(({ forMs }) => forMs > 0).map(({ value }) => value as number)
    assert.deepEqual(
      values,
      values.toSorted((a, b) => a - b),
      `the values of ${key}`,
    )
    assert.equal(
      changes.findIndex(({ forMs }) => forMs === 0),
      key === 'key 0' ? changes.length - 1 : -1,
      'the end of an entry comes last',
    )
  }
}

const keepsValues: Test = async ({ join, arrives }) => {
  const map = newMap()
  const [one, two] = [await join(), await join()]
  const values: readonly unknown[] = [true, 0, -1.5, '', 'naïve “text”\n🔑', [], { provider: 'acme', model: 'm/1:latest' }, [{ a: [null] }]]
  const keys = ['a', 'org/team/user\nm\n搜索', 'x'.repeat(1_000), '{"a":1}', "it's", '*', 'a:b', ' ']
  for (const [index, value] of values.entries()) await one.publish({ map, key: keys[index]!, value, forMs: validMs })
  await arrives(() => changesIn(map, two).length >= values.length, 'each value')
  const arrived = new Map(changesIn(map, two).map(change => [change.key, change]))
  for (const [index, value] of values.entries()) {
    const change = arrived.get(keys[index]!)
    assert.ok(change, `the key ${JSON.stringify(keys[index])}`)
    assert.deepEqual(change.value, value)
    assert.ok(change.forMs > validMs - 60_000 && change.forMs <= validMs, `${change.forMs} ms are left of ${validMs}`)
  }
}

const tellsLate: Test = async ({ join, arrives }) => {
  const map = newMap()
  const one = await join()
  await one.publish({ map, key: 'valid', value: 'first', forMs: validMs })
  await one.publish({ map, key: 'valid', value: 'second', forMs: validMs })
  await one.publish({ map, key: 'gone', value: true, forMs: validMs })
  await one.publish({ map, key: 'gone', forMs: 0 })
  await one.publish({ map, key: 'over', value: true, forMs: 1 })
  await sleep(20)
  const late = await join()
  const lastOf = (name: string): SharedChange | undefined => changesIn(map, late).findLast(({ key }) => key === name)
  await arrives(() => lastOf('valid')?.value === 'second', 'an entry that is valid')
  await one.publish({ map, key: 'after', value: true, forMs: validMs })
  await arrives(() => lastOf('after') !== undefined, 'a change after the start')
  for (const name of ['gone', 'over']) assert.ok((lastOf(name)?.forMs ?? 0) <= 1, `an entry that is ${name}`)
}

const standsAlone: Test = async ({ join }) => {
  const alone = await join()
  const map = newMap()
  await alone.publish({ map, key: 'a', value: true, forMs: validMs })
  await alone.publish({ map, key: 'a', forMs: 0 })
  assert.deepEqual(changesIn(map, alone), [])
}
