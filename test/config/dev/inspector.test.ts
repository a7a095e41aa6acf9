import t, { type Test } from 'tap'
import { InspectingLens } from '../../../config/dev/inspector/inspecting-lens.ts'
import { Inspector } from '../../../config/dev/inspector/inspector.ts'
import {
  CallWrappers,
  PolicySources,
  policyRefusal,
  SortStrategies,
  type GenerationRequest,
  type PluginUse,
  type PolicyLayer,
} from '../../../core/index.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { fakeUpstream } from '../../../core/testing/index.ts'
import openaiChat from '../../../plugins/providers/openai-chat/index.ts'
import { gateway, hello, saying, scripted, type GatewayUnderTest } from '../../kit/gateway.ts'
import { adding, ask, guarding, listing, stop, text } from '../../kit/stage.ts'
import { calling, lookup, toCall } from '../../kit/tool-stage.ts'

interface ShownStep {
  readonly id: number
  readonly parent: number | null
  readonly plugin: string
  readonly kind: string
  readonly name: string
  readonly hook: string
  readonly elapsedMs: number | null
  readonly outcome: string
  readonly facts: Readonly<Record<string, unknown>>
  readonly contents: readonly { readonly label: string; readonly text: string }[]
  readonly changes: readonly {
    readonly path: string
    readonly before: { readonly text: string }
    readonly after: { readonly text: string }
  }[]
  readonly events: readonly { readonly text: string }[]
  readonly eventCounts: Readonly<Record<string, number>>
  readonly error: {
    readonly class: string
    readonly frames?: readonly string[]
    readonly ownFrames?: number
    readonly code?: string
  } | null
}

interface Shown {
  readonly contentProblem: string | null
  readonly steps: readonly ShownStep[]
}

interface Inspected extends GatewayUnderTest {
  readonly inspector: Inspector
  /** The request as the page gets it, once its record is written. */
  shown(id: string): Promise<Shown>
}

async function inspected(t: Test, plugins: readonly PluginUse[], policy: PolicyLayer = { logging: { value: true } }): Promise<Inspected> {
  const masks = new Masks()
  const inspector = new Inspector(masks)
  const lens = new InspectingLens(inspector, 'turnpike-dev')
  const under = await gateway({ plugins: [...plugins], masks, lens, key: { policy } })
  t.teardown(() => under.stop())
  return {
    ...under,
    inspector,
    async shown(id) {
      inspector.closed(await under.record(id))
      return JSON.parse(JSON.stringify(inspector.find(id))) as Shown
    },
  }
}

const by = ({ steps }: Shown, kind: string, hook?: string): readonly ShownStep[] =>
  steps.filter(step => step.kind === kind && (hook === undefined || step.hook === hook))

t.test('it shows what each plugin saw, changed, refused and gave', async t => {
  const shout = guarding(
    {
      input: request => ({
        replace: { ...request, input: JSON.parse(JSON.stringify(request.input).replaceAll('quiet', 'LOUD')) } as GenerationRequest,
      }),
      output: () => ({ push: piece => piece.toUpperCase(), flush: () => '' }),
      route: endpoint => endpoint.provider !== 'west',
    },
    { name: 'shout' },
  )
  const looking = adding(CallWrappers, {
    name: 'looking',
    seesContent: 'local',
    keepsContent: false,
    timeoutMs: 60_000,
    generation: () => ({ write: () => {}, end: () => {} }),
  })
  const named = adding(SortStrategies, {
    name: 'by-name',
    description: 'By name.',
    first: 'lowest',
    isDefault: true,
    values: endpoints => endpoints.map(({ provider }) => provider.length),
  })
  const models = listing({
    model: 'demo',
    endpoints: ['north', 'west', 'southern'].map(provider => ({ provider })),
  })
  const under = await inspected(t, [shout, looking, named, models, ...['north', 'west', 'southern'].map(id => saying(id, hello))])
  const { requestId, status } = await ask(under, { model: 'demo', input: 'quiet please', stream: true })
  t.equal(status, 200)
  const shown = await under.shown(requestId)

  t.equal(shown.contentProblem, null)
  t.match(by(shown, 'surface', 'handle'), [{ outcome: 'done', facts: { status: 200 } }])
  t.match(by(shown, 'surface', 'generate')[0]!.contents[0]!.text, /quiet please/)
  const [input] = by(shown, 'guardrail', 'input')
  t.match(input, { plugin: /^adding-/, name: 'shout', outcome: 'changed', elapsedMs: Number })
  t.match(input!.changes, [{ path: /^input\[0\]/, before: { text: /quiet please/ }, after: { text: /LOUD please/ } }])
  t.same(by(shown, 'guardrail', 'route')[0]!.facts, { 'north/demo': 'cleared', 'west/demo': 'rejected', 'southern/demo': 'cleared' })
  t.match(by(shown, 'guardrail', 'output'), [
    {
      outcome: 'changed',
      facts: { channel: 'text' },
      contents: [
        { label: 'got', text: '"Hello"' },
        { label: 'gave', text: '"HELLO"' },
      ],
    },
  ])
  t.match(by(shown, 'sort', 'values'), [{ facts: { 'north/demo': '5', 'southern/demo': '8' } }])
  t.match(by(shown, 'call wrapper', 'generation')[0]!.facts, { endpoints: 'north/demo, southern/demo' })
  t.same(by(shown, 'call wrapper', 'looks at the answer')[0]!.eventCounts, { text: 2, usage: 1, finish: 1 })
  const [provider] = by(shown, 'provider')
  t.match(provider, { name: 'north', outcome: 'done', facts: { endpoint: 'north/demo', stream: true } })
  t.match(provider!.contents[0]!.text, /LOUD please/)
  t.same(
    provider!.events.map(event => JSON.parse(event.text).type),
    ['text', 'text', 'usage', 'finish'],
  )
  t.match(
    by(shown, 'log sink').find(({ name }) => name === 'kept'),
    { hook: 'write', facts: { 'gets content': true }, contents: [{ label: 'record', text: /quiet please/ }] },
  )
  // The sink is about to return.
  t.ok(shown.steps.every(({ kind, outcome, elapsedMs }) => kind === 'log sink' || (outcome !== 'running' && elapsedMs !== null)))
})

t.test('it shows refusals and failures, with the lines of the plugin first', async t => {
  const refusing = guarding({ input: () => ({ refuse: policyRefusal('Not today.') }) }, { name: 'refusing' })
  const under = await inspected(t, [refusing, saying('north', hello)])
  const refused = await ask(under, { model: 'north/a' })
  t.match(by(await under.shown(refused.requestId), 'guardrail', 'input'), [
    { outcome: 'refused', error: { class: 'GatewayError', status: 422, message: { text: /Not today/ } } },
  ])

  function mistakeInPlugin(): never {
    throw new TypeError('secret words')
  }
  const failing = await inspected(t, [guarding({ input: mistakeInPlugin }, { name: 'failing' }), saying('north', hello)])
  const failed = await ask(failing, { model: 'north/a' })
  t.equal(failed.status, 503)
  const [step] = by(await failing.shown(failed.requestId), 'guardrail', 'input')
  t.match(step, { outcome: 'failed', error: { class: 'TypeError', frames: [/mistakeInPlugin.*inspector\.test\.ts/] } })
})

t.test('it shows the request on the wire within its provider, without secrets', async t => {
  const upstream = await fakeUpstream(() => ({
    headers: { 'content-type': 'text/event-stream', 'set-cookie': 'session=cookie-of-the-vendor' },
    body: 'data: {"choices":[{"index":0,"delta":{"content":"Good day"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  }))
  t.teardown(() => upstream.close())
  const secret = 'sk-demo-secret-of-the-config'
  const vendor = openaiChat({
    id: 'acme',
    apiKey: secret,
    baseUrl: `${upstream.url}/v1?api_key=key-in-the-address`,
    host: 'compatible',
    headers: { 'x-acme-team': 'team-in-a-header' },
  })
  const under = await inspected(t, [vendor])
  const { requestId } = await ask(under, { model: 'acme/a', stream: true, input: `my key is ${secret}` })
  const shown = await under.shown(requestId)
  const [provider] = by(shown, 'provider')
  const [wire] = by(shown, 'request to')
  t.match(wire, { plugin: 'openai-chat(acme)', parent: provider!.id, hook: 'POST', outcome: /done|left/, facts: { status: 200 } })
  const told = wire!.contents.map(({ text }) => text).join('\n')
  t.match(told, /Good day/)
  t.match(told, /"authorization":"\*\*\*"/)
  const all = JSON.stringify(shown)
  for (const word of [secret, 'key-in-the-address', 'team-in-a-header', 'cookie-of-the-vendor']) t.notMatch(all, word)
  t.notMatch(all, /\btp_[0-9A-Za-z]+_[0-9A-Za-z]{8}/)
})

t.test('it shows tools, and wrappers that answer', async t => {
  const tool = lookup(() => ({ output: 'It rains.' }))
  const asked = scripted('north', async function* (call) {
    if (JSON.stringify(call.request.input).includes('It rains.')) yield* [text('Take a coat.'), stop]
    else yield* [...calling('lookup', { word: 'Bern' }), toCall]
  })
  const under = await inspected(t, [asked, tool.plugin])
  const { requestId, status } = await ask(under, { model: 'north/a', tools: [{ type: 'lookup' }] })
  t.equal(status, 200)
  const shown = await under.shown(requestId)
  t.match(by(shown, 'tool', 'run'), [
    {
      outcome: 'done',
      contents: [
        { label: 'call', text: /Bern/ },
        { label: 'result', text: /It rains/ },
      ],
    },
  ])
  t.equal(by(shown, 'provider').length, 2)

  const cached = adding(CallWrappers, {
    name: 'cached',
    seesContent: 'local',
    keepsContent: false,
    timeoutMs: 60_000,
    generation: () => ({ answer: hello }),
  })
  const answering = await inspected(t, [cached, saying('north', hello)])
  const answer = await ask(answering, { model: 'north/a' })
  t.match(by(await answering.shown(answer.requestId), 'call wrapper', 'answer'), [{ outcome: 'answered', eventCounts: { finish: 1 } }])
})

const forbidding: readonly PolicyLayer[] = [
  {},
  { logging: { value: true }, zdr: { value: true } },
  { logging: { value: true }, hipaa: { value: true } },
  { logging: { value: true }, redaction: { value: true } },
]

t.test('it keeps no content of a request whose policy forbids it', async t => {
  const canary = 'canary-of-the-prompt'
  const enforcing = guarding(
    {
      input: request => ({ replace: { ...request, instructions: `${canary} three` } }),
      route: () => true,
      output: () => ({ push: piece => `${piece} ${canary} four`, flush: () => '' }),
      item: () => ({ pass: true }),
    },
    { name: 'enforcing', enforces: ['zdr', 'hipaa', 'redaction'] },
  )
  const failing = guarding(
    {
      input: () => {
        throw new Error(`${canary} in an error`)
      },
    },
    { name: 'failing', onFailure: 'allow' },
  )
  for (const policy of forbidding) {
    const under = await inspected(
      t,
      [
        enforcing,
        failing,
        saying('north', [text(`${canary} two`), { type: `${canary} five` } as never, stop]),
        saying('south', [text(`${canary} two`), stop]),
      ],
      policy,
    )
    for (const model of ['north/a', 'south/a']) {
      const { requestId } = await ask(under, { model, input: `${canary} one`, stream: true })
      const shown = await under.shown(requestId)
      t.match(shown.contentProblem, /policy of its key has (logging off|(zdr|hipaa|redaction) on)/)
      t.match(by(shown, 'guardrail', 'input')[0], { outcome: 'changed', changes: [], contents: [] })
      t.match(by(shown, 'provider')[0]!.eventCounts, { text: 1 })
      t.notMatch(JSON.stringify(shown), 'canary', JSON.stringify(policy))
    }
  }
})

t.test('a policy that cannot be known keeps everything out', async t => {
  const source = adding(PolicySources, {
    level: 'org',
    policy: () => {
      throw new Error('canary in the error of a policy source')
    },
  })
  const under = await inspected(t, [source, saying('north', hello)])
  const { status } = await ask(under, { model: 'north/a', input: 'canary' })
  t.equal(status, 503)
  t.notMatch(JSON.stringify(under.inspector.list()), 'canary')
})

t.test('it forgets the oldest requests, and cuts what is long', async t => {
  const under = await inspected(t, [saying('north', hello)])
  const ids: string[] = []
  for (let count = 0; count < 105; count++) ids.push((await ask(under, { model: 'north/a', input: 'x'.repeat(20_000) })).requestId)
  t.equal(under.inspector.list().requests.length, 100)
  t.equal(under.inspector.find(ids[0]!), undefined)
  const shown = JSON.stringify(await under.shown(ids.at(-1)!))
  t.ok(shown.length < 200_000, `${shown.length} characters`)
  t.match(shown, '(20000 characters)')
  under.inspector.clear()
  t.same(under.inspector.list().requests, [])
})
