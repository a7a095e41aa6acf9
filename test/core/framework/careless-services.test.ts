import t, { type Test } from 'tap'
import { definePlugin, type Token } from '../../../core/index.ts'
import { TokenCounter } from '../../../core/kit.ts'
import { type Admission, ConversationStore, RateLimiter, ResponseStore, type Hold, type TokenWindow } from '../../../core/stores.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import { testGateway, type TestGateway } from '../../../core/testing/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import conversations from '../../../plugins/endpoints/conversations/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import { hello, saying } from '../../kit/gateway.ts'
import { listing } from '../../kit/stage.ts'
import { later } from '../../kit/thenables.ts'

// Services as an outsider's plugin implements them, in JavaScript and in a hurry.

const secret = 'the words of a prompt'
const model = 'acme/one'

function careless<T>(service: Token<T>, implementation: object): PluginUse {
  return definePlugin({
    name: 'careless',
    options: { type: 'object', additionalProperties: false, properties: {} },
    provides: [service],
    setup: registrar => registrar.provide(service, implementation as T),
  })({})
}

type Options = Omit<Parameters<typeof testGateway>[0], 'plugins'>

async function under(
  t: Test,
  plugin: PluginUse,
  services: readonly ('limits' | 'responses')[],
  options: Options = {},
  more: readonly PluginUse[] = [],
) {
  const gateway = await testGateway({
    plugins: [
      memory({ services: ['keys', 'metrics', 'ledger', ...services] }),
      localSealer({ masterKey: 'ab'.repeat(32) }),
      responses({}),
      saying('acme', hello),
      listing({ model: 'small', endpoints: [{ provider: 'acme', contextWindow: 20, price: { input: 1, output: 1 } }] }),
      plugin,
      ...more,
    ],
    ...options,
  })
  t.teardown(gateway.stop)
  return gateway
}

/** The errors in the log, each of which must name the plugin and the function, and must not quote the exception. */
function errorsOf(t: Test, { logs }: TestGateway, reason: RegExp): readonly Record<string, unknown>[] {
  const errors = logs.map(line => JSON.parse(line)).filter(({ level }) => level === 'error')
  for (const line of errors) t.match(line, { plugin: 'careless', reason })
  t.notMatch(logs.join(''), secret)
  return errors
}

const fails = (): never => {
  throw new Error(secret)
}
const failsLater = async (): Promise<never> => fails()

const item = { type: 'message', role: 'user', content: [] }
const stored = { id: 'resp_1', org: 'default', body: { id: 'resp_1', output: [item] }, input: [item], output: [item], createdAt: 1 }

const bad = (member: string, problem: string): RegExp =>
  new RegExp(`^plugin careless returned a bad answer from \`${member}\` of [a-z-]+: ${problem}$`)
const failed = (member: string): RegExp => new RegExp(`^plugin careless failed in \`${member}\` of [a-z-]+: The message may quote content`)

const storeMistakes: Readonly<Record<string, readonly (readonly [unknown, string])[]>> = {
  get: [
    [5, 'expected a stored response or undefined, got a number'],
    ['x', 'expected a stored response or undefined, got a string'],
    [null, 'expected a stored response or undefined, got null'],
    [[], 'expected a stored response or undefined, got an array'],
    [{}, 'expected a string as `id`, got undefined'],
    [{ ...stored, body: secret }, 'expected an object as `body`, got a string'],
    [{ ...stored, body: { output: [5] } }, 'expected an array of items as `body.output`, got one that holds a number'],
    [{ ...stored, input: secret }, 'expected an array of items as `input`, got a string'],
    [{ ...stored, output: [secret] }, 'expected an array of items as `output`, got one that holds a string'],
    [{ ...stored, previousId: 5 }, 'expected a string or undefined as `previousId`, got a number'],
  ],
  chain: [
    [5, 'expected an array of turns or undefined, got a number'],
    [null, 'expected an array of turns or undefined, got null'],
    [{}, 'expected an array of turns or undefined, got an object'],
    [[secret], 'expected an array of turns, got one that holds a string'],
    [[{ input: [item] }], 'expected an array of items as `output`, got undefined'],
  ],
  items: [
    [undefined, 'expected a Map of items, got undefined'],
    [{}, 'expected a Map of items, got an object'],
    [new Map([['msg_1', secret]]), 'expected a Map of items, got one that holds a string'],
  ],
  delete: [
    [undefined, 'expected true or false, got undefined'],
    [1, 'expected true or false, got a number'],
    ['true', 'expected true or false, got a string'],
    [{}, 'expected true or false, got an object'],
  ],
}

const storeRequests: Readonly<Record<string, (gateway: TestGateway) => Promise<Response>>> = {
  get: gateway => gateway.request('/v1/responses/resp_1'),
  chain: gateway => gateway.request('/v1/responses', { body: { model, input: 'Hi', previous_response_id: 'resp_1' } }),
  items: gateway => gateway.request('/v1/responses', { body: { model, input: [{ type: 'item_reference', id: 'msg_1' }] } }),
  delete: gateway => gateway.request('/v1/responses/resp_1', { method: 'DELETE' }),
}

const goodStore = {
  put: async () => {},
  get: async (): Promise<unknown> => stored,
  chain: async (): Promise<unknown> => [stored],
  items: async (): Promise<unknown> => new Map([['msg_1', item]]),
  delete: async (): Promise<unknown> => true,
}

t.test('a bad answer of a response store is a 503, and the log names the store and the function', async t => {
  for (const [member, mistakes] of Object.entries(storeMistakes)) {
    for (const [value, problem] of mistakes) {
      for (const answer of [async () => value, () => later(value), () => value]) {
        const gateway = await under(t, careless(ResponseStore, { ...goodStore, [member]: answer }), ['limits'])
        t.equal((await storeRequests[member]!(gateway)).status, 503, `${member}: ${problem}`)
        t.equal(errorsOf(t, gateway, bad(member, problem)).length, 1)
      }
    }
  }
})

t.test('so is a response store that throws or rejects', async t => {
  for (const [member, request] of Object.entries(storeRequests)) {
    for (const answer of [fails, failsLater]) {
      const gateway = await under(t, careless(ResponseStore, { ...goodStore, [member]: answer }), ['limits'])
      t.equal((await request(gateway)).status, 503)
      t.equal(errorsOf(t, gateway, failed(member)).length, 1)
    }
  }
})

t.test('a response store that is late, or that cannot store, is named', async t => {
  const never = new Promise<never>(() => {})
  const settings = { storeTimeoutMs: 20 }
  const slow = await under(t, careless(ResponseStore, { ...goodStore, get: () => never, put: () => never }), ['limits'], { settings })
  t.equal((await storeRequests['get']!(slow)).status, 503)
  t.equal((await slow.request('/v1/responses', { body: { model, input: 'Hi' } })).status, 200)
  t.equal(errorsOf(t, slow, /^plugin careless took longer than 20 ms in `(get|put)` of response-store$/).length, 2)
  for (const put of [fails, failsLater]) {
    const gateway = await under(t, careless(ResponseStore, { ...goodStore, put }), ['limits'])
    const reply = await gateway.request('/v1/responses', { body: { model, input: 'Hi' } })
    t.match(await reply.json(), { store: false })
    t.equal(errorsOf(t, gateway, failed('put')).length, 1)
  }
})

t.test('good answers of a response store pass, also from a class', async t => {
  class Store {
    readonly #stored = stored
    put = async (): Promise<void> => {}
    async get() {
      return this.#stored
    }
    async chain() {
      return [this.#stored]
    }
    async items() {
      return new Map([['msg_1', this.#stored.input[0]]])
    }
    async delete() {
      return this.#stored !== undefined
    }
  }
  const gateway = await under(t, careless(ResponseStore, new Store()), ['limits'])
  for (const request of Object.values(storeRequests)) t.equal((await request(gateway)).status, 200)
  const lean = await under(t, careless(ResponseStore, { ...goodStore, get: async () => ({ ...stored, body: {} }) }), ['limits'])
  t.same(await (await storeRequests['get']!(lean)).json(), { output: [item] })
  t.same([...errorsOf(t, gateway, /never/), ...errorsOf(t, lean, /never/)], [])
})

const conversation = { id: 'conv_1', org: 'default', metadata: {}, createdAt: 1 }
const kept = { ...item, id: 'msg_1' }
const lease = { fence: 1, held: { items: 0, bytes: 0 } }

const conversationMistakes: Readonly<Record<string, readonly (readonly [unknown, string])[]>> = {
  get: [
    [5, 'expected a conversation or undefined, got a number'],
    [{}, 'expected a string as `id`, got undefined'],
    [{ ...conversation, metadata: secret }, 'expected an object as `metadata`, got a string'],
    [{ ...conversation, createdAt: secret }, 'expected a number as `createdAt`, got a string'],
  ],
  setMetadata: [[undefined, 'expected true or false, got undefined']],
  delete: [[secret, "expected 'done', 'unknown', 'busy', got a string"]],
  page: [
    [[], 'expected a page or undefined, got an array'],
    [{ items: [item], hasMore: false }, 'expected items with an `id`, got one that is an object'],
    [{ items: [kept] }, 'expected true or false as `hasMore`, got undefined'],
  ],
  item: [[item, 'expected an item with an `id` or undefined, got an object']],
  append: [
    [true, "expected 'done', 'unknown', 'busy', 'lost', 'full' or an array of ids, got a boolean"],
    [[5], 'expected ids, got a list with a number'],
  ],
  deleteItem: [[true, "expected 'done', 'unknown', 'busy', got a boolean"]],
  acquire: [
    ['done', "expected 'unknown', 'busy' or a lease, got a string"],
    [{ held: lease.held }, 'expected a number as `fence`, got undefined'],
    [{ fence: 1 }, 'expected { items, bytes } as `held`, got undefined'],
  ],
  items: [
    [secret, 'expected an array of items or undefined, got a string'],
    [[item], 'expected items with an `id`, got one that is an object'],
  ],
}

const conversationRequests: Readonly<Record<string, (gateway: TestGateway) => Promise<Response>>> = {
  get: gateway => gateway.request('/v1/conversations/conv_1'),
  setMetadata: gateway => gateway.request('/v1/conversations/conv_1', { body: { metadata: {} } }),
  delete: gateway => gateway.request('/v1/conversations/conv_1', { method: 'DELETE' }),
  page: gateway => gateway.request('/v1/conversations/conv_1/items'),
  item: gateway => gateway.request('/v1/conversations/conv_1/items/msg_1'),
  append: gateway => gateway.request('/v1/conversations/conv_1/items', { body: { items: [item] } }),
  deleteItem: gateway => gateway.request('/v1/conversations/conv_1/items/msg_1', { method: 'DELETE' }),
  acquire: gateway => gateway.request('/v1/responses', { body: { model, input: 'Hi', conversation: 'conv_1' } }),
  items: gateway => gateway.request('/v1/responses', { body: { model, input: 'Hi', conversation: 'conv_1' } }),
}

const goodConversations = {
  create: async () => {},
  get: async (): Promise<unknown> => conversation,
  setMetadata: async () => true,
  delete: async () => 'done',
  items: async (): Promise<unknown> => [kept],
  page: async (): Promise<unknown> => ({ items: [kept], hasMore: false }),
  item: async (): Promise<unknown> => kept,
  append: async (): Promise<unknown> => 'done',
  deleteItem: async () => 'done',
  acquire: async (): Promise<unknown> => lease,
  renew: async () => true,
  release: async () => true,
}

t.test('a bad answer of a conversation store is a 503, and so is one that throws', async t => {
  const stage = (changed: object): Promise<TestGateway> =>
    under(t, careless(ConversationStore, { ...goodConversations, ...changed }), ['limits', 'responses'], {}, [conversations({})])
  const good = await stage({})
  for (const request of Object.values(conversationRequests)) t.equal((await request(good)).status, 200)
  for (const [member, mistakes] of Object.entries(conversationMistakes)) {
    for (const [value, problem] of mistakes)
      for (const answer of [async () => value, () => later(value), () => value]) {
        const gateway = await stage({ [member]: answer })
        t.equal((await conversationRequests[member]!(gateway)).status, 503, `${member}: ${problem}`)
        t.equal(errorsOf(t, gateway, bad(member, problem.replaceAll(/[{}()]/g, '\\$&'))).length, 1)
      }
    for (const answer of [fails, failsLater]) {
      const gateway = await stage({ [member]: answer })
      t.equal((await conversationRequests[member]!(gateway)).status, 503, member)
      t.equal(errorsOf(t, gateway, failed(member)).length, 1)
    }
  }
})

const badCounts: readonly (readonly [unknown, string])[] = [
  [5, 'expected { tokens, complete } or undefined, got a number'],
  ['x', 'expected { tokens, complete } or undefined, got a string'],
  [null, 'expected { tokens, complete } or undefined, got null'],
  [{}, 'expected a number from 0 as `tokens`, got undefined'],
  [{ tokens: Number.NaN, complete: true }, 'expected a number from 0 as `tokens`, got a number'],
  [{ tokens: -1, complete: true }, 'expected a number from 0 as `tokens`, got a number'],
  [{ tokens: 1 }, 'expected true or false as `complete`, got undefined'],
]

t.test('input is estimated if the token counter fails, and the log names it once', async t => {
  const right = await under(t, careless(TokenCounter, { count: async () => undefined }), ['limits', 'responses'])
  const count = async (gateway: TestGateway) =>
    (await gateway.request('/v1/responses/input_tokens', { body: { model: 'acme/small', input: 'Good morning' } })).json()
  const estimate = (await count(right)) as { readonly input_tokens: number }
  t.ok(estimate.input_tokens > 0)
  const answers = badCounts.flatMap(([value, problem]) => [
    [async () => value, bad('count', problem)] as const,
    [() => value, bad('count', problem)] as const,
  ])
  for (const [counts, reason] of [...answers, [fails, failed('count')] as const, [failsLater, failed('count')] as const]) {
    const gateway = await under(t, careless(TokenCounter, { count: counts }), ['limits', 'responses'])
    for (let asked = 0; asked < 2; asked++) t.same(await count(gateway), estimate)
    t.equal(errorsOf(t, gateway, reason).length, 1)
    const long = { model: 'acme/small', input: 'one two three '.repeat(20) }
    t.equal((await gateway.request('/v1/responses', { body: long })).status, 200, 'the provider decides')
  }
})

const hold: Hold = { extend: () => true, settle: () => {}, release: () => {} }
const goodLimiter = { reserve: () => hold, enter: () => () => {} }
const limited = { key: { maxConcurrency: 2, limits: [{ windowMs: 60_000, requests: 5 }] } }

const badLimits: readonly (readonly ['reserve' | 'enter' | 'admit', unknown, string])[] = [
  ['reserve', undefined, 'expected a hold or { full, retryAfterMs }, got undefined'],
  ['reserve', 5, 'expected a hold or { full, retryAfterMs }, got a number'],
  ['reserve', 'x', 'expected a hold or { full, retryAfterMs }, got a string'],
  ['reserve', {}, 'expected a hold whose `extend` is a function, or { full, retryAfterMs }, got undefined'],
  ['reserve', { ...hold, release: 5 }, 'expected a hold whose `release` is a function, or { full, retryAfterMs }, got a number'],
  ['reserve', { retryAfterMs: 'soon' }, 'expected a number or undefined as `retryAfterMs`, got a string'],
  ['reserve', { retryAfterMs: 100 }, 'expected one of the windows as `full`, got undefined'],
  ['reserve', { ...hold, states: 5 }, 'expected an array of { left, refillsAt } as `states`, got a number'],
  ['reserve', { ...hold, states: [null] }, 'expected an array of { left, refillsAt } as `states`, got one that holds null'],
  ['reserve', { ...hold, states: [{ left: -1 }] }, 'expected a number from 0 as `left`, got a number'],
  ['reserve', { ...hold, states: [{ left: 1, refillsAt: 'soon' }] }, 'expected a number or undefined as `refillsAt`, got a string'],
  ['enter', 5, 'expected a function or undefined, got a number'],
  ['enter', {}, 'expected a function or undefined, got an object'],
  ['enter', 'x', 'expected a function or undefined, got a string'],
  ['enter', null, 'expected a function or undefined, got null'],
  ['admit', undefined, "expected what was admitted, { full, retryAfterMs } or 'no-place', got undefined"],
  ['admit', 'full', "expected what was admitted, { full, retryAfterMs } or 'no-place', got a string"],
  ['admit', {}, 'expected a function as `leave`, got undefined'],
  ['admit', { leave: () => {}, states: 5 }, 'expected an array of { left, refillsAt } as `states`, got a number'],
  ['admit', { leave: () => {}, tokens: {} }, 'expected { fit, release } or undefined as `tokens`, got an object'],
  ['admit', { retryAfterMs: 100 }, 'expected one of the windows as `full`, got undefined'],
]

t.test('a request with limits fails closed if the rate limiter fails, and the log names it', async t => {
  const wrong = badLimits.flatMap(([member, value, problem]) =>
    [async () => value, () => value].map(answer => [member, answer, bad(member, problem.replaceAll(/[{}]/g, '\\$&'))] as const),
  )
  const thrown = (['reserve', 'enter', 'admit'] as const).flatMap(member =>
    [fails, failsLater].map(answer => [member, answer, failed(member)] as const),
  )
  for (const [member, answer, reason] of [...wrong, ...thrown]) {
    const gateway = await under(t, careless(RateLimiter, { ...goodLimiter, [member]: answer }), ['responses'], limited)
    const reply = await gateway.request('/v1/responses', { body: { model, input: 'Hi' } })
    t.equal(reply.status, 503)
    t.match(await reply.json(), { error: { type: 'server_error', message: /^The limits of this request cannot be looked up/ } })
    t.equal(errorsOf(t, gateway, reason).length, 1)
  }
})

t.test('no room is a 429, and the answers of a good limiter pass', async t => {
  for (const [limiter, status] of [
    [{}, 200],
    [{ enter: () => undefined }, 429],
    [{ admit: () => ({ leave: () => {} }) }, 200],
    [{ admit: async () => 'no-place' }, 429],
    [{ admit: ({ requests: [full] }: Admission) => ({ full, retryAfterMs: 100 }) }, 429],
    [{ reserve: async ([full]: readonly TokenWindow[]) => ({ full, retryAfterMs: 100 }) }, 429],
    [{ reserve: async ([full]: readonly TokenWindow[]) => ({ full, retryAfterMs: undefined }) }, 429],
  ] as const) {
    const gateway = await under(t, careless(RateLimiter, { ...goodLimiter, ...limiter }), ['responses'], limited)
    t.equal((await gateway.request('/v1/responses', { body: { model, input: 'Hi' } })).status, status)
    t.same(errorsOf(t, gateway, /never/), [])
  }
})
