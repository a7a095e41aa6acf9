import t from 'tap'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { FailedTries } from '../../../core/admin.ts'
import { LiveMaps } from '../../../core/shared-state/live-maps.ts'
import type { Sealer, SharedChange, SharedMap, SharedState } from '../../../core/stores.ts'
import { sharedStateSuite } from '../../../core/testing/index.ts'
import { testSealer } from '../../plugins/stores/databases.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { SharingGroup } from '../../kit/sharing-group.ts'
import { later, throwing, unhandledDuring, unreadable } from '../../kit/thenables.ts'

sharedStateSuite(t, { open: () => new SharingGroup() })

const sealer: Sealer = testSealer()

interface Gateway {
  readonly maps: LiveMaps
  readonly ids: SharedMap<string>
  readonly privates: SharedMap<string>
  readonly logs: readonly string[]
}

function gateway(clock: FakeClock, state?: SharedState): Gateway {
  const logs: string[] = []
  const log = createLogger('info', new Masks(), line => void logs.push(line))
  const maps = new LiveMaps(clock, log)
  const accepts = (value: unknown): value is string => typeof value === 'string'
  const ids = maps.map<string>('test/ids', { max: 3, keys: 'ids', accepts })
  const privates = maps.map<string>('test/privates', { max: 3, keys: 'private', accepts })
  if (state) maps.connect(state, 'linked', sealer)
  return { maps, ids, privates, logs }
}

const ways: readonly (readonly [name: string, open: (clock: FakeClock) => Gateway])[] = [
  ['alone', clock => gateway(clock)],
  ['connected', clock => gateway(clock, new SharingGroup(clock).join())],
]
for (const [name, open] of ways)
  for (const kind of ['ids', 'privates'] as const)
    t.test(`a map of ${kind} of a gateway that is ${name}`, async t => {
      const clock = new FakeClock()
      const map = open(clock)[kind]
      t.same([map.get('a'), map.leftMs('a'), map.size], [undefined, 0, 0])
      map.set('a', 'one', 1_000)
      t.same([map.get('a'), map.leftMs('a'), map.size], ['one', 1_000, 1])
      clock.pass(400)
      t.equal(map.leftMs('a'), 600)
      map.set('a', 'two', 1_000)
      clock.pass(999)
      t.same([map.get('a'), map.leftMs('a')], ['two', 1])
      clock.pass(1)
      t.same([map.leftMs('a'), map.get('a'), map.size], [0, undefined, 0])
      map.delete('a')
      for (const key of ['b', 'c', 'd', 'e']) map.set(key, key, 1_000)
      t.same([map.size, map.get('b'), map.get('e')], [3, undefined, 'e'], 'the oldest makes room')
      map.delete('e')
      t.equal(map.get('e'), undefined)
    })

t.test('changes of one gateway reach the others', async t => {
  const clock = new FakeClock()
  const group = new SharingGroup(clock)
  const [one, two] = [gateway(clock, group.join()), gateway(clock, group.join())]
  const heard: unknown[] = []
  two.ids.onChange((...change) => heard.push(change))
  one.ids.onChange((...change) => heard.push(change))
  one.ids.set('a', 'x', 500)
  one.privates.set('secret', 'x', 500)
  t.same([two.ids.get('a'), two.ids.leftMs('a'), two.privates.get('secret')], ['x', 500, 'x'])
  clock.pass(100)
  const late = gateway(clock, group.join())
  t.same([late.ids.leftMs('a'), late.privates.leftMs('secret')], [400, 400], 'one that starts late gets what is left')
  two.ids.delete('a')
  two.privates.delete('secret')
  for (const { ids, privates } of [one, two, late]) t.same([ids.get('a'), privates.get('secret')], [undefined, undefined])
  t.same(heard, [
    ['a', 'x', 500],
    ['a', undefined, 0],
  ])
  t.notMatch(group.sent.join('\n'), /secret/)
  t.match(group.sent[1], /^\{"map":"test\/privates","key":"[\w-]{43}","value":"x","forMs":500\}$/)
  one.maps.disconnect()
  one.ids.set('b', 'x', 500)
  two.ids.set('c', 'x', 500)
  t.same([two.ids.get('b'), one.ids.get('b'), one.ids.get('c')], [undefined, 'x', undefined])
})

t.test('a message that is no change of a known map is ignored', async t => {
  const clock = new FakeClock()
  let receive: (change: SharedChange) => void = () => {}
  const { ids, logs } = gateway(clock, { publish() {}, subscribe: to => void (receive = to) })
  for (const change of [
    undefined,
    null,
    'x',
    {},
    { map: 'test/ids', key: 7, value: 'x', forMs: 10 },
    { map: 'test/ids', key: 'a', value: 'x', forMs: '10' },
    { map: 'test/ids', key: 'a', value: 'x', forMs: Number.NaN },
    { map: 'test/ids', key: 'a', value: { of: 'another version' }, forMs: 10 },
    { map: 'test/others', key: 'a', value: 'x', forMs: 10 },
  ])
    receive(change as SharedChange)
  t.same([ids.size, logs], [0, []])
  receive({ map: 'test/ids', key: 'a', value: 'x', forMs: 10 })
  t.equal(ids.get('a'), 'x')
})

const error = new Error('the network is down')
const failing: readonly (readonly [how: string, fail: () => Promise<void>])[] = [
  ['throws', () => thrown()],
  ['rejects', () => Promise.reject(error)],
  ['returns a promise of another kind that throws', () => throwing(error)],
  ['returns what cannot be read', () => unreadable(error)],
]
for (const [how, fail] of failing)
  t.test(`a gateway goes by what it knows if the service ${how}, and says so once`, async t => {
    const { ids, privates, logs } = gateway(new FakeClock(), { publish: fail, subscribe: fail })
    const unhandled = await unhandledDuring(async () => {
      for (const map of [ids, privates]) {
        map.set('a', 'x', 500)
        t.equal(map.get('a'), 'x')
        map.delete('a')
        t.equal(map.get('a'), undefined)
      }
      await later(undefined)
    })
    t.same(unhandled, [])
    t.equal(logs.length, 1)
    t.match(JSON.parse(logs[0]!), { plugin: 'linked', message: /^gateways could not exchange what they learned/ })
  })

function thrown(): never {
  throw error
}

t.test('two maps of one name are an error', async t => {
  const { maps } = gateway(new FakeClock())
  t.throws(() => gatewayMap(maps), /two shared maps with the name "test\/ids"/)
})

function gatewayMap(maps: LiveMaps): unknown {
  return maps.map('test/ids', { max: 1, keys: 'ids', accepts: (value): value is true => value === true })
}

t.test('wrong admin tokens count at all gateways together', async t => {
  const clock = new FakeClock()
  const group = new SharingGroup(clock)
  const [one, two] = [gateway(clock, group.join()), gateway(clock, group.join())].map(({ maps }) => new FailedTries(maps, 'test'))
  for (let count = 0; count < 5; count++) {
    one!.failed('ta_demo_wrong', '192.0.2.1')
    two!.failed('ta_demo_wrong', '192.0.2.1')
  }
  clock.pass(20_000)
  for (const tries of [one, two])
    t.throws(() => tries!.failed('ta_demo_wrong', '192.0.2.1'), Object.assign(new Error(), { message: /^Too many/, retryAfterMs: 40_000 }))
  two!.failed('ta_demo_wrong', '192.0.2.2')
  clock.pass(40_000)
  one!.failed('ta_demo_wrong', '192.0.2.1')
  t.notMatch(group.sent.join('\n'), /192\.0|ta_demo/)
})

t.test('wrong tokens that gateways count at the same time add up', async t => {
  const clock = new FakeClock()
  const members = new SharingGroup(clock)
  const late: (() => void)[] = []
  const tries = Array.from({ length: 3 }, () => {
    const state = members.join()
    return new FailedTries(gateway(clock, { ...state, publish: change => void late.push(() => state.publish(change)) }).maps, 'test', clock)
  })
  // None hears of the others before all have counted three.
  for (const each of tries) for (let count = 0; count < 3; count++) each.failed('ta_demo_wrong', '192.0.2.1')
  for (const arrive of late) arrive()
  tries[0]!.failed('ta_demo_wrong', '192.0.2.1')
  late.at(-1)!()
  for (const each of tries) t.throws(() => each.failed('ta_demo_wrong', '192.0.2.1'), { message: /^Too many/ })
  clock.pass(60_000)
  for (const each of tries) t.doesNotThrow(() => each.failed('ta_demo_wrong', '192.0.2.1'))
})

t.test('an attacker with many addresses does not fill the memory of other gateways', async t => {
  const clock = new FakeClock()
  const group = new SharingGroup(clock)
  const one = new FailedTries(gateway(clock, group.join()).maps, 'test', clock)
  for (let address = 0; address < 5_000; address++) one.failed('ta_demo_wrong', `192.0.2.${address}`)
  t.equal(group.sent.length, 0, 'a single try is told to nobody')
  for (let address = 0; address < 5_000; address++) one.failed('ta_demo_wrong', `192.0.2.${address}`)
  t.equal(group.sent.length, 100)
  clock.pass(3_000)
  for (let address = 0; address < 5_000; address++) one.failed('ta_demo_wrong', `192.0.2.${address}`)
  t.equal(group.sent.length, 130)
})

t.test('a value that stays the same is told once in half of its time', async t => {
  const clock = new FakeClock()
  const group = new SharingGroup(clock)
  const log = createLogger('info', new Masks(), () => {})
  const told: SharedChange[] = []
  const open = (): SharedMap<string> => {
    const maps = new LiveMaps(clock, log)
    const accepts = (value: unknown): value is string => typeof value === 'string'
    const map = maps.map<string>('test/same', { max: 10, keys: 'ids', accepts, isSame: (known, next) => known === next })
    maps.connect(group.join(), 'linked', sealer)
    return map
  }
  const [first, second] = [open(), open()]
  group.join().subscribe(change => void told.push(change))
  const values = (): readonly unknown[] => told.splice(0).map(({ value }) => value)
  first.set('a', 'one', 1_000)
  first.set('a', 'one', 1_000)
  second.set('a', 'one', 1_000)
  t.same(values(), ['one'], 'both know it')
  clock.pass(400)
  second.set('a', 'one', 1_000)
  clock.pass(500)
  t.same(values(), [], 'it was told within half of its time')
  t.same([first.get('a'), second.leftMs('a')], ['one', 500])
  second.set('a', 'one', 1_000)
  t.same([values(), first.leftMs('a')], [['one'], 1_000])
  first.set('a', 'two', 1_000)
  t.same([values(), second.get('a')], [['two'], 'two'], 'another value is told at once')
})
