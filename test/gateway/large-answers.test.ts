import t from 'tap'
import type { GenerationEvent, Item, JsonObject } from '../../core/index.ts'
import type { StoredResponse } from '../../core/stores.ts'
import { ResponseStore } from '../../core/contracts/response-store.ts'
import { testGateway } from '../../core/testing/index.ts'
import responses from '../../plugins/endpoints/responses/index.ts'
import localSealer from '../../plugins/sealers/local/index.ts'
import memory from '../../plugins/stores/memory/index.ts'
import sql from '../../plugins/stores/sql/index.ts'
import { scripted } from '../kit/gateway.ts'
import { ask, providing, said, stop, text, type Answer } from '../kit/stage.ts'

const logging = { logging: { value: true } } as const
const masterKey = 'ab'.repeat(32)
const pieces = 1_000
const pieceOf = 'She said: "Größe, 数, 🙂"\n'.repeat(40)
const large = pieceOf.repeat(pieces)

/** The large text as each kind of item. */
const kinds: Readonly<Record<string, { readonly events: () => Iterable<GenerationEvent>; readonly shown: (answer: Answer) => unknown }>> = {
  text: { events: () => times(pieceOf, text => ({ type: 'text', text })), shown: ({ response }) => said(response) },
  refusal: { events: () => times(pieceOf, text => ({ type: 'refusal', text })), shown: ({ response }) => said(response) },
  summary: {
    events: () => times(pieceOf, text => ({ type: 'reasoning', form: 'summary', text })),
    shown: ({ response }) => memberOf(response.output[0]!, 'summary', 0, 'text'),
  },
  reasoning: {
    events: () => times(pieceOf, text => ({ type: 'reasoning', form: 'full', text })),
    shown: ({ response }) => memberOf(response.output[0]!, 'content', 0, 'text'),
  },
  arguments: {
    events: function* () {
      yield { type: 'tool-call', key: 'a', name: 'write', callId: 'call_1' }
      yield { type: 'tool-input', key: 'a', text: '"' }
      yield* times(JSON.stringify(pieceOf).slice(1, -1), text => ({ type: 'tool-input', key: 'a', text }))
      yield { type: 'tool-input', key: 'a', text: '"' }
    },
    shown: ({ response }) => JSON.parse(memberOf(response.output[0]!, 'arguments') as string) as unknown,
  },
}

function* times(piece: string, event: (text: string) => GenerationEvent): Generator<GenerationEvent> {
  for (let count = 0; count < pieces; count++) yield event(piece)
}

function memberOf(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce((inner, name) => (inner as Readonly<Record<string | number, unknown>>)[name], value)
}

const speaker = scripted('acme', async function* ({ endpoint }) {
  yield* kinds[endpoint.model]!.events()
  yield stop
})

for (const store of ['SQLite', 'memory'])
  t.test(`large answers are sent, stored and recorded to the letter, with ${store}`, async t => {
    const file = `${t.testdir()}/turnpike.db`
    const plugins = store === 'SQLite' ? [sql({ file }), memory({ services: ['metrics', 'limits', 'ledger'] })] : [memory({})]
    const under = await testGateway({
      plugins: [...plugins, localSealer({ masterKey }), responses({}), speaker],
      settings: { storeTimeoutMs: 60_000 },
    })
    t.teardown(under.stop)
    const authorization = `Bearer ${await under.gateway.issueKey({ name: 'ada', policy: logging })}`
    const tools = [{ type: 'function', name: 'write', parameters: {} }]
    for (const [kind, { shown }] of Object.entries(kinds))
      for (const stream of [true, false]) {
        const answer = await ask(under, { model: `acme/${kind}`, stream, tools }, { authorization })
        t.ok(shown(answer) === large, `${kind}, ${stream ? 'streamed' : 'whole'}`)
        t.equal(answer.response.store, true)
        const stored = await under.request(`/v1/responses/${answer.response.id}`, { headers: { authorization } })
        const kept = (await stored.json()) as JsonObject
        t.equal(JSON.stringify(kept) === JSON.stringify({ ...answer.response, output: kept['output'] }), true, 'what is stored')
        t.equal(JSON.stringify(kept['output']) === JSON.stringify(answer.response.output), true)
      }
  })

t.test('a small answer has as long as the large ones before it need to be stored', async t => {
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const isWaiting = Promise.withResolvers<void>()
  const put = async (owner: string, _response: StoredResponse): Promise<void> => {
    const gate = Promise.withResolvers<void>()
    gates.set(owner, gate)
    if (owner === 'large') isWaiting.resolve()
    // Longer than small answers may take by themselves.
    else setTimeout(gate.resolve, 50)
    await gate.promise
  }
  const store: ResponseStore = {
    put,
    get: async () => undefined,
    chain: async () => undefined,
    items: async () => new Map<string, Item>(),
    delete: async () => false,
  }
  const plugins = [
    memory({ services: ['keys', 'accounts', 'records', 'audit', 'admin-tokens', 'metrics', 'limits', 'ledger'] }),
    providing(ResponseStore, store),
    localSealer({ masterKey }),
    responses({}),
    scripted('acme', async function* ({ endpoint }) {
      yield text(endpoint.model === 'large' ? 'x'.repeat(16_000_000) : 'x')
      yield stop
    }),
  ]
  const under = await testGateway({ plugins, settings: { storeTimeoutMs: 1 } })
  t.teardown(under.stop)
  const [ada, bob] = await keys(under, 'large', 'bob')
  const first = ask(under, { model: 'acme/large' }, ada)
  await isWaiting.promise
  t.equal((await ask(under, { model: 'acme/small' }, bob)).response.store, true)
  gates.get('large')!.resolve()
  t.equal((await first).response.store, true)
  t.equal((await ask(under, { model: 'acme/small' }, bob)).response.store, false, 'nothing large is there to wait for')
})

t.test('the owner whose answers take the most loses its largest, not another owner that has a larger one', async t => {
  const more = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  let open = 0
  const under = await testGateway({
    plugins: [
      memory({}),
      localSealer({ masterKey }),
      responses({}),
      scripted('many', async function* ({ endpoint }) {
        yield text('x'.repeat(90_000))
        if (++open === 4) opened.resolve()
        await more.promise
        if (endpoint.model === 'grows') yield text('x'.repeat(30_000))
        yield stop
      }),
      scripted('one', async function* () {
        yield text('x'.repeat(120_000))
        if (++open === 4) opened.resolve()
        await more.promise
        yield text('x')
        yield stop
      }),
    ],
    // Two bytes a character: 540,000 of the first, 240,000 of the second.
    settings: { maxLiveAnswerBytes: 800_000 },
  })
  t.teardown(under.stop)
  const [ada, bob] = await keys(under, 'ada', 'bob')
  const asked = ['many/a', 'many/b', 'many/grows'].map(model => ask(under, { model, stream: true }, ada))
  const other = ask(under, { model: 'one/m', stream: true }, bob)
  await opened.promise
  more.resolve()
  t.equal((await other).response.status, 'completed')
  const statuses = (await Promise.all(asked)).map(({ response }) => response.status)
  t.same(statuses.sort(), ['completed', 'completed', 'failed'])
})

t.test('an answer counts until its client has read the end of it', async t => {
  const under = await testGateway({
    plugins: [
      memory({}),
      localSealer({ masterKey }),
      responses({}),
      scripted('acme', async function* ({ endpoint }) {
        yield text('x'.repeat(Number(endpoint.model)))
        yield stop
      }),
    ],
    settings: { maxLiveAnswerBytes: 3_000_000 },
  })
  t.teardown(under.stop)
  const [ada, bob] = await keys(under, 'ada', 'bob')
  const unread = await under.request('/v1/responses', { body: { model: 'acme/1000000', input: 'hi', stream: true }, headers: ada! })
  const reader = unread.body!.getReader()
  let characters = 0
  // The delta, and the beginning of what follows it.
  while (characters < 1_100_000) characters += (await reader.read()).value!.length
  t.equal((await ask(under, { model: 'acme/300000', stream: true }, bob)).response.status, 'completed', 'there is room for both')
  t.equal(
    (await ask(under, { model: 'acme/600000', stream: true }, bob)).response.status,
    'completed',
    'the client that does not read gives way',
  )
  await t.rejects(async () => {
    while (!(await reader.read()).done);
  })
})

async function keys(
  under: { readonly gateway: { issueKey(settings: { name: string; org: string; policy: object }): Promise<string> } },
  ...orgs: readonly string[]
): Promise<readonly { readonly authorization: string }[]> {
  const made: { readonly authorization: string }[] = []
  for (const org of orgs) made.push({ authorization: `Bearer ${await under.gateway.issueKey({ name: org, org, policy: logging })}` })
  return made
}
