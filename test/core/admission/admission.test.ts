import { crc32 } from 'node:zlib'
import t from 'tap'
import { policyFields } from '../../../core/admin.ts'
import { levels } from '../../../core/contracts/policy.ts'
import { AbsentProviders, PolicySources, ProviderFailure, type Level, type PolicyLayer, type PolicySource } from '../../../core/index.ts'
import { KeyStore, type AccountPolicy, type ApiKey } from '../../../core/stores.ts'
import { resolvePolicy } from '../../../core/admission/policy.ts'
import { Gate, testGateway } from '../../../core/testing/index.ts'
import health from '../../../plugins/endpoints/health/index.ts'
import models from '../../../plugins/endpoints/models/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import { gateway, hello, saying, scripted } from '../../kit/gateway.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { adding, ask, guarding, listing, providing, stop, text, usage, witness } from '../../kit/stage.ts'

const source = (level: PolicySource['level'], policy: PolicySource['policy']) => adding(PolicySources, { level, policy })

/** A key with the same id and a checksum that holds. */
function forged(apiKey: string): string {
  const [, id] = apiKey.split('_')
  const secret = 'a'.repeat(40)
  return `tp_${id}_${secret}${crc32(`${id}_${secret}`).toString(16).padStart(8, '0')}`
}

t.test('a key has at least 128 random bits and a checksum, and only it opens the gateway', async t => {
  const kept: ApiKey[] = []
  const asked: string[] = []
  const store: KeyStore = {
    persistent: false,
    find(id) {
      asked.push(id)
      return kept.find(key => key.id === id)
    },
    add: key => void kept.push(key),
    update: () => false,
    list: () => kept,
    page: () => kept,
    remove: () => false,
    empty: () => kept.length === 0,
  }
  const under = await testGateway({
    plugins: [
      memory({ services: ['responses', 'metrics', 'limits', 'ledger'] }),
      providing(KeyStore, store),
      localSealer({ masterKey: 'cd'.repeat(32) }),
      responses({}),
      models({}),
      health({}),
    ],
  })
  t.teardown(under.stop)
  const [prefix, id, secret] = under.apiKey.split('_')
  t.equal(prefix, 'tp')
  t.ok(secret!.length * 4 >= 128 + 32, 'at least 128 bits without the checksum')
  t.equal(kept[0]!.id, id)
  t.notMatch(JSON.stringify(kept), secret!, 'the secret is not kept')
  t.equal(Buffer.from(kept[0]!.hash, 'base64url').length, 32, 'an HMAC-SHA-256 is')
  const other = await under.gateway.issueKey({ name: 'other' })
  t.not(other.split('_')[2], secret)

  const status = async (authorization: string | undefined): Promise<number> => {
    const reply = await under.gateway.http.h3.request('/v1/models', { headers: authorization ? { authorization } : {} })
    if (reply.status === 401) {
      const { error } = (await reply.json()) as { error: Record<string, unknown> }
      t.match(error, { type: 'authentication_error', code: 'invalid_api_key', param: null })
      t.notMatch(String(error['message']), secret!)
    }
    return reply.status
  }
  const { apiKey } = under
  t.equal(await status(`Bearer ${apiKey}`), 200)
  t.equal(await status(`bearer ${apiKey}`), 200, 'schemes have no case')
  asked.length = 0
  const changed = apiKey.slice(0, -1) + (apiKey.endsWith('0') ? '1' : '0')
  for (const malformed of [undefined, '', 'Bearer', `Basic ${apiKey}`, apiKey, `Bearer ${apiKey}0`, `Bearer ${apiKey.slice(0, -1)}`])
    t.equal(await status(malformed), 401, `${malformed?.slice(0, 8)}…`)
  t.equal(await status(`Bearer ${changed}`), 401, 'a typing mistake')
  t.same(asked, [], 'none of these was looked up')
  t.equal(await status(`Bearer ${forged(apiKey)}`), 401, 'the right id with another secret')
  t.equal(await status(`Bearer ${other}`), 200)
  kept[1] = { ...kept[1]!, disabled: true }
  t.equal(await status(`Bearer ${other}`), 401, 'a disabled key')
  kept.pop()
  t.equal(await status(`Bearer ${other}`), 401, 'a key that is gone')
  t.equal((await under.gateway.http.h3.request('/v1/responses/health')).status, 200, 'health asks for none')
})

t.test('a rotated key has a new secret, and the old one as long as was asked for', async t => {
  const clock = { time: 1_000_000, now: () => clock.time, elapsed: () => clock.time }
  const under = await gateway({ clock })
  t.teardown(under.stop)
  const status = async (apiKey: string): Promise<number> =>
    (await under.gateway.http.h3.request('/v1/models', { headers: { authorization: `Bearer ${apiKey}` } })).status
  const id = under.apiKey.split('_')[1]!
  const second = (await under.gateway.rotateKey(id, 60_000))!
  t.equal(second.split('_')[1], id, 'its id stays')
  t.same([await status(under.apiKey), await status(second), await status(forged(second))], [200, 200, 401])
  clock.time += 60_000
  t.same([await status(under.apiKey), await status(second)], [401, 200])
  const third = (await under.gateway.rotateKey(id, 60_000))!
  clock.time += 30_000
  const fourth = (await under.gateway.rotateKey(id, 60_000))!
  t.same([await status(second), await status(third), await status(fourth)], [200, 200, 200], 'a second rotation ends no grace')
  clock.time += 30_000
  t.same([await status(second), await status(third), await status(fourth)], [401, 200, 200])
  const last = (await under.gateway.rotateKey(id, 0))!
  t.same([await status(third), await status(fourth), await status(last)], [401, 401, 200], 'without grace, all earlier ones end')
  for (let index = 0; index < 20; index++) await under.gateway.rotateKey(id, 60_000)
  t.equal((await under.gateway.keys.find(id))!.previous!.length, 10, 'as many as a request may have to look through')
  await under.gateway.keys.update(id, { disabled: true })
  t.equal(await status(last), 401)
  t.equal(await under.gateway.rotateKey('nobody', 0), undefined)
})

t.test('a record names the key that was refused, and why, if its secret was sent', async t => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1))
  const under = await gateway({ clock })
  t.teardown(under.stop)
  const { keys } = under.gateway
  const refused = async (apiKey: string): Promise<unknown> => {
    const { headers } = await under.gateway.http.h3.request('/v1/models', { headers: { authorization: `Bearer ${apiKey}` } })
    const { status, keyId, org, errorMessage, policy } = await under.record(headers.get('x-request-id')!)
    t.same([status, policy], [401, null])
    return [keyId, org, errorMessage]
  }
  const make = async (settings: Partial<ApiKey> = {}): Promise<readonly [text: string, id: string]> => {
    const text = await under.gateway.issueKey({ name: 'leaked', org: 'example', ...settings })
    return [text, text.split('_')[1]!]
  }
  const [disabled, disabledId] = await make({ disabled: true })
  t.same(await refused(disabled), [disabledId, 'example', 'The API key is disabled.'])
  const [expired, expiredId] = await make({ expiresAt: clock.now() })
  t.same(await refused(expired), [expiredId, 'example', 'The API key expired at 2026-01-01T00:00:00.000Z.'])
  const [hidden, hiddenId] = await make({ disabled: true, hidden: true })
  t.same(await refused(hidden), [hiddenId, 'example', 'The API key was deleted.'])
  const [rotated, rotatedId] = await make()
  await under.gateway.rotateKey(rotatedId, 0)
  clock.pass(1_000)
  const replaced = 'The API key has a new secret. This one worked until 2026-01-01T00:00:00.000Z.'
  t.same(await refused(rotated), [rotatedId, 'example', replaced])
  await under.gateway.rotateKey(rotatedId, 60_000)
  t.same(await refused(rotated), [rotatedId, 'example', replaced], 'a later rotation does not revive it')
  t.match(await refused(forged(rotated)), [null, null, /is unknown/], 'an id alone proves nothing')
  const [removed, removedId] = await make()
  await keys.remove(removedId)
  t.match(await refused(removed), [null, null, /is unknown/])
})

t.test('settings that would keep a key from working are told before it is made', async t => {
  const entry = { model: 'm-2026', aliases: ['m'], endpoints: [{ provider: 'acme', upstreamModel: 'm-raw' }] }
  const absent = adding(AbsentProviders, { id: 'globex', remedy: 'set GLOBEX_API_KEY' })
  const under = await gateway({ plugins: [saying('acme', hello), listing(entry), absent] })
  t.teardown(under.stop)
  const warnings = (settings: Parameters<typeof under.gateway.keyWarnings>[0]) => under.gateway.keyWarnings(settings)
  const fine = ['m-2026', 'm', 'acme/m', 'acme/m-raw', 'acme/*', 'acme/m-2026', 'acme/anything', 'sandbox/dm']
  t.same(
    warnings({ name: 'x', models: fine, providers: ['acme', 'sandbox'], policy: { logging: { value: true }, zdr: { value: false } } }),
    [],
  )
  const told = warnings({
    name: 'x',
    models: ['globex/n', 'm-2025', 'other/n'],
    providers: ['acmee', 'globex'],
    policy: { zdr: { value: true }, redaction: { value: true } },
  })
  for (const [index, expected] of [
    /^No loaded provider serves the model "globex\/n"\. The provider "globex" is not loaded: set GLOBEX_API_KEY/,
    /^No loaded provider serves the model "m-2025"\. Did you mean m-2026/,
    /^No loaded provider serves the model "other\/n"\.$/,
    /^No loaded plugin supplies the provider "acmee"\. Did you mean acme\?/,
    /^The provider "globex" is not loaded: set GLOBEX_API_KEY/,
    /^No loaded plugin enforces "zdr", so every request with this key will be refused/,
    /^No loaded plugin enforces "redaction"/,
  ].entries())
    t.match(told[index], expected)
  t.equal(told.length, 7)
})

t.test('a key that only certified endpoints may serve is warned of if there are none', async t => {
  const listed = (more: object) => listing({ model: 'm', endpoints: [{ provider: 'acme', upstreamModel: 'm', ...more }] })
  const enforcing = guarding(undefined, { enforces: ['zdr', 'hipaa'] })
  const policy = { zdr: { value: true }, hipaa: { value: true } }
  for (const [more, ...expected] of [
    [{}, /^No endpoint in the catalog has "zdr" set/, /"hipaa" set/],
    [{ zdr: { policy_url: 'https://example.com/zdr' } }, /"hipaa" set/],
  ] as const) {
    const under = await gateway({ plugins: [saying('acme', hello), listed(more), enforcing] })
    t.teardown(under.stop)
    const warnings = under.gateway.keyWarnings({ name: 'x', policy })
    t.equal(warnings.length, expected.length)
    expected.forEach((each, index) => t.match(warnings[index], each))
  }
})

t.test('a key store that throws is a 503 that tells nothing', async t => {
  const store: KeyStore = {
    persistent: false,
    find: () => {
      throw new Error('connection to keys.example.com refused')
    },
    add: () => {},
    update: () => false,
    list: () => [],
    page: () => [],
    remove: () => false,
    empty: () => false,
  }
  const under = await testGateway({
    plugins: [
      memory({ services: ['responses', 'metrics', 'limits', 'ledger'] }),
      providing(KeyStore, store),
      localSealer({ masterKey: 'cd'.repeat(32) }),
      responses({}),
      saying('acme', hello),
    ],
  })
  t.teardown(under.stop)
  const { status, error } = await ask(under, { model: 'acme/m' })
  t.equal(status, 503)
  t.match(error, { type: 'server_error', code: 'server_error' })
  t.notMatch(error.message, 'keys.example.com')
})

t.test('each field of a policy is resolved by itself; of those that enforce it, the highest level wins', async t => {
  const own = { enforced: true, setBy: 'org' } as const
  const settings: readonly AccountPolicy['zdr'][] = [
    undefined,
    ...[true, false].flatMap(value => [{ value }, { value, enforced: true }, { value, ...own }]),
  ]
  for (const field of policyFields) {
    for (let mix = 0; mix < settings.length ** levels.length; mix++) {
      const layers = new Map<Level, AccountPolicy | undefined>()
      for (const [position, level] of levels.entries()) {
        const setting = settings[Math.floor(mix / settings.length ** position) % settings.length]
        // The other fields say the opposite, enforced: they must not matter.
        const others = Object.fromEntries(
          policyFields.filter(other => other !== field).map(other => [other, { value: setting?.value !== true, enforced: true }]),
        )
        layers.set(level, { ...others, ...(setting && { [field]: setting }) })
      }
      const ofOperator = levels.find(level => layers.get(level)?.[field]?.enforced && !layers.get(level)?.[field]?.setBy)
      const enforcing = ofOperator ?? levels.find(level => layers.get(level)?.[field]?.enforced)
      const expected = { value: layers.get(enforcing ?? 'key')?.[field]?.value ?? false, source: enforcing ?? 'key' }
      const { value, source } = resolvePolicy(layers)[field]
      if (value !== expected.value || source !== expected.source)
        t.fail(`${field}: ${JSON.stringify([...layers])}`, { value, source, expected })
    }
  }
  t.same(
    resolvePolicy(new Map([['team', { redaction: { value: true, enforced: true, settings: { detectors: ['email'] } } }]])).redaction,
    { value: true, source: 'team', settings: { detectors: ['email'] } },
    'settings come with the value',
  )
  t.same(
    resolvePolicy(new Map()),
    Object.fromEntries(policyFields.map(field => [field, { value: false, source: 'key' }])),
    'off is the default',
  )
})

t.test('enforcement reaches requests, is recorded with its source, and reverts when it is released', async t => {
  const layers: Record<PolicySource['level'], PolicyLayer | undefined> = { org: undefined, team: undefined, user: undefined }
  const under = await gateway({
    plugins: [
      saying('acme', hello),
      guarding(undefined, { enforces: ['zdr', 'hipaa', 'redaction'] }),
      ...(['user', 'org', 'team'] as const).map(level => source(level, async () => layers[level])),
    ],
    key: { name: 'test', policy: { logging: { value: true }, zdr: { value: false } } },
  })
  t.teardown(under.stop)
  const policy = async () => {
    const { status, requestId, response } = await ask(under, { model: 'acme/m' })
    t.equal(status, 200)
    const { policy, request } = await under.record(requestId)
    t.equal(response['store'], policy!.logging.value, 'store is echoed as it is')
    t.equal(request !== null, policy!.logging.value, 'content is kept only with logging')
    return { logging: policy!.logging, zdr: policy!.zdr }
  }
  const own = { logging: { value: true, source: 'key' }, zdr: { value: false, source: 'key' } }
  t.same(await policy(), own)
  layers.user = { logging: { value: false, enforced: true } }
  t.same(await policy(), { ...own, logging: { value: false, source: 'user' } })
  layers.team = { zdr: { value: true, enforced: true }, logging: { value: true } }
  t.same(await policy(), { logging: { value: false, source: 'user' }, zdr: { value: true, source: 'team' } }, 'a wish enforces nothing')
  layers.org = { logging: { value: true, enforced: true } }
  t.same(await policy(), { logging: { value: true, source: 'org' }, zdr: { value: true, source: 'team' } })
  layers.org = undefined
  t.same((await policy()).logging, { value: false, source: 'user' }, 'another enforcer still applies')
  layers.team = layers.user = undefined
  t.same(await policy(), own, 'the key is back at its own')
})

t.test('a policy that nothing loaded enforces is refused with a body of exactly type and message', async t => {
  const acme = witness('acme', () => hello)
  for (const field of ['zdr', 'hipaa', 'redaction'] as const) {
    const under = await gateway({
      plugins: [
        acme.plugin,
        guarding(undefined, { enforces: (['zdr', 'hipaa', 'redaction'] as const).filter(other => other !== field) }),
        source('org', () => ({ [field]: { value: true, enforced: true } })),
      ],
    })
    for (const stream of [true, false]) {
      const { status, error } = await ask(under, { model: 'acme/m', stream })
      t.equal(status, 422)
      t.same(Object.keys(error).sort(), ['message', 'type'])
      t.equal(error.type, 'invalid_request_error')
      t.match(error.message, new RegExp(`"${field}"`))
      t.match(error.message, /\borg\b/, 'and who asked for it')
    }
    await under.stop()
  }
  t.same(acme.calls, [])
  const under = await gateway({ plugins: [acme.plugin], key: { name: 'test', policy: { logging: { value: true, enforced: true } } } })
  t.equal((await ask(under, { model: 'acme/m' })).status, 200, 'logging is enforced by core itself')
  await under.stop()
})

t.test('a policy source that throws refuses the request', async t => {
  const acme = witness('acme', () => hello)
  const under = await gateway({
    plugins: [
      acme.plugin,
      source('team', () => {
        throw new Error('accounts.example.com is down')
      }),
    ],
  })
  t.teardown(under.stop)
  const { status, error, requestId } = await ask(under, { model: 'acme/m' })
  t.ok(status >= 500)
  t.notMatch(error.message, 'accounts.example.com')
  t.same(acme.calls, [])
  t.equal((await under.record(requestId)).status, status)
})

const twoModels = listing(
  { model: 'small', aliases: ['tiny'], endpoints: [{ provider: 'acme' }, { provider: 'globex' }] },
  { model: 'large', endpoints: [{ provider: 'acme' }] },
)

t.test('a key that may not use the model or the provider gets a 403 that says which', async t => {
  const under = await gateway({
    plugins: [saying('acme', hello), saying('globex', hello), twoModels],
    key: { name: 'test', policy: {}, models: ['small'], providers: ['globex'] },
  })
  t.teardown(under.stop)
  const refused = async (body: object, code: string): Promise<void> => {
    for (const stream of [true, false]) {
      const { status, error } = await ask(under, { ...body, stream })
      t.equal(status, 403)
      t.match(error, { type: 'permission_error', code, param: 'model' })
    }
  }
  await refused({ model: 'large' }, 'model_not_allowed')
  await refused({ model: 'globex/large' }, 'model_not_allowed')
  await refused({ model: 'acme/small' }, 'provider_not_allowed')
  for (const model of ['small', 'tiny', 'globex/small']) {
    const { status, headers } = await ask(under, { model })
    t.equal(status, 200, model)
    t.equal(headers.get('x-gateway-provider'), 'globex', 'the other one is passed over')
  }
  const { headers } = await ask(under, { model: 'large', routing: { model: { fallbacks: ['small'] } } })
  t.equal(headers.get('x-gateway-provider'), 'globex', 'a fallback that is allowed serves')
  const none = await gateway({ plugins: [saying('acme', hello)], key: { name: 'test', models: [] } })
  t.equal((await ask(none, { model: 'acme/m' })).status, 403, 'an empty list allows nothing')
  await none.stop()
})

/** A dollar for a thousand tokens. */
const priced = listing({ model: 'm', endpoints: [{ provider: 'acme', price: { input: 1_000, output: 1_000 } }] })
const threeThousandTokens = 'word '.repeat(3_000)
const five: Parameters<typeof saying>[1] = [text('Hello'), usage(3, 2), stop]

t.test('a spend cap is a 402 before anything is asked; what is held is settled with what it cost', async t => {
  const gate = new Gate()
  let wait = false
  let broken = false
  const under = await gateway({
    plugins: [
      priced,
      scripted('acme', async function* () {
        if (broken) throw new ProviderFailure({ kind: 'unavailable', message: 'down' })
        if (wait) await gate.pass()
        yield* five
      }),
    ],
    key: { name: 'test', policy: {}, spendCapUsd: 2 },
  })
  t.teardown(under.stop)
  const body = { model: 'm', max_output_tokens: 1_980 }
  for (const stream of [true, false]) {
    const { status, error } = await ask(under, { ...body, input: threeThousandTokens, stream })
    t.equal(status, 402, 'the input alone costs 3 dollars')
    t.match(error, { type: 'insufficient_credits', code: 'insufficient_credits' })
  }
  wait = true
  const first = ask(under, body)
  await gate.reached
  t.equal((await ask(under, body)).status, 402, 'the credit is held by a request under way')
  wait = false
  gate.open()
  t.equal((await first).status, 200)
  t.equal((await under.record((await first).requestId)).costUsd, 0.005)
  for (let count = 0; count < 3; count++) t.equal((await ask(under, body)).status, 200, 'what was not spent came back')
  broken = true
  for (let count = 0; count < 3; count++) t.equal((await ask(under, body)).status, 424)
  broken = false
  t.equal((await ask(under, body)).status, 200, 'a failure costs nothing')
  // 5 requests of 0.005 are spent.
  const limits = async (max_output_tokens: number): Promise<string | null> =>
    (await ask(under, { ...body, max_output_tokens })).headers.get('x-gateway-warnings')
  t.equal(await limits(1_960), null)
  t.match(await limits(1_965), /spend cap/, 'what was spent counts')
})

t.test('a key with a cap is refused where the price is unknown, unless it allows that', async t => {
  const acme = witness('acme', () => five)
  const plugins = [acme.plugin, priced]
  const capped = await gateway({ plugins, key: { name: 'test', spendCapUsd: 5 } })
  t.teardown(capped.stop)
  const { status, error } = await ask(capped, { model: 'acme/other' })
  t.equal(status, 402)
  t.match(error, { code: 'insufficient_credits' })
  t.same(acme.calls, [])
  t.equal((await ask(capped, { model: 'm' })).status, 200)
  const generous = await gateway({ plugins, key: { name: 'test', spendCapUsd: 5, allowUnpriced: true } })
  t.teardown(generous.stop)
  const served = await ask(generous, { model: 'acme/other' })
  t.equal(served.status, 200)
  t.equal((await generous.record(served.requestId)).costUsd, null, 'unknown, not 0')
})

t.test('tokens a minute are a 429 with the seconds to wait, and are settled after the run', async t => {
  const gate = new Gate()
  let wait = true
  const clock = new FakeClock()
  const under = await gateway({
    clock,
    plugins: [
      scripted('acme', async function* () {
        if (wait) await gate.pass()
        yield* five
      }),
    ],
    key: { name: 'test', policy: {}, limits: [{ tokens: 2_000, windowMs: 60_000 }] },
  })
  t.teardown(under.stop)
  const body = { model: 'acme/m', max_output_tokens: 1_500 }
  const first = ask(under, body)
  await gate.reached
  clock.pass(20_500)
  for (const stream of [true, false]) {
    const { status, headers, error } = await ask(under, { ...body, stream })
    t.equal(status, 429)
    t.match(error, { type: 'rate_limit_error', code: 'rate_limit_exceeded' })
    t.equal(headers.get('retry-after'), '40')
    t.match(error.message, 'try again in 40s')
  }
  wait = false
  gate.open()
  t.equal((await first).status, 200)
  t.equal((await ask(under, body)).status, 200, 'only what was used is gone')
  const { status, headers, error } = await ask(under, { ...body, max_output_tokens: 5_000 })
  t.equal(status, 429)
  t.equal(headers.get('retry-after'), null, 'waiting does not help')
  t.equal(headers.get('x-should-retry'), 'false', 'and clients that would wait are told')
  t.notMatch(error.message, 'try again')
})

t.test('tokens a minute are reserved by the limit of the endpoint, or else by what its answers come to', async t => {
  const small = { model: 's', endpoints: [{ provider: 'acme', maxOutputTokens: 500 }] }
  const gate = new Gate()
  let wait = false
  const acme = scripted('acme', async function* () {
    if (wait) await gate.pass()
    yield* [text('Hello'), usage(3, 4_000), stop]
  })
  const limited = await gateway({ plugins: [listing(small), acme], key: { name: 'test', limits: [{ tokens: 1_000, windowMs: 60_000 }] } })
  t.teardown(limited.stop)
  t.equal((await ask(limited, { model: 's', max_output_tokens: 5_000 })).status, 200)

  const under = await gateway({ plugins: [acme], key: { name: 'test', limits: [{ tokens: 10_000, windowMs: 60_000 }] } })
  t.teardown(under.stop)
  t.equal((await ask(under, { model: 'acme/m' })).status, 200)
  wait = true
  const second = ask(under, { model: 'acme/m' })
  await gate.reached
  t.equal((await ask(under, { model: 'acme/m' })).status, 429, 'the second one has 4,000 of 6,000 tokens')
  wait = false
  t.equal((await ask(under, { model: 'acme/other' })).status, 200, 'of others 1,000 are assumed')
  gate.open()
  t.equal((await second).status, 200)
})

t.test('a request refused for lack of credit gives back its tokens', async t => {
  const under = await gateway({
    plugins: [priced, saying('acme', five)],
    key: { name: 'test', policy: {}, limits: [{ tokens: 4_000, windowMs: 60_000 }], spendCapUsd: 2 },
  })
  t.teardown(under.stop)
  for (let count = 0; count < 3; count++)
    t.equal((await ask(under, { model: 'm', max_output_tokens: 16, input: threeThousandTokens })).status, 402)
  t.equal((await ask(under, { model: 'm', max_output_tokens: 1_900 })).status, 200)
})

t.test('a policy that cannot be understood refuses the request, and the log says why', async t => {
  const on = { value: true, enforced: true }
  for (const [layer, reason] of [
    [{ redaction: true }, /has a malformed field \\"redaction\\": expected \{ value: true or false/],
    [{ redaction: { value: 'true' } }, /has a malformed field \\"redaction\\"/],
    [{ redaction: { value: true, enforced: 'yes' } }, /has a malformed field \\"redaction\\"/],
    [{ redaction: { ...on, settings: 'all' } }, /has a malformed field \\"redaction\\"/],
    [{ redact: on }, /has the unknown field \\"redact\\": expected zdr, logging, hipaa, redaction/],
    ['redaction', /is not an object/],
    [null, /is not an object/],
  ] as const) {
    const under = await gateway({ plugins: [saying('acme', hello), source('org', async () => layer as unknown as PolicyLayer)] })
    const { status, error } = await ask(under, { model: 'acme/m' })
    t.equal(status, 503)
    t.match(error, { type: 'server_error', message: 'The policy of the org is not available. Try again.' })
    const line = under.logs.find(each => each.includes('a policy source failed'))
    t.match(line, reason)
    t.match(line, /"level":"error".*"policyLevel":"org","plugin":"adding-\d+"/)
    await under.stop()
    if (layer === null) continue
    const key = { name: 'test', policy: layer as unknown as PolicyLayer }
    for (const plugins of [[], [source('org', () => undefined)]]) {
      const keyed = await gateway({ plugins: [saying('acme', hello), ...plugins], key })
      t.equal((await ask(keyed, { model: 'acme/m' })).status, 503, 'that of a key too')
      t.match(
        keyed.logs.find(each => each.includes('the policy of an API key is malformed')),
        reason,
      )
      await keyed.stop()
    }
  }
  const fine = await gateway({
    plugins: [
      saying('acme', hello),
      source('org', () => ({ redaction: { value: true }, logging: { value: false, enforced: false, settings: {} } })),
      source('team', () => ({})),
    ],
  })
  t.teardown(fine.stop)
  t.equal((await ask(fine, { model: 'acme/m' })).status, 200, 'a value that is not enforced has no effect')
})
