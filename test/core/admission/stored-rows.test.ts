import assert from 'node:assert/strict'
import t from 'tap'
import { AccountStore, KeyStore, type Account, type ApiKey } from '../../../core/stores.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import { MemoryAccounts } from '../../../plugins/stores/memory/accounts.ts'
import { MemoryKeys } from '../../../plugins/stores/memory/keys.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import sandbox from '../../../plugins/providers/sandbox/index.ts'
import { testGateway } from '../../../core/testing/index.ts'
import { account, org } from '../../kit/accounts.ts'
import { ask, providing } from '../../kit/stage.ts'

// Rows from plugins' stores whose database has other kinds of values than core expects.

/** A gateway whose stores change the rows that they return. */
async function oddGateway(oddities: { key?: object; account?: object }) {
  const keys = new MemoryKeys()
  const accounts = new MemoryAccounts(keys)
  const under = await testGateway({
    plugins: [
      memory({ services: ['responses', 'metrics', 'limits', 'ledger'] }),
      providing<KeyStore>(KeyStore, {
        persistent: false,
        find: id => changed(keys.find(id), oddities.key),
        add: key => keys.add(key),
        update: (id, change) => keys.update(id, change),
        list: () => keys.list(),
        page: (filter, query) => keys.page(filter, query),
        remove: id => keys.remove(id),
        empty: () => keys.empty(),
      }),
      providing<AccountStore>(AccountStore, {
        persistent: false,
        find: ref => changed(accounts.find(ref), oddities.account),
        named: (level, id) => accounts.named(level, id),
        page: (filter, query) => accounts.page(filter, query),
        add: given => accounts.add(given),
        update: (ref, change) => accounts.update(ref, change),
        remove: ref => accounts.remove(ref),
      }),
      localSealer({ masterKey: 'cd'.repeat(32) }),
      responses({}),
      sandbox({}),
    ],
    key: { org: 'example' },
  })
  accounts.add(account(org))
  return under
}

function changed<T extends object>(row: T | undefined, oddity: object | undefined): T | undefined {
  return row && oddity ? { ...row, ...oddity } : row
}

const keyOddities: Readonly<Partial<Record<keyof ApiKey, readonly (readonly [value: unknown, got: string])[]>>> = {
  id: [[7, '7']],
  hash: [
    [undefined, 'undefined'],
    [null, 'null'],
  ],
  previous: [
    ['[]', 'a string'],
    [[{ hash: 'a', validUntil: '1' }], 'an array'],
  ],
  name: [[null, 'null']],
  org: [
    [null, 'null'],
    ['', 'a string'],
  ],
  team: [[null, 'null']],
  user: [[5, '5']],
  models: [
    ['["m"]', 'a string'],
    [[5], 'an array'],
    [new Set(['m']), 'an object'],
    [null, 'null'],
  ],
  providers: [['acme', 'a string']],
  spendCapUsd: [
    ['5', 'a string'],
    [NaN, 'NaN'],
    [-1, '-1'],
  ],
  allowUnpriced: [[1, '1']],
  spendPeriod: [['hour', 'a string']],
  limits: [
    ['[]', 'a string'],
    [[{ windowMs: 'x', requests: '1' }], 'an array'],
    [[{ windowMs: NaN, requests: 1 }], 'an array'],
    [[{ windowMs: 1_000 }], 'an array'],
    [[{ windowMs: 1_000, requests: 1, tokens: 1 }], 'an array'],
    [[null], 'an array'],
  ],
  maxConcurrency: [['0', 'a string']],
  guardrails: [['nope', 'a string']],
  expiresAt: [
    ['2020-01-01T00:00:00Z', 'a string'],
    [NaN, 'NaN'],
    [new Date(0), 'an object'],
    [1_000n, 'a bigint'],
  ],
  disabled: [
    [0, '0'],
    ['false', 'a string'],
  ],
  hidden: [['f', 'a string']],
  metadata: [[{ a: 1 }, 'an object']],
  createdAt: [['0', 'a string']],
}
for (const [member, oddities] of Object.entries(keyOddities))
  for (const [index, [value, got]] of oddities.entries())
    t.test(`a key with another kind of value than core expects is a 503 that names the store's plugin: ${member}, ${index}`, async t => {
      const under = await oddGateway({ key: { [member]: value } })
      t.teardown(under.stop)
      const { status, error } = await ask(under, { model: 'sandbox/echo' })
      t.equal(status, 503)
      t.match(error, { code: 'server_error', message: 'The key store is not available. Try again.' })
      const line = JSON.parse(under.logs.find(each => each.includes('malformed'))!)
      t.match(line, { level: 'error', plugin: /^providing-/, reason: `returned an API key with a bad \`${member}\`: expected ` })
      t.ok(line.reason.endsWith(`, got ${got}`), line.reason)
      if (member !== 'id') t.match(line.key, /^\w+$/)
    })

t.test('a key that throws when it is read is a 503 that names the member', async t => {
  const unreadable = { get: () => assert.fail('secret'), enumerable: true }
  const under = await oddGateway({})
  t.teardown(under.stop)
  const store = under.gateway.keys as KeyStore & { find: KeyStore['find'] }
  const { find } = store
  store.find = id => Object.defineProperty({ ...find(id) }, 'models', unreadable) as ApiKey
  t.equal((await ask(under, { model: 'sandbox/echo' })).status, 503)
  t.match(under.logs.join('\n'), /with a bad `models`: expected an array of strings, or nothing, got a member that throws/)
  t.notMatch(under.logs.join('\n'), /secret/)
})

t.test('something else than a key is a 503, too', async t => {
  for (const found of [true, 'key', 7, () => ({})]) {
    const under = await testGateway({
      plugins: [
        memory({ services: ['responses', 'metrics', 'limits', 'ledger'] }),
        providing<KeyStore>(KeyStore, { ...methods, find: () => found as never }),
        localSealer({ masterKey: 'cd'.repeat(32) }),
        responses({}),
        sandbox({}),
      ],
    })
    t.teardown(under.stop)
    t.equal((await ask(under, { model: 'sandbox/echo' })).status, 503)
    t.match(under.logs.join('\n'), /returned an API key that is no object/)
  }
})

const methods: KeyStore = {
  persistent: false,
  find: () => undefined,
  add: () => {},
  update: () => false,
  list: () => [],
  page: () => [],
  remove: () => false,
  empty: () => true,
}

const accountOddities: Readonly<Partial<Record<keyof Account, readonly unknown[]>>> = {
  level: ['group'],
  org: [null],
  id: [7],
  name: [null],
  team: [null],
  policy: [undefined, null, '{}', new Map()],
  spendCapUsd: ['5', NaN],
  spendPeriod: ['hour'],
  hasCredit: [1],
  metadata: ['{}'],
  createdAt: ['0'],
}
for (const [member, oddities] of Object.entries(accountOddities))
  t.test(`an account with another kind of value is a 503 that names the store's plugin: ${member}`, async t => {
    for (const value of oddities) {
      const under = await oddGateway({ account: { [member]: value } })
      t.teardown(under.stop)
      const { status, error } = await ask(under, { model: 'sandbox/echo' })
      t.equal(status, 503)
      t.equal(error.message, 'The account store is not available. Try again.')
      const line = JSON.parse(under.logs.find(each => each.includes('malformed'))!)
      t.match(line, { plugin: /^providing-/, reason: `returned an account with a bad \`${member}\`: expected ` })
    }
  })

t.test('rows with undefined in optional members, new objects each time, and members of their own are taken', async t => {
  const optional = ['previous', 'team', 'user', 'models', 'providers', 'spendCapUsd', 'limits', 'guardrails', 'expiresAt', 'disabled']
  const raw = new Map([['column', Buffer.from('bytes')]])
  const key = { ...Object.fromEntries(optional.map(name => [name, undefined])), raw, bytes: Buffer.from('bytes') }
  const under = await oddGateway({ key, account: { spendCapUsd: undefined, raw } })
  t.teardown(under.stop)
  for (let round = 0; round < 2; round++) t.equal((await ask(under, { model: 'sandbox/echo' })).status, 200)
})
