import t from 'tap'
import { KeyStore, MetricStore } from '../../../core/stores.ts'
import { StoreTimes } from '../../../core/framework/store-times.ts'

/** Has private members, as classes do. */
class Keys {
  readonly #keys = new Map([['demo', 1]])
  readonly persistent = true
  get size(): number {
    return this.#keys.size
  }
  find(id: string): unknown {
    return this.#keys.get(id)
  }
  async later(id: string): Promise<unknown> {
    return this.#keys.get(id)
  }
  async failing(): Promise<void> {
    throw new Error('down')
  }
  throwing(): void {
    throw new Error('broken')
  }
}

function timed(implementation: object): { readonly times: StoreTimes; readonly store: any } {
  const times = new StoreTimes()
  times.isWanted = true
  return { times, store: times.timed(KeyStore, implementation) }
}

t.test('a store that is timed works as before', async t => {
  for (const implementation of [new Keys(), Object.freeze(new Keys())]) {
    const { times, store } = timed(implementation)
    t.equal(store.persistent, true)
    t.equal(store.size, 1)
    t.equal(store.absent, undefined)
    t.ok('find' in store)
    t.notOk('absent' in store)
    t.equal(store.find('demo'), 1)
    t.equal(await store.later('demo'), 1)
    await t.rejects(store.failing(), /down/)
    t.throws(() => store.throwing(), /broken/)
    await Promise.resolve()
    t.match(times.all(), [{ service: 'keys', calls: 4, failed: 2 }])
    t.ok(times.all()[0]!.totalMs >= 0)
  }
})

t.test('a promise of another kind is awaited once', async t => {
  let awaited = 0
  // oxlint-disable-next-line unicorn/no-thenable
  const lazy = { then: (resolve: (value: string) => void) => void (awaited++, resolve('row')) }
  const { times, store } = timed({ find: () => lazy })
  t.equal(await store.find(), 'row')
  t.equal(awaited, 1)
  t.match(times.all(), [{ calls: 1, failed: 0 }])
})

t.test('nothing is timed if nobody wants to know, nor what has no waits', t => {
  const times = new StoreTimes()
  const store = new Keys()
  t.equal(times.timed(KeyStore, store), store)
  times.isWanted = true
  t.equal(times.timed(MetricStore, store), store)
  t.same(times.all(), [])
  t.end()
})
