import assert from 'node:assert/strict'
import t from 'tap'
import { policyFields } from '../../../core/admin.ts'
import { definePlugin, PolicySources, type JsonObject, type PolicyField, type PolicyLayer, type PolicySource } from '../../../core/index.ts'
import { AccountStore, type ApiKey } from '../../../core/stores.ts'
import redaction from '../../../plugins/guardrails/redaction/index.ts'
import accountPolicies from '../../../plugins/policies/accounts/index.ts'
import { account, org, stores, team, user } from '../../kit/accounts.ts'
import { gateway, hello, saying } from '../../kit/gateway.ts'
import { adding, ask, guarding, providing, stop, text, usage, witness } from '../../kit/stage.ts'
import { later, never, throwing, twice, unhandledDuring, unreadable } from '../../kit/thenables.ts'

type Answer = ReturnType<PolicySource['policy']>

const source = (level: PolicySource['level'], policy: (key: ApiKey) => Answer, more: Partial<PolicySource> = {}) =>
  adding(PolicySources, { level, policy, ...more })
const on = (settings?: JsonObject) => ({ value: true, enforced: true, ...(settings && { settings }) })
const off = { value: false, enforced: true }
const key = { name: 'k', org: 'example', team: 'research', user: 'ada', policy: {} }
const enforcing = guarding(undefined, { enforces: ['zdr', 'hipaa', 'redaction'] })

t.test('of several sources of a level, the strictest value of each field applies, in either order', async t => {
  const values = [undefined, on(), off, { value: true }, { value: false }] as const
  let layers: readonly (PolicyLayer | undefined)[] = []
  const sources = [source('team', () => layers[0]), source('team', () => later(layers[1]))]
  const under = await gateway({ plugins: [...sources, enforcing], key })
  t.teardown(under.stop)
  const asked: { readonly id: string; readonly field: PolicyField; readonly expected: object; readonly layers: string }[] = []
  for (const field of policyFields)
    for (const first of values)
      for (const second of values) {
        layers = [first && { [field]: first }, second && { [field]: second }]
        const { headers } = await under.request('/v1/models')
        const enforced = [first, second].filter(setting => setting && 'enforced' in setting).map(setting => setting!.value)
        const strict = field !== 'logging'
        const expected = {
          value: enforced.includes(strict) ? strict : (enforced[0] ?? false),
          source: enforced.length > 0 ? 'team' : 'key',
        }
        asked.push({ id: headers.get('x-request-id')!, field, expected, layers: JSON.stringify(layers) })
      }
  await under.recorded(asked.length)
  for (const { id, field, expected, layers } of asked) t.same((await under.record(id)).policy![field], expected, `${field}: ${layers}`)
})

t.test('a higher level wins over a stricter one below, and a plugin may have two sources of a level', async t => {
  const both = definePlugin({
    name: 'both',
    options: { type: 'object', additionalProperties: false, properties: {} },
    setup(registrar) {
      registrar.add(PolicySources, { level: 'org', policy: () => ({ zdr: off }) })
      registrar.add(PolicySources, { level: 'org', policy: () => ({ hipaa: on() }) })
    },
  })
  const under = await gateway({ plugins: [both({}), source('user', () => ({ zdr: on(), hipaa: off })), enforcing], key })
  t.teardown(under.stop)
  const { headers } = await under.request('/v1/models')
  t.match((await under.record(headers.get('x-request-id')!)).policy, {
    zdr: { value: false, source: 'org' },
    hipaa: { value: true, source: 'org' },
  })
})

/** The text that the provider gets under the redaction settings of these sources. */
async function redacted(t: Pick<typeof import('tap').default, 'teardown'>, input: string, ...all: readonly (JsonObject | undefined)[]) {
  const acme = witness('acme', ({ request }) => {
    const last = request.input.at(-1) as { readonly content?: readonly { readonly text?: string }[] }
    return [text(last.content?.at(-1)?.text ?? ''), usage(1, 1), stop]
  })
  const sources = all.map(settings => source('org', () => ({ redaction: on(settings) })))
  const under = await gateway({ plugins: [redaction({}), acme.plugin, ...sources], key })
  t.teardown(under.stop)
  const answer = await ask(under, { model: 'acme/m', input })
  return { answer, sent: JSON.stringify(acme.calls.map(({ request }) => request.input)), under }
}

t.test('redaction settings of several sources are united to the strictest', async t => {
  const input = 'CASE-1 globex jo@example.com born 1990-01-31'
  const some = { detectors: ['birth_date'], deny: ['globex'], restore: false, allow: ['jo@example.com', 'CASE-1'] }
  const others = { detectors: ['email'], custom: [{ name: 'case', pattern: 'CASE-[0-9]' }], allow: ['CASE-1'] }
  const { sent, answer } = await redacted(t, input, some, others)
  t.equal(answer.status, 200)
  for (const gone of ['globex', 'jo@example.com', '1990-01-31']) t.notMatch(sent, gone)
  t.match(sent, 'CASE-1', 'what both allow stays')
  t.notMatch(JSON.stringify(answer.response), 'jo@example.com', 'nothing is restored')

  const masked = await redacted(
    t,
    input,
    { replacement: 'placeholder', detectors: ['email'] },
    { replacement: 'mask', detectors: ['email'] },
  )
  t.match(masked.sent, 'globex **** born')
  const refused = await redacted(t, input, { replacement: 'mask' }, { replacement: 'refuse' }, undefined)
  t.equal(refused.answer.status, 400)
  const usual = await redacted(t, `${input} 192.0.2.17`, undefined, { detectors: ['birth_date'] })
  for (const gone of ['jo@example.com', '1990-01-31', '192.0.2.17']) t.notMatch(usual.sent, gone, 'no settings stand for the usual ones')
  const equal = await redacted(t, input, { detectors: ['email'] }, { detectors: ['email'] })
  t.match(equal.sent, 'EMAIL_1')
})

t.test('settings that cannot be used refuse the request, whichever source has them', async t => {
  const broken = { detectors: ['emial'] }
  for (const all of [
    [broken, { detectors: ['email'] }],
    [{ detectors: ['email'] }, broken],
  ]) {
    const { answer, sent } = await redacted(t, 'jo@example.com', ...all)
    t.equal(answer.status, 422)
    t.equal(sent, '[]')
  }
})

t.test('settings that no guardrail can unite refuse the request', async t => {
  const acme = witness('acme', () => hello)
  const settingsProblem = (): undefined => undefined
  for (const [strictestSettings, status, logged] of [
    [undefined, 422, undefined],
    [() => Promise.reject(new Error('late')) as never, 503, /expected an object.*a guardrail could not unite settings/],
    [() => never() as never, 503, /expected an object/],
    [() => undefined as never, 503, /expected an object/],
    [
      () => {
        throw new Error('no detector')
      },
      503,
      /a guardrail could not unite settings/,
    ],
  ] as const) {
    const guard = guarding(undefined, { enforces: ['redaction'], settingsProblem, ...(strictestSettings && { strictestSettings }) })
    const plugins = [acme.plugin, guard, source('org', () => ({ redaction: on({ a: 1 }) })), source('org', () => ({ redaction: on() }))]
    const under = await gateway({ plugins, key })
    t.teardown(under.stop)
    const unhandled = await unhandledDuring(async () => t.equal((await ask(under, { model: 'acme/m' })).status, status))
    t.same(unhandled, [])
    if (logged) t.match(under.logs.join('\n'), logged)
  }
  t.same(acme.calls, [])
})

t.test('a malformed policy is a 503, and the log names the plugin that has it', async t => {
  const good = source('org', () => ({ zdr: on() }))
  const bad = definePlugin({
    name: 'acme-bad',
    options: { type: 'object', additionalProperties: false, properties: {} },
    setup: registrar => registrar.add(PolicySources, { level: 'org', policy: () => ({ zrd: on() }) as PolicyLayer }),
  })
  const under = await gateway({ plugins: [good, bad({}), enforcing, saying('acme', hello)], key })
  t.teardown(under.stop)
  t.equal((await ask(under, { model: 'acme/m' })).status, 503)
  t.match(under.logs.join('\n'), /acme-bad.*unknown field \\"zrd\\"/)
})

/** Whatever a plugin in JavaScript may return. */
const returned: readonly (readonly [string, () => unknown])[] = [
  ['a map', () => new Map([['zdr', on()]])],
  ['a map from an async function', async () => await Promise.resolve(new Map([['zdr', on()]]))],
  ['an error', () => new Error('down')],
  ['an error from an async function', async () => await Promise.resolve(new Error('down'))],
  ['a response', () => Response.json({ zdr: on() })],
  [
    'a generator',
    function* () {
      yield { zdr: on() }
    },
  ],
  [
    'an async generator',
    async function* () {
      yield await Promise.resolve({ zdr: on() })
    },
  ],
  ['an object of a class', () => new (class Layer {})()],
  ['an object with another prototype', () => Object.create({ zdr: on() })],
  ['a function', () => () => ({ zdr: on() })],
  ['an array', () => []],
  ['null', () => null],
  ['false', () => false],
  ['a symbol as the name of a field', () => ({ [Symbol('zdr')]: on() })],
  ['a setting that is a map', () => ({ zdr: new Map(Object.entries(on())) })],
  [
    'a member that throws',
    () => ({
      get zdr() {
        throw new Error('down')
      },
    }),
  ],
  ['a mistyped member', () => ({ zdr: { value: true, enforce: true } })],
  ['a member of stored accounts', () => ({ zdr: { ...on(), setBy: 'org' } })],
  ['settings of a field that takes none', () => ({ zdr: on({ strict: true }) })],
  ['settings of a field that takes none and is off', () => ({ hipaa: { ...off, settings: { strict: true } } })],
  ['settings of logging', () => ({ logging: { ...off, settings: { content: false } } })],
  ['settings that are a map', () => ({ redaction: on(new Map([['detectors', ['email']]]) as never) })],
  ['settings with a map in them', () => ({ redaction: on({ detectors: new Set(['email']) }) })],
  [
    'settings that contain themselves',
    () => {
      const settings: Record<string, unknown> = {}
      settings['again'] = [settings]
      return { redaction: on(settings) }
    },
  ],
]

t.test('anything but a plain object of known members is a 503, with a line in the log', async t => {
  const redacting = guarding(undefined, { enforces: ['redaction'], settingsProblem: () => undefined })
  const strict = guarding(undefined, { enforces: ['zdr', 'hipaa'] })
  for (const [name, policy] of returned) {
    const acme = witness('acme', () => hello)
    const under = await gateway({ plugins: [acme.plugin, redacting, strict, source('org', policy as () => Answer)], key })
    t.teardown(under.stop)
    for (const _ of ['the first time', 'again']) {
      const { status, error } = await ask(under, { model: 'acme/m' })
      t.equal(status, 503, name)
      t.match(error, { code: 'server_error', message: 'The policy of the org is not available. Try again.' }, name)
    }
    t.same(acme.calls, [], name)
    t.equal(under.logs.filter(line => line.includes('a policy source failed')).length, 2, name)
  }
})

t.test('a member of a policy is read once', async t => {
  let reads = 0
  const fading = (): object => ({
    get zdr() {
      return reads++ === 0 ? on() : undefined
    },
    logging: {
      get value() {
        return reads++ > 1
      },
      get enforced() {
        return reads++ === 2
      },
    },
  })
  const layer = fading()
  for (const policy of [() => layer, fading, async () => await Promise.resolve(fading())] as (() => Answer)[]) {
    reads = 0
    const under = await gateway({ plugins: [enforcing, source('org', policy)], key })
    t.teardown(under.stop)
    const { headers } = await under.request('/v1/models')
    t.match((await under.record(headers.get('x-request-id')!)).policy, { zdr: { value: true, source: 'org' } })
    t.equal(reads, 3)
  }
})

t.test('members that are not enumerable count, and so do objects without a prototype', async t => {
  const hidden = Object.defineProperty(Object.create(null), 'zdr', { value: on() }) as PolicyLayer
  const under = await gateway({ plugins: [enforcing, source('org', () => hidden)], key })
  t.teardown(under.stop)
  const { headers } = await under.request('/v1/models')
  t.match((await under.record(headers.get('x-request-id')!)).policy, { zdr: { value: true, source: 'org' } })
})

t.test('a source that answers too late refuses the request, and what it says then is ignored', async t => {
  const acme = witness('acme', () => hello)
  const { promise, reject } = Promise.withResolvers<undefined>()
  const silent = () => new Promise<undefined>(() => {})
  for (const answer of [silent, () => promise, () => never<undefined>()]) {
    const plugins = [acme.plugin, enforcing, source('org', () => ({ zdr: off })), source('team', answer, { timeoutMs: 20 })]
    const under = await gateway({ plugins, key })
    t.teardown(under.stop)
    const unhandled = await unhandledDuring(async () => {
      const { status, error } = await ask(under, { model: 'acme/m' })
      t.equal(status, 503)
      t.match(error, { type: 'server_error', code: 'server_error', message: /policy of the team is not available/ })
      if (answer() === promise) reject(new Error('too late'))
    })
    t.same(unhandled, [])
    t.match(under.logs.join('\n'), /took longer than 20 ms.*a policy source failed/)
  }
  t.same(acme.calls, [])
})

t.test('a source that hangs refuses 200 requests at once, each with a record', async t => {
  const plugins = [saying('acme', hello), source('org', () => never(), { timeoutMs: 50 })]
  const under = await gateway({ plugins, key })
  t.teardown(under.stop)
  const statuses = await Promise.all(Array.from({ length: 200 }, async () => (await ask(under, { model: 'acme/m' })).status))
  t.same(new Set(statuses), new Set([503]))
  t.equal((await under.recorded(200)).length, 200)
})

t.test('promises of every kind count, and none ends the process', async t => {
  const { promise: rejected, reject } = Promise.withResolvers<undefined>()
  for (const [answers, status] of [
    [[() => twice<Awaited<Answer>>({ zdr: on() }, undefined)], 422],
    [[() => throwing<undefined>(new Error('boom'))], 503],
    [[() => unreadable<undefined>(new Error('boom'))], 503],
    [[() => later<Awaited<Answer>>(undefined), () => later<Awaited<Answer>>({ hipaa: on() })], 422],
    [
      [
        () => rejected,
        () => {
          throw new Error('at once')
        },
      ],
      503,
    ],
  ] as [(() => Answer)[], number][]) {
    const plugins = [saying('acme', hello), ...answers.map(answer => source('org', answer))]
    const under = await gateway({ plugins, key })
    t.teardown(under.stop)
    const unhandled = await unhandledDuring(async () => {
      t.equal((await ask(under, { model: 'acme/m' })).status, status)
      if (answers.length === 2 && status === 503) reject(new Error('afterwards'))
    })
    t.same(unhandled, [])
  }
})

t.test('an enforced policy holds with an account store that returns another kind of promise', async t => {
  const policies = { org: {}, team: { zdr: on() }, user: { hipaa: on() } }
  const refs = { org, team, user }
  const find: AccountStore['find'] = ({ level }) => later(account(refs[level], { policy: policies[level] }))
  const store = { persistent: false, find, named: () => [], page: () => [], add: () => false, update: () => false, remove: () => 'unknown' }
  const under = await gateway({ plugins: [providing(AccountStore, store as AccountStore), accountPolicies({}), enforcing], key })
  t.teardown(under.stop)
  const { status, headers } = await under.request('/v1/models')
  t.equal(status, 200)
  t.match((await under.record(headers.get('x-request-id')!)).policy, {
    zdr: { value: true, source: 'team' },
    hipaa: { value: true, source: 'user' },
  })
})

t.test('an account store that fails at two levels at once ends no process', async t => {
  const { promise, reject } = Promise.withResolvers<never>()
  const find: AccountStore['find'] = ({ level }) => {
    if (level === 'org') return promise
    throw new Error('down')
  }
  const store = { persistent: false, find, named: () => [], page: () => [], add: () => false, update: () => false, remove: () => 'unknown' }
  const under = await gateway({ plugins: [providing(AccountStore, store as AccountStore), accountPolicies({})], key })
  t.teardown(under.stop)
  const unhandled = await unhandledDuring(async () => {
    t.equal((await under.request('/v1/models')).status, 503)
    reject(new Error('down, too'))
  })
  t.same(unhandled, [])
})

t.test('accounts that enforce need a source that reads them', async t => {
  const given = stores()
  const own = source('org', () => ({ logging: off }))
  const under = await gateway({ plugins: [given.plugin, own, source('team', () => undefined, { readsAccounts: true }), enforcing], key })
  t.teardown(under.stop)
  const { accounts } = given.of()
  await accounts.add(account(team, { policy: { zdr: on() } }))
  t.equal((await under.request('/v1/models')).status, 200, 'the source of the team reads it')
  await accounts.add(account(org, { policy: { zdr: on() } }))
  const refused = await under.request('/v1/models')
  t.equal(refused.status, 422, 'that of the organization does not')
  t.match(await refused.json(), { error: { message: /^The org of this API key enforces "zdr"/ } })
})

t.test('sources that answer at once cost no timer and no promise', async t => {
  const layer = { zdr: on() }
  const under = await gateway({ plugins: [source('org', () => layer), source('team', () => undefined), enforcing], key })
  t.teardown(under.stop)
  const { setTimeout } = globalThis
  let timers = 0
  t.teardown(() => void (globalThis.setTimeout = setTimeout))
  globalThis.setTimeout = ((...given: Parameters<typeof setTimeout>) => {
    if (new Error().stack!.includes('asked-sources')) timers++
    return setTimeout(...given)
  }) as typeof setTimeout
  for (let count = 0; count < 3; count++) await under.request('/v1/models')
  t.equal(timers, 0)
})

t.test('a value that throws while it is described is a 503 of its source', async t => {
  const trap = (): never => assert.fail('secret')
  const thrown = new Proxy({}, { get: trap, getPrototypeOf: trap, has: trap })
  const hidden = Object.defineProperty(new Error('secret'), 'message', { get: trap })
  for (const cause of [thrown, hidden])
    for (const answer of [
      () => {
        throw cause
      },
      () => Promise.reject(cause),
    ]) {
      const under = await gateway({ plugins: [source('org', answer), saying('acme', hello)], key })
      t.teardown(under.stop)
      const { status, error } = await ask(under, { model: 'acme/m' })
      t.equal(status, 503)
      t.match(error.message, 'The policy of the org is not available.')
      const line = under.logs.find(each => each.includes('a policy source failed'))!
      t.match(JSON.parse(line), { plugin: /^adding-/, policyLevel: 'org', reason: /cannot be read/ })
      t.notMatch(under.logs.join('\n'), /secret|"plugin":"responses"/)
    }
})

t.test('an answer that its source changes later applies as it was given', async t => {
  const changing = () => {
    const layer: Record<string, { value: boolean; enforced: boolean }> = { hipaa: { value: true, enforced: true } }
    queueMicrotask(() => {
      layer['hipaa']!.value = false
      delete layer['hipaa']
    })
    return layer as PolicyLayer
  }
  const promised = async () => {
    const layer = changing()
    return layer
  }
  for (const answers of [[changing, () => later(undefined)], [() => later(undefined), changing], [changing], [promised]] as const) {
    const under = await gateway({ plugins: [...answers.map(answer => source('org', answer)), enforcing, saying('acme', hello)], key })
    t.teardown(under.stop)
    const { requestId } = await ask(under, { model: 'acme/m' })
    if (answers[0] !== promised) t.match((await under.record(requestId)).policy, { hipaa: { value: true } })
  }
})

t.test('a field that is undefined is malformed', async t => {
  const under = await gateway({ plugins: [source('org', () => ({ zdr: undefined }) as never), saying('acme', hello)], key })
  t.teardown(under.stop)
  t.equal((await ask(under, { model: 'acme/m' })).status, 503)
  t.match(under.logs.join('\n'), /has a malformed field \\"zdr\\"/)
})

t.test('the record of a request whose policy is not available has its key', async t => {
  for (const answer of [() => 'zdr' as never, () => Promise.reject(new Error('down'))]) {
    const under = await gateway({ plugins: [source('org', answer), saying('acme', hello)], key })
    t.teardown(under.stop)
    const { status, requestId } = await ask(under, { model: 'acme/m' })
    t.equal(status, 503)
    const [, keyId] = under.apiKey.split('_')
    const owner = 'example/user/ada'
    t.match(await under.record(requestId), { keyId, org: 'example', team: 'research', user: 'ada', owner, policy: null, request: null })
  }
})
