import t from 'tap'
import {
  definePlugin,
  PolicySources,
  Routes,
  type Caller,
  type Endpoint,
  type GenerationRequest,
  type PolicyLayer,
} from '../../core/index.ts'
import { AccountStore, type ApiKey } from '../../core/stores.ts'
import zdr from '../../plugins/guardrails/zdr/index.ts'
import accountPolicies from '../../plugins/policies/accounts/index.ts'
import { account, org, stores } from '../kit/accounts.ts'
import { gateway, hello, saying } from '../kit/gateway.ts'
import { adding, ask, guarding, listing, stop, text, usage, witness } from '../kit/stage.ts'

// Plugins that write to the objects they get. Objects that core shares between requests stay unchanged, and the writer fails.

type Writable<T> = { -readonly [M in keyof T]: T[M] extends object | undefined ? Writable<NonNullable<T[M]>> : T[M] }

/** A step that runs once. Afterwards the plugin behaves. */
function once<T>(write: (given: Writable<T>) => void): (given: T) => void {
  let isDone = false
  return given => {
    if (isDone) return
    isDone = true
    write(given as Writable<T>)
  }
}

const logged = { logging: { value: true } }
const certified = { policy_url: 'https://example.com/zdr' }
const enforcing = guarding(undefined, { enforces: ['redaction'] })
const price = { input: 1, output: 1 }
const failures = (logs: readonly string[]) => logs.map(line => JSON.parse(line)).filter(({ level }) => level === 'error')

const keyWrites: readonly (readonly [name: string, write: (key: Writable<ApiKey>) => void])[] = [
  ['a setting of its policy', key => (key.policy.zdr!.value = false)],
  ['its policy', key => (key.policy = {} as never)],
  ['a field of its policy', ({ policy }) => delete (policy as { redaction?: unknown }).redaction],
  ['its organization', key => (key.org = 'other')],
  ['its models', key => ((key.models as unknown as string[])[0] = '*')],
]
for (const [name, write] of keyWrites)
  t.test(`a policy source that writes to a key fails, and the key stays as it is: ${name}`, async t => {
    const writing = once<ApiKey>(write)
    const acme = witness('acme', () => [text('hi'), usage(1, 1), stop])
    const source = adding(PolicySources, { level: 'user', policy: key => void writing(key) })
    const under = await gateway({
      plugins: [acme.plugin, zdr({}), enforcing, source],
      key: { org: 'example', models: ['acme/m'], policy: { zdr: { value: true }, redaction: { value: true } } },
    })
    t.teardown(under.stop)
    t.equal((await ask(under, { model: 'acme/m' })).status, 503)
    t.match(failures(under.logs)[0], { plugin: /^adding-/, error: 'TypeError', message: 'a policy source failed' })
    const { status, requestId } = await ask(under, { model: 'acme/m' })
    t.equal(status, 422, 'no endpoint is certified')
    t.match(await under.record(requestId), { org: 'example', policy: { zdr: { value: true }, redaction: { value: true } } })
    t.equal((await ask(under, { model: 'sandbox/echo' })).status, 403)
    t.same(acme.calls, [])
  })

t.test('a policy source that writes to an account fails, and the account stays as it is', async t => {
  const given = stores()
  const writing = once<{ policy: PolicyLayer }>(found => (found.policy.zdr!.value = false))
  const writer = definePlugin({
    name: 'writer',
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { accounts: AccountStore },
    setup(registrar, _, { accounts }) {
      registrar.add(PolicySources, { level: 'user', policy: () => void writing(accounts.find(org) as { policy: PolicyLayer }) })
    },
  })
  const under = await gateway({ plugins: [given.plugin, accountPolicies({}), zdr({}), writer({})], key: { org: 'example' } })
  t.teardown(under.stop)
  await given.of().accounts.add(account(org, { policy: { zdr: { value: true, enforced: true } } }))
  t.equal((await ask(under, { model: 'sandbox/echo' })).status, 503)
  t.equal((await ask(under, { model: 'sandbox/echo' })).status, 422)
  await given.of().accounts.update(org, { name: 'Example' })
  t.ok(Object.isFrozen(await given.of().accounts.find(org)))
})

const callerWrites: readonly (readonly [name: string, write: (caller: Writable<Caller>) => void])[] = [
  ['a setting of its policy', caller => (caller.policy.logging.value = true)],
  ['its policy', caller => (caller.policy = { ...caller.policy, logging: { value: true, source: 'key' } })],
  ['its owner', caller => (caller.owner = 'victim')],
  ['its key', caller => (caller.key.org = 'victim')],
]
for (const onFailure of ['refuse', 'allow'] as const)
  for (const [name, write] of callerWrites)
    t.test(`a guardrail that writes to the caller fails (${onFailure}), and the caller stays as it is: ${name}`, async t => {
      const writing = once<Caller>(write)
      const guard = guarding(undefined, { onFailure, open: ({ caller }) => void writing(caller) })
      const under = await gateway({ plugins: [saying('acme', hello), guard], key: { org: 'example' } })
      t.teardown(under.stop)
      const first = await ask(under, { model: 'acme/m' })
      t.equal(first.status, onFailure === 'refuse' ? 503 : 200)
      t.match(failures(under.logs)[0], { message: 'a guardrail failed', plugin: /^adding-/, error: 'TypeError' })
      const second = await ask(under, { model: 'acme/m' })
      for (const { requestId } of [first, second])
        t.match(await under.record(requestId), { request: null, response: null, owner: 'example', org: 'example' })
      t.equal((await under.request(`/v1/responses/${second.response['id'] as string}`)).status, 404, 'nothing is stored')
    })

t.test('a route that writes to the caller or the catalog fails, and both stay as they are', async t => {
  const writes: Readonly<Record<string, (caller: Writable<Caller>, models: Writable<{ length: number }>) => void>> = {
    models: ({ key }) => (key.models = ['*'] as never),
    org: ({ key }) => (key.org = 'other'),
    spending: ({ spending }) => (spending!.caps[0]!.capUsd = 1_000_000),
    catalog: (_, models) => (models.length = 0),
  }
  const route = definePlugin({
    name: 'writer',
    options: { type: 'object', additionalProperties: false, properties: {} },
    setup(registrar) {
      for (const [name, write] of Object.entries(writes))
        registrar.add(Routes, {
          method: 'GET',
          path: `/v1/write/${name}`,
          auth: 'key',
          handle({ caller }, services) {
            write(caller as Writable<Caller>, services.catalog.models() as unknown as { length: number })
            return { status: 200, body: '{}' }
          },
        })
    },
  })
  const catalog = listing({ model: 'm', endpoints: [{ provider: 'acme', price }] })
  const under = await gateway({
    plugins: [saying('acme', hello), catalog, route({})],
    key: { org: 'example', models: ['m'], spendCapUsd: 1, policy: logged },
  })
  t.teardown(under.stop)
  for (const name of Object.keys(writes)) t.equal((await under.request(`/v1/write/${name}`)).status, 500, name)
  t.equal(failures(under.logs).filter(({ plugin, error }) => plugin === 'writer' && error === 'TypeError').length, 4)
  t.equal((await ask(under, { model: 'sandbox/echo' })).status, 403)
  const { status, requestId } = await ask(under, { model: 'm' })
  t.equal(status, 200)
  t.match(await under.record(requestId), { org: 'example', owner: 'example' })
})

const endpointWrites: readonly (readonly [name: string, write: (endpoint: Writable<Endpoint>) => void])[] = [
  ['its certificate', endpoint => (endpoint.zdr = certified)],
  ['its price', endpoint => (endpoint.price!.input = 0)],
  ['its capabilities', endpoint => (endpoint.capabilities.images = true)],
]
for (const [name, write] of endpointWrites)
  t.test(`a plugin that writes to an endpoint fails, and the catalog stays as it is: ${name}`, async t => {
    const given = { ...price }
    const catalog = listing({ model: 'm', endpoints: [{ provider: 'acme', price: given }] })
    for (const model of ['m', 'acme/unlisted']) {
      const byGuard = once<Endpoint>(write)
      const guard = guarding(undefined, { open: () => ({ route: endpoint => (byGuard(endpoint), true) }) })
      const strict = await gateway({ plugins: [saying('acme', hello), catalog, guard, zdr({})], key: { policy: { zdr: { value: true } } } })
      t.teardown(strict.stop)
      t.equal((await ask(strict, { model })).status, 503)
      t.match(failures(strict.logs)[0], { message: 'a guardrail failed', error: 'TypeError' })
      t.equal((await ask(strict, { model })).status, 422, 'still without a certificate')

      const byProvider = once<Endpoint>(write)
      const acme = witness('acme', ({ endpoint }) => (byProvider(endpoint), [text('hi'), usage(1, 1), stop]))
      const under = await gateway({ plugins: [acme.plugin, catalog] })
      t.teardown(under.stop)
      t.not((await ask(under, { model })).status, 200)
      t.equal((await ask(under, { model })).status, 200)
      t.equal(acme.calls.at(-1)!.endpoint.zdr, false)
      t.not(acme.calls.at(-1)!.endpoint.capabilities.images, true)
    }
    given.input = 2
    t.pass('the object of the source is still its own')
  })

type Message = { content: { text: string }[] }
type Input = Message[]
const inputWrites: readonly (readonly [name: string, write: (input: Input) => void])[] = [
  ['an added item', input => input.push({ content: [] })],
  ['a removed item', input => (input.length = 0)],
  ['a changed text', input => (input[0]!.content[0]!.text = 'changed')],
  ['a changed item', input => (input[0]!.content = [])],
]
const inputOf = ({ request }: { readonly request: { readonly input: unknown } }): Input => request.input as Input
const sent = (input: string) => [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }]
const two = listing({ model: 'm', endpoints: [{ provider: 'acme' }, { provider: 'beta' }] })
const replacing = guarding({
  input: request => ({ replace: { ...request, input: sent('replaced') as GenerationRequest['input'] } }),
})

for (const [name, write] of inputWrites)
  for (const guards of [[], [replacing]])
    t.test(`a provider that writes to the request fails, and nobody else sees it: ${name}, ${guards.length} guardrails`, async t => {
      const writing = once<Input>(write)
      const acme = witness('acme', call => (writing(inputOf(call)), [text('hi'), usage(1, 1), stop]))
      const beta = witness('beta', () => [text('hi'), usage(1, 1), stop])
      const under = await gateway({ plugins: [acme.plugin, beta.plugin, two, ...guards], showsExceptions: false })
      t.teardown(under.stop)
      const { status, response, requestId } = await ask(under, { model: 'm', input: 'hello' })
      t.equal(status, 200)
      t.match(await under.record(requestId), {
        provider: 'beta',
        attempts: [{ provider: 'acme' }, { provider: 'beta' }],
        request: { input: sent('hello') },
      })
      t.match(under.logs.join('\n'), /TypeError/)
      const items = await under.request(`/v1/responses/${response['id'] as string}/input_items`)
      t.match((await items.json()) as object, { data: sent('hello') })
      t.match(beta.calls[0]!.request.input, sent(guards.length > 0 ? 'replaced' : 'hello'))
    })

t.test('a provider that writes to the earlier conversation fails, and what is stored stays as it is', async t => {
  let isWriting = false
  const acme = witness('acme', call => {
    if (isWriting) inputOf(call)[0]!.content[0]!.text = 'changed'
    return [text('hi'), usage(1, 1), stop]
  })
  const under = await gateway({ plugins: [acme.plugin], showsExceptions: false })
  t.teardown(under.stop)
  const { response: first } = await ask(under, { model: 'acme/m', input: 'hello' })
  isWriting = true
  t.not((await ask(under, { model: 'acme/m', input: 'more', previous_response_id: first['id'] })).status, 200)
  isWriting = false
  t.equal((await ask(under, { model: 'acme/m', input: 'more', previous_response_id: first['id'] })).status, 200)
  t.match(acme.calls.at(-1)!.request.input[0], sent('hello')[0]!)
})

for (const hook of ['input', 'route'] as const)
  t.test(`a guardrail that writes to the request fails, and nobody else sees it: ${hook}`, async t => {
    const writing = once<Input>(input => (input[0]!.content[0]!.text = 'changed'))
    const written = guarding(
      hook === 'input'
        ? { input: request => (writing(inputOf({ request })), { pass: true }) }
        : { route: (_, request) => (writing(inputOf({ request })), true) },
      { onFailure: 'allow' },
    )
    const acme = witness('acme', () => [text('hi'), usage(1, 1), stop])
    const under = await gateway({ plugins: [acme.plugin, written], showsExceptions: false })
    t.teardown(under.stop)
    const { status, requestId } = await ask(under, { model: 'acme/m', input: 'hello' })
    t.equal(status, 200)
    t.match(await under.record(requestId), { request: { input: sent('hello') } })
    t.match(failures(under.logs)[0], { message: 'a guardrail failed', plugin: /^adding-/, error: 'TypeError' })
    t.match(acme.calls[0]!.request.input, sent('hello'))
  })

t.test(
  'where nobody else gets a request, it is frozen for developers only; without logging, another endpoint still gets what was sent',
  async t => {
    const changing = (call: { readonly request: { readonly input: unknown } }) => {
      inputOf(call)[0]!.content[0]!.text = 'changed'
      return [text('hi'), usage(1, 1), stop]
    }
    for (const [showsExceptions, logLevel, isFrozen] of [
      [true, 'info', true],
      [false, 'debug', true],
      [false, 'info', false],
    ] as const) {
      const alone = await gateway({
        plugins: [witness('acme', changing).plugin],
        settings: { logLevel },
        showsExceptions,
        key: { org: 'example' },
      })
      t.teardown(alone.stop)
      t.equal((await ask(alone, { model: 'acme/m' })).status === 200, !isFrozen)
    }
    const beta = witness('beta', () => [text('hi'), usage(1, 1), stop])
    const plugins = [witness('acme', changing).plugin, beta.plugin, two]
    const under = await gateway({ plugins, showsExceptions: false, key: { org: 'example' } })
    t.teardown(under.stop)
    t.equal((await ask(under, { model: 'm', input: 'hello' })).status, 200)
    t.match(beta.calls[0]!.request.input, sent('hello'))
  },
)
