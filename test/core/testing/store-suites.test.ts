import t from 'tap'
import { accountStoreSuite, keyStoreSuite, ledgerSuite, recordStoreSuite, responseStoreSuite } from '../../../core/testing/index.ts'
import type { SuiteContext } from '../../../core/testing/provider-suite.ts'
import { MemoryAccounts } from '../../../plugins/stores/memory/accounts.ts'
import { MemoryKeys } from '../../../plugins/stores/memory/keys.ts'
import { MemoryLedger } from '../../../plugins/stores/memory/ledger.ts'
import { MemoryRecords } from '../../../plugins/stores/memory/records.ts'
import { MemoryResponses } from '../../../plugins/stores/memory/responses.ts'
import { FakeClock } from '../../kit/set-up.ts'

/** The tests of a suite that fail. */
async function complaints(suite: (t: SuiteContext) => void): Promise<readonly string[]> {
  const tests: (readonly [name: string, run: () => Promise<void>])[] = []
  suite({ test: (name, run) => tests.push([name, run]) })
  const failed: string[] = []
  for (const [name, run] of tests) await run().catch(() => failed.push(name))
  return failed
}

/** Keys that another process learns of only when it asks for the first time. */
class CachedKeys extends MemoryKeys {
  readonly #keys: MemoryKeys
  readonly #cache = new Map<string, ReturnType<MemoryKeys['find']>>()

  constructor(keys: MemoryKeys) {
    super()
    this.#keys = keys
  }

  override find(id: string): ReturnType<MemoryKeys['find']> {
    if (!this.#cache.has(id)) this.#cache.set(id, this.#keys.find(id))
    return this.#cache.get(id)
  }

  override update(...change: Parameters<MemoryKeys['update']>): boolean {
    return this.#keys.update(...change)
  }
}

t.test('the suite notices that a revoked key goes on working in another process', async t => {
  const found = await complaints(suite =>
    keyStoreSuite(suite, {
      open() {
        const keys = new MemoryKeys()
        return { keys, other: new CachedKeys(keys), pass: () => {} }
      },
    }),
  )
  t.same(found, ['a key that one process revokes stops working in another within a second'])
})

t.test('the suite notices keys that are overwritten, and changes that are lost', async t => {
  class CarelessKeys extends MemoryKeys {
    override add(key: Parameters<MemoryKeys['add']>[0]): void {
      this.remove(key.id)
      super.add(key)
    }

    override update(id: string, change: Parameters<MemoryKeys['update']>[1]): boolean {
      const key = this.find(id)
      if (!key) return false
      const members = typeof change === 'function' ? change(key) : change
      queueMicrotask(() => super.update(id, members))
      return true
    }
  }
  t.same(await complaints(suite => keyStoreSuite(suite, { open: () => ({ keys: new CarelessKeys() }) })), [
    'an id is given once',
    'a function changes a key, and nothing else does meanwhile',
  ])
})

t.test('the suite notices that an id of an account is used again, and accounts that are removed while in use', async t => {
  class CarelessAccounts extends MemoryAccounts {
    #now = new MemoryAccounts(undefined)

    override add(account: Parameters<MemoryAccounts['add']>[0]): boolean {
      return super.add(account) || (!this.find(account) && this.#now.add(account))
    }

    override find(ref: Parameters<MemoryAccounts['find']>[0]): ReturnType<MemoryAccounts['find']> {
      return super.find(ref) ?? this.#now.find(ref)
    }
  }
  // It does not know the keys that are given to the suite.
  const open = () => ({ accounts: new CarelessAccounts(undefined), keys: new MemoryKeys() })
  t.same(await complaints(suite => accountStoreSuite(suite, { open })), [
    'an account with others or keys below it stays',
    'an id is never used again',
  ])
})

t.test('the suite notices a ledger whose holds count for nothing', async t => {
  class CarelessLedger extends MemoryLedger {
    override reserve(...asked: Parameters<MemoryLedger['reserve']>): ReturnType<MemoryLedger['reserve']> {
      const hold = super.reserve(...asked)
      if ('short' in hold) return hold
      void hold.release()
      return { ...hold, usd: hold.usd, reachableUsd: hold.reachableUsd }
    }
  }
  const found = await complaints(suite => ledgerSuite(suite, { open: () => ({ ledger: new CarelessLedger(new FakeClock()) }) }))
  for (const name of [
    'holds count against the cap, and settling replaces the hold by the amount spent',
    '500 requests at once pass neither cap nor balance',
  ])
    t.ok(found.includes(name), name)
})

t.test('the suite notices responses that another owner can read', async t => {
  class OpenResponses extends MemoryResponses {
    constructor() {
      super(10_000)
    }

    override async get(_owner: string, id: string): ReturnType<MemoryResponses['get']> {
      return (await super.get('ada', id)) ?? (await super.get('bob', id))
    }
  }
  const found = await complaints(suite => responseStoreSuite(suite, { open: () => ({ responses: new OpenResponses() }) }))
  t.ok(found.includes('another owner finds nothing, whatever the id'))
  t.ok(found.includes('owners may use the same ids'))
})

t.test('the suite notices responses whose content others can read', async t => {
  class PlainResponses extends MemoryResponses {
    readonly written: string[] = []

    override async put(...given: Parameters<MemoryResponses['put']>): Promise<void> {
      this.written.push(JSON.stringify(given[1]))
      await super.put(...given)
    }
  }
  const open = () => {
    const responses = new PlainResponses(10_000)
    return { responses, stored: () => responses.written.join('\n') }
  }
  t.same(await complaints(suite => responseStoreSuite(suite, { open })), ['others can read no content'])
})

t.test('the suite notices a record store without the content that it claims to keep', async t => {
  const open = () => {
    const records = new MemoryRecords(10_000)
    return { records, sink: records }
  }
  t.same(await complaints(suite => recordStoreSuite(suite, { open, keepsContent: true })), [
    'content is kept and erased, even before it arrives',
    'the words of an error are content',
  ])
})

t.test('a suite closes what it opened, even after a failure', async t => {
  let closed = 0
  let opened = 0
  const open = () => {
    opened++
    return { keys: Object.assign(new MemoryKeys(), { list: () => [] }), close: () => void closed++ }
  }
  t.ok((await complaints(suite => keyStoreSuite(suite, { open }))).length > 0)
  t.ok(opened > 1)
  t.equal(closed, opened)
})
