import t from 'tap'
import {
  definePlugin,
  GatewayError,
  Guardrails,
  invalidRequest,
  PluginError,
  type GenerationEvent,
  type Guardrail,
  type GuardSession,
  type OutputChannel,
  type OutputFilter,
} from '../../../core/index.ts'
import { checkStream, readEvents } from '../../../core/testing/index.ts'
import { gateway, hello, saying } from '../../kit/gateway.ts'
import { ask, guarding, listing, said, stop, text, usage, witness } from '../../kit/stage.ts'

const forbidden = invalidRequest('This is not talked about here.', 'input', 'invalid_prompt')

/** Replaces `secret` by `***`; holds back an end that may become one. */
function starring(): OutputFilter {
  let held = ''
  return {
    push(piece) {
      const whole = (held + piece).replaceAll('secret', '***')
      const open = [5, 4, 3, 2, 1].find(length => whole.endsWith('secret'.slice(0, length))) ?? 0
      held = whole.slice(whole.length - open)
      return whole.slice(0, whole.length - open)
    },
    flush() {
      const rest = held
      held = ''
      return rest
    },
  }
}

/** Refuses at the word `stop`. */
const refusing: OutputFilter = {
  push: piece => (piece.includes('stop') ? { refuse: forbidden } : piece),
  flush: () => '',
}

async function answered(events: Iterable<GenerationEvent>, ...sessions: readonly (readonly [GuardSession, Partial<Guardrail>?])[]) {
  const { plugin } = witness('acme', () => events)
  const under = await gateway({
    plugins: [plugin, ...sessions.map(([session, more]) => guarding(session, more))],
    settings: { logLevel: 'silent' },
  })
  t.teardown(under.stop)
  const body = { model: 'acme/m', include: ['message.output_text.logprobs'] }
  return { whole: await ask(under, body), streamed: await ask(under, { ...body, stream: true }), under }
}

t.test('an input guardrail may replace the request or refuse it, before anything is asked', async t => {
  const acme = witness('acme', () => hello)
  const seen: string[] = []
  const under = await gateway({
    plugins: [
      acme.plugin,
      guarding({
        async input(request) {
          const text = JSON.stringify(request.input)
          if (text.includes('bomb')) return { refuse: forbidden }
          return { replace: JSON.parse(JSON.stringify(request).replaceAll('secret', '***')) }
        },
      }),
      guarding({
        input(request) {
          seen.push(JSON.stringify(request.input))
          return { pass: true }
        },
      }),
    ],
  })
  t.teardown(under.stop)
  for (const stream of [true, false]) {
    const { status, error } = await ask(under, { model: 'acme/m', input: 'a bomb', stream })
    t.equal(status, 400)
    t.match(error, { code: 'invalid_prompt', param: 'input' })
  }
  t.same([acme.calls, seen], [[], []], 'and nobody after it sees it')
  const first = await ask(under, { model: 'acme/m', input: 'my secret', instructions: 'keep the secret' })
  t.equal(first.response['instructions'], 'keep the secret', 'the echo is what was sent')
  t.match(acme.calls[0]!.request, { instructions: 'keep the ***', input: [{ content: [{ text: 'my ***' }] }] })
  t.match(seen[0], 'my ***', 'guardrails run in order, each on what the one before left')
  await ask(under, { model: 'acme/m', input: 'again', previous_response_id: first.response.id })
  t.notMatch(JSON.stringify(acme.calls[1]!.request.input), 'secret', 'history goes through it too')
  t.match(JSON.stringify(acme.calls[1]!.request.input), /my \*\*\*.*Hello.*again/)
})

t.test('a guardrail may say where a request goes; when nothing is left, its own refusal is told', async t => {
  const acme = witness('acme', () => hello)
  const globex = witness('globex', () => hello)
  const plugins = [acme.plugin, globex.plugin, listing({ model: 'm', endpoints: [{ provider: 'acme' }, { provider: 'globex' }] })]
  const only = (provider: string, refusal?: () => GatewayError) =>
    guarding({ route: endpoint => endpoint.provider === provider, ...(refusal && { refusal }) })
  const under = await gateway({ plugins: [...plugins, only('globex')] })
  t.equal((await ask(under, { model: 'm' })).response.model, 'globex/m')
  const none = await ask(under, { model: 'acme/m' })
  t.equal(none.status, 422)
  t.same(Object.keys(none.error).sort(), ['message', 'type'])
  await under.stop()
  const told = await gateway({ plugins: [...plugins, only('globex'), only('acme', () => forbidden)] })
  const { status, error } = await ask(told, { model: 'm', routing: { model: { fallbacks: ['acme/other'] } } })
  t.equal(status, 400)
  t.match(error, { code: 'invalid_prompt' })
  await told.stop()
  t.equal(acme.calls.length, 0)
})

/** Every kind of channel, with the word to be found cut in two. */
const everything: readonly GenerationEvent[] = [
  { type: 'reasoning', form: 'summary', text: 'a sec' },
  { type: 'reasoning', form: 'summary', text: 'ret summary' },
  { type: 'reasoning', form: 'summary', text: 'one more sec', newPart: true },
  { type: 'reasoning', form: 'full', text: 'full secret' },
  text('my se'),
  text('cret is a sec'),
  { type: 'refusal', text: 'no secret' },
  { type: 'tool-call', key: 'a', name: 'f', callId: 'call_a' },
  { type: 'tool-input', key: 'a', text: '{"x":"sec' },
  { type: 'tool-call', key: 'b', name: 'g', callId: 'call_b' },
  { type: 'tool-input', key: 'b', text: '{"y":"the sec' },
  { type: 'tool-input', key: 'a', text: 'ret"}' },
  { type: 'tool-input', key: 'b', text: 'ret"}' },
  { type: 'tool-call', key: 'c', name: 'h', callId: 'call_c', custom: true },
  { type: 'tool-input', key: 'c', text: 'write secret and sec' },
  { type: 'item-end' },
  usage(5, 5),
  stop,
]

t.test('output filters see every channel in pieces, and what they hold back comes out at the end of its part', async t => {
  const channels: OutputChannel[] = []
  const events = everything.toSpliced(13, 3)
  for (const list of [events, everything.slice(13)]) {
    const session: GuardSession = {
      output(channel) {
        channels.push(channel)
        return starring()
      },
    }
    const { whole, streamed } = await answered(list, [session])
    for (const { status, response } of [whole, streamed]) {
      t.equal(status, 200)
      t.equal(response.status, 'completed')
      t.notMatch(JSON.stringify(response.output), 'secret')
      const shapes = response.output.map(({ type, summary, content, arguments: args, input }) => ({ type, summary, content, args, input }))
      if (list === events)
        t.match(shapes, [
          {
            type: 'reasoning',
            summary: [{ text: 'a *** summary' }, { text: 'one more sec' }],
            content: [{ type: 'reasoning_text', text: 'full ***' }],
          },
          { type: 'message', content: [{ text: 'my *** is a sec' }, { refusal: 'no ***' }] },
          { type: 'function_call', args: '{"x":"***"}' },
          { type: 'function_call', args: '{"y":"the ***"}' },
        ])
      else t.match(shapes, [{ type: 'custom_tool_call', input: 'write *** and sec' }])
    }
  }
  const kinds = channels.map(({ kind, json }) => `${kind}${json ? ' json' : ''}`)
  t.same([...new Set(kinds)].sort(), ['arguments json', 'custom-input', 'reasoning', 'refusal', 'text'])
})

t.test('what is held of a custom call comes out also where the call is not the last', async t => {
  const { whole, streamed } = await answered(
    [...everything.slice(13, 15), { type: 'item-end' }, text('done'), stop],
    [{ output: starring }],
  )
  for (const { response } of [whole, streamed])
    t.match(response.output, [{ type: 'custom_tool_call', input: 'write *** and sec' }, { content: [{ text: 'done' }] }])
})

t.test('filters run one after the other, that of the last guardrail first, and what it flushes goes through the next', async t => {
  const shouting = (): OutputFilter => ({ push: piece => piece.toUpperCase(), flush: () => '!' })
  const { whole, streamed } = await answered([text('a secret sec'), stop], [{ output: shouting }], [{ output: starring }])
  for (const { response } of [whole, streamed]) t.equal(said(response), 'A *** SEC!')
})

t.test('what no filter wants keeps its log probabilities and citations; what a filter changed loses its citations', async t => {
  const citation = { type: 'url_citation', url: 'https://example.com/', title: 'Example' } as const
  const events: readonly GenerationEvent[] = [
    { type: 'text', text: 'a secret', logprobs: [{ token: 'a secret', logprob: -0.5 }] },
    { type: 'annotation', citation, start: 0, end: 8 },
    stop,
  ]
  const alone = await answered(events, [{ output: ({ kind }) => (kind === 'reasoning' ? starring() : undefined) }])
  for (const { response } of [alone.whole, alone.streamed])
    t.match(response.output, [{ content: [{ annotations: [{ ...citation, end_index: 8 }], logprobs: [{ token: 'a secret' }] }] }])
  const changed = await answered(events, [{ output: starring }])
  for (const { response } of [changed.whole, changed.streamed])
    t.match(response.output, [{ content: [{ text: 'a ***', annotations: [], logprobs: [] }] }])
})

t.test('a filter that refuses in the middle ends the answer; what was said before it stays said', async t => {
  const events = function* (): Generator<GenerationEvent> {
    yield usage(5, 1)
    yield text('one ')
    yield text('two stop ')
    yield text('three')
    yield stop
  }
  const { plugin } = witness('acme', events)
  const under = await gateway({ plugins: [plugin, guarding({ output: () => refusing })] })
  t.teardown(under.stop)
  const reply = await under.request('/v1/responses', { body: { model: 'acme/m', input: 'hi', stream: true } })
  const got = await reply.text()
  const { response } = checkStream(got)
  t.match(response, { status: 'failed', error: { code: 'invalid_prompt', message: forbidden.message }, usage: { input_tokens: 5 } })
  t.same(
    readEvents(got)
      .filter(({ type }) => type.endsWith('.delta'))
      .map(({ delta }) => delta),
    ['one '],
  )
  t.notMatch(got, /two|three/)
  t.same(
    readEvents(got)
      .slice(-2)
      .map(({ type }) => type),
    ['error', 'response.failed'],
  )
  const whole = await ask(under, { model: 'acme/m' })
  t.equal(whole.status, 400)
  t.match(whole.error, { code: 'invalid_prompt' })
  const [record] = await under.recorded(1)
  t.match(record, { status: 200, errorCode: 'invalid_prompt' })
})

t.test('a refusal at the very end is charged once', async t => {
  const atEnd = (): OutputFilter => ({ push: piece => piece, flush: () => ({ refuse: forbidden }) })
  const { whole, streamed, under } = await answered([text('Hello'), usage(3, 2), stop], [{ output: atEnd }])
  t.equal(whole.status, 400)
  t.match(streamed.response, { status: 'failed', usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 } })
  for (const { requestId } of [whole, streamed]) t.match(await under.record(requestId), { usage: { uncachedInput: 3, output: 2 } })
})

t.test('a guardrail that fails refuses or allows, as it says: when it throws, and when it is late', async t => {
  const broken = (): never => {
    throw new Error('detector.example.com is down')
  }
  const failing: Record<string, readonly [GuardSession | 'open', status: number]> = {
    open: ['open', 503],
    'input throws': [{ input: broken }, 503],
    'input rejects': [{ input: () => Promise.reject(new Error('down')) }, 503],
    'input is late': [{ input: () => new Promise(() => {}) }, 503],
    'output throws': [{ output: broken }, 503],
    'push throws': [{ output: () => ({ push: broken, flush: () => '' }) }, 503],
    'flush throws': [{ output: () => ({ push: piece => piece, flush: broken }) }, 503],
  }
  for (const [name, [session, status]] of Object.entries(failing)) {
    for (const onFailure of ['refuse', 'allow'] as const) {
      const more = { onFailure, timeoutMs: 15, ...(session === 'open' && { open: broken }) }
      const { whole, streamed, under } = await answered(hello, [session === 'open' ? {} : session, more])
      if (onFailure === 'allow') {
        for (const { response } of [whole, streamed]) t.equal(said(response), 'Hello', `${name} is allowed`)
      } else {
        t.equal(whole.status, status, `${name} is refused`)
        t.notMatch(JSON.stringify(whole.error), 'example.com')
        if (streamed.status === 200) t.match(streamed.response, { status: 'failed', error: { code: 'server_error' } })
        else t.equal(streamed.status, status)
      }
      await under.recorded(2)
      t.equal(under.gateway.liveRuns, 0)
    }
  }
})

t.test('what a guardrail says of its failure is logged with its plugin, unless content may be in it', async t => {
  const secret = 'sk-demo-detector'
  for (const [logging, thrown, told] of [
    [true, new Error(`the detector refused ${secret}`), /"reason":"the detector refused \*\*\*"/],
    [false, new Error('unexpected token in "hi"'), /"reason":"The message may quote content/],
    [false, new PluginError('acme-guard', 'has no detector'), /"reason":"plugin acme-guard has no detector"/],
    [false, 'late', /"reason":"plugin guarding took longer than 15 ms"/],
  ] as const) {
    const plugin = definePlugin({
      name: 'guarding',
      options: { type: 'object', additionalProperties: false, properties: {} },
      setup(registrar) {
        registrar.secret(secret)
        registrar.add<Guardrail>(Guardrails, {
          name: 'detector',
          enforces: [],
          onFailure: 'refuse',
          timeoutMs: 15,
          seesContent: 'local',
          open: () => ({ input: () => (thrown === 'late' ? new Promise(() => {}) : Promise.reject(thrown)) }),
        })
      },
    })
    const key = { name: 'demo', policy: { logging: { value: logging } } }
    const under = await gateway({ plugins: [plugin({}), saying('acme', hello)], key })
    t.equal((await ask(under, { model: 'acme/m' })).status, 503)
    const line = under.logs.find(each => each.includes('a guardrail failed'))
    t.match(line, told)
    t.match(line, /"guardrail":"detector","plugin":"guarding"/)
    if (!logging) t.notMatch(line, 'unexpected token')
    await under.stop()
  }
})

t.test('zero retention and HIPAA cover guardrails elsewhere, where the caller concerns them', async t => {
  const zdr = { policy_url: 'https://detector.example.com/zdr' }
  const hipaa = { baa_url: 'https://detector.example.com/baa' }
  const cases: readonly (readonly ['zdr' | 'hipaa', Guardrail['seesContent'], boolean, number])[] = [
    ['zdr', 'local', true, 200],
    ['zdr', { zdr: false, hipaa }, true, 422],
    ['zdr', { zdr, hipaa: false }, true, 200],
    ['hipaa', { zdr, hipaa: false }, true, 422],
    ['hipaa', { zdr: false, hipaa }, true, 200],
    ['zdr', { zdr: false, hipaa: false }, false, 200],
    ['zdr', { zdr: { ...zdr, excludes: ['structured_output'] }, hipaa: false }, true, 422],
    ['zdr', { zdr: { ...zdr, excludes: ['images'] }, hipaa: { ...hipaa, excludes: ['structured_output'] } }, true, 200],
    ['hipaa', { zdr, hipaa: { ...hipaa, excludes: ['files', 'structured_output'] } }, true, 422],
  ]
  for (const [field, seesContent, concerned, status] of cases) {
    let asked = 0
    const session: GuardSession = {
      input() {
        asked += 1
        return { pass: true }
      },
    }
    const under = await gateway({
      plugins: [
        witness('acme', () => hello).plugin,
        guarding(undefined, { enforces: ['zdr', 'hipaa'] }),
        guarding(undefined, { seesContent, open: () => (concerned ? session : undefined) }),
      ],
      key: { name: 'test', policy: { [field]: { value: true } } },
    })
    const reply = await ask(under, { model: 'acme/m', text: { format: { type: 'json_object' } } })
    t.equal(reply.status, status, `${field} ${JSON.stringify(seesContent)} ${concerned}`)
    t.equal(asked, status === 200 && concerned ? 1 : 0)
    if (status === 422) t.same(Object.keys(reply.error).sort(), ['message', 'type'])
    await under.stop()
  }
})

t.test('a guardrail elsewhere does not see a feature that an earlier one added, if its agreement excludes it', async t => {
  const image = {
    type: 'message' as const,
    role: 'user' as const,
    content: [{ type: 'input_image' as const, image_url: 'data:image/png;base64,AA==' }],
  }
  const zdr = { policy_url: 'https://detector.example.com/zdr' }
  for (const [excludes, status] of [
    [['images'], 422],
    [['files'], 200],
  ] as const) {
    let asked = 0
    const under = await gateway({
      plugins: [
        witness('acme', () => hello).plugin,
        guarding({ input: request => ({ replace: { ...request, input: [...request.input, image] } }) }, { enforces: ['zdr'] }),
        guarding(
          { input: () => ((asked += 1), { pass: true }) },
          { name: 'elsewhere', seesContent: { zdr: { ...zdr, excludes }, hipaa: false } },
        ),
      ],
      key: { name: 'test', policy: { zdr: { value: true } } },
    })
    const reply = await ask(under, { model: 'acme/m' })
    t.equal(reply.status, status)
    t.equal(asked, status === 200 ? 1 : 0)
    if (status === 422) t.match(reply.error.message, /excludes images, which the request uses/)
    await under.stop()
  }
})

t.test('a guardrail without a session changes nothing; it is asked once a request', async t => {
  let opened = 0
  const { whole, streamed } = await answered(
    [{ type: 'text', text: 'Hello', logprobs: [{ token: 'Hello', logprob: -1 }] }, usage(3, 2), stop],
    [
      {},
      {
        open() {
          opened += 1
          return undefined
        },
      },
    ],
  )
  t.equal(opened, 2)
  for (const { response } of [whole, streamed]) t.match(response.output, [{ content: [{ logprobs: [{ token: 'Hello' }] }] }])
})

t.test('the stored conversation is what the caller saw', async t => {
  const acme = witness('acme', () => [text('my secret'), stop])
  const under = await gateway({ plugins: [acme.plugin, guarding({ output: starring })] })
  t.teardown(under.stop)
  const { response, requestId } = await ask(under, { model: 'acme/m' })
  t.equal(said(response), 'my ***')
  await ask(under, { model: 'acme/m', previous_response_id: response.id })
  t.match(acme.calls[1]!.request.input[1], { role: 'assistant', content: [{ text: 'my ***' }] })
  t.notMatch(JSON.stringify((await under.record(requestId)).response), 'secret', 'the log has the answer as it was given')
})

t.test('a return value that the contract does not know is the failure of its guardrail', async t => {
  const request = { model: 'acme/m' }
  const wrong: Readonly<Record<string, readonly [GuardSession | 'open', reason: RegExp]>> = {
    'input undefined': [{ input: () => undefined as never }, /returned undefined from input: expected \{ pass: true \}/],
    'input {}': [{ input: () => ({}) as never }, /returned an object with no members from input/],
    'input ok': [{ input: () => ({ ok: true }) as never }, /returned an object with ok from input/],
    'input pass false': [{ input: () => ({ pass: false }) as never }, /returned an object with pass from input/],
    'input promises nothing': [{ input: async () => undefined as never }, /returned undefined from input/],
    'replace {}': [{ input: () => ({ replace: {} }) as never }, /returned a request from input that is malformed at model/],
    'replace without input': [{ input: () => ({ replace: request }) as never }, /returned a request from input that is malformed at input/],
    'refuse text': [{ input: () => ({ refuse: 'no' }) as never }, /returned an object with refuse from input/],
    'refuse nothing': [{ input: () => ({ pass: true, refuse: undefined }) as never }, /returned an object with pass, refuse from input/],
    'route promises': [{ route: (async () => true) as never }, /returned a promise from route: expected true or false/],
    'route undefined': [{ route: () => undefined as never }, /returned undefined from route/],
    'route throws': [{ route: () => { throw new Error('down') } }, /down/], // prettier-ignore
    'session misspelled': [
      { inputs: () => ({ pass: true }) } as never,
      /returned an object with inputs from open: expected a session with one of/,
    ],
    'session hook': [{ input: true } as never, /expected a session whose input is a function/],
    'session promise': [Promise.resolve({}) as never, /returned a promise from open/],
    'filter without flush': [{ output: () => ({ push: (piece: string) => piece }) as never }, /returned an object with push from output/],
    'push promises': [{ output: () => ({ push: async () => 'x', flush: () => '' }) as never }, /returned a promise from push/],
    'push rejects': [
      { output: () => ({ push: () => Promise.reject(new Error('no')), flush: () => '' }) as never },
      /returned a promise from push/,
    ],
    'push undefined': [
      { output: () => ({ push: () => undefined, flush: () => '' }) as never },
      /returned undefined from push: expected a string/,
    ],
    'flush null': [{ output: () => ({ push: (piece: string) => piece, flush: () => null }) as never }, /returned null from flush/],
    'push refuses with text': [
      { output: () => ({ push: () => ({ refuse: 'no' }), flush: () => '' }) as never },
      /returned an object with refuse from push/,
    ],
  }
  for (const [name, [session, reason]] of Object.entries(wrong)) {
    for (const onFailure of ['refuse', 'allow'] as const) {
      const { plugin } = witness('acme', () => hello)
      const under = await gateway({ plugins: [plugin, guarding(session as GuardSession, { onFailure })] })
      const whole = await ask(under, request)
      const streamed = await under.request('/v1/responses', { body: { ...request, input: 'hi', stream: true } })
      const stream = await streamed.text()
      if (onFailure === 'allow') {
        t.equal(said(whole.response), 'Hello', `${name} is allowed`)
        t.equal(said(checkStream(stream).response), 'Hello')
      } else {
        t.equal(whole.status, 503, `${name} is refused`)
        const delivered = streamed.status === 200 ? readEvents(stream).filter(({ type }) => type.endsWith('.delta')) : []
        t.same(delivered, name === 'flush null' ? delivered.slice(0, 2) : [], 'nothing unchecked is delivered')
        if (streamed.status === 200) t.match(checkStream(stream).response, { status: 'failed', error: { code: 'server_error' } })
        else t.equal(streamed.status, 503)
      }
      t.match(
        under.logs.find(line => line.includes('a guardrail failed')),
        reason,
      )
      await under.stop()
    }
  }
})

t.test('a guardrail that applies by key applies to the keys that name it', async t => {
  const acme = witness('acme', () => hello)
  const refusing = { input: () => ({ refuse: forbidden }) } as const
  for (const [names, expected] of [
    [undefined, 200],
    [['strict'], 400],
    [['other'], 422],
    [['strict', 'other'], 422],
  ] as const) {
    const under = await gateway({ plugins: [acme.plugin, guarding(refusing, { name: 'strict', applies: 'key' })] })
    t.teardown(under.stop)
    const [key] = await under.gateway.keys.list()
    if (names) await under.gateway.keys.update(key!.id, { guardrails: names })
    const asked = acme.calls.length
    const { status, error } = await ask(under, { model: 'acme/m' })
    t.equal(status, expected)
    if (expected === 422) t.match(error.message, /names the guardrail "other", which is not loaded/)
    t.equal(acme.calls.length - asked, expected === 200 ? 1 : 0)
  }
  const always = await gateway({ plugins: [acme.plugin, guarding(refusing, { applies: 'always' })] })
  t.teardown(always.stop)
  t.equal((await ask(always, { model: 'acme/m' })).status, 400)
})
