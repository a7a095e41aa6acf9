import t, { type Test } from 'tap'
import { invalidRequest, type AnswerItem, type GenerationEvent, type Guardrail, type GuardSession } from '../../../core/index.ts'
import { checkStream, readEvents } from '../../../core/testing/index.ts'
import { gateway, hello } from '../../kit/gateway.ts'
import { ask, guarding, said, stop, text, usage, witness } from '../../kit/stage.ts'

const forbidden = invalidRequest('This is not talked about here.', undefined, 'invalid_prompt')

async function under(t: Test, events: Iterable<GenerationEvent>, ...guards: readonly (readonly [GuardSession, Partial<Guardrail>?])[]) {
  const acme = witness('acme', () => events)
  const under = await gateway({
    plugins: [acme.plugin, ...guards.map(([session, more]) => guarding(session, more))],
    settings: { logLevel: 'silent' },
  })
  t.teardown(under.stop)
  return { under, acme }
}

const body = { model: 'acme/m', include: ['message.output_text.logprobs', 'web_search_call.results'] }

const citation = { type: 'url_citation', url: 'https://example.com/', title: 'Example' } as const

/** Every kind of item. */
const everything: readonly GenerationEvent[] = [
  { type: 'reasoning', form: 'summary', text: 'think' },
  { type: 'reasoning', form: 'summary', text: 'ing' },
  { type: 'reasoning', form: 'summary', text: 'more', newPart: true },
  { type: 'reasoning', form: 'full', text: 'in full' },
  { type: 'reasoning-state', opaque: 'state' },
  {
    type: 'search',
    key: 's',
    status: 'completed',
    action: { type: 'search', query: 'a query' },
    results: [{ url: 'https://example.com/a', title: 'A title' }],
  },
  { type: 'text', text: 'Hel', logprobs: [{ token: 'Hel', logprob: -1 }] },
  { type: 'text', text: 'lo', logprobs: [{ token: 'lo', logprob: -1 }] },
  { type: 'annotation', citation, start: 0, end: 5 },
  { type: 'refusal', text: 'no' },
  { type: 'tool-call', key: 'a', name: 'f', callId: 'call_a' },
  { type: 'tool-input', key: 'a', text: '{"x":' },
  { type: 'tool-input', key: 'a', text: '1}' },
  { type: 'tool-call', key: 'b', name: 'g', callId: 'call_b', custom: true },
  { type: 'tool-input', key: 'b', text: 'free text' },
  usage(5, 5),
  stop,
]

t.test('a check sees every item whole, with the path of each text', async t => {
  const seen: AnswerItem[] = []
  const { under: gateway } = await under(t, everything, [
    {
      async item(item) {
        seen.push(item)
        return { pass: true }
      },
    },
  ])
  const plain = await under(t, everything)
  for (const stream of [true, false]) {
    const { response } = await ask(gateway, { ...body, stream })
    const { response: unguarded } = await ask(plain.under, { ...body, stream })
    const withoutIds = (output: unknown): unknown =>
      JSON.parse(JSON.stringify(output).replaceAll(/"(?:id|encrypted_content)":"[^"]*"/g, '"id":""'))
    t.same(withoutIds(response.output), withoutIds(unguarded.output), 'what passes stays as it is')
  }
  t.equal(seen.length, 10)
  t.same(
    seen.slice(0, 5).map(({ index, kind, name, texts }) => ({ index, kind, name, texts })),
    [
      {
        index: 0,
        kind: 'reasoning',
        name: undefined,
        texts: [
          { path: 'summary[0].text', kind: 'reasoning', json: false, text: 'thinking' },
          { path: 'summary[1].text', kind: 'reasoning', json: false, text: 'more' },
          { path: 'content[0].text', kind: 'reasoning', json: false, text: 'in full' },
        ],
      },
      {
        index: 1,
        kind: 'search',
        name: undefined,
        texts: [
          { path: 'action.query', kind: 'data', json: false, text: 'a query' },
          { path: 'results[0].url', kind: 'data', json: false, text: 'https://example.com/a' },
          { path: 'results[0].title', kind: 'data', json: false, text: 'A title' },
        ],
      },
      {
        index: 2,
        kind: 'message',
        name: undefined,
        texts: [
          { path: 'content[0].text', kind: 'text', json: false, text: 'Hello' },
          { path: 'content[1].refusal', kind: 'refusal', json: false, text: 'no' },
        ],
      },
      { index: 3, kind: 'call', name: 'f', texts: [{ path: 'arguments', kind: 'arguments', json: true, text: '{"x":1}' }] },
      { index: 4, kind: 'call', name: 'g', texts: [{ path: 'input', kind: 'custom-input', json: false, text: 'free text' }] },
    ],
  )
})

t.test('a check may replace texts, one for each', async t => {
  const { under: gateway, acme } = await under(t, everything, [
    { item: ({ texts }) => ({ replace: texts.map(({ json, text }) => (json ? '{"x":2}' : text === 'more' ? '' : text.toUpperCase())) }) },
  ])
  for (const stream of [true, false]) {
    const { response } = await ask(gateway, { ...body, stream })
    t.match(response.output, [
      { type: 'reasoning', summary: [{ text: 'THINKING' }], content: [{ text: 'IN FULL' }] },
      { type: 'web_search_call', action: { query: 'A QUERY' }, results: [{ title: 'A TITLE' }] },
      { content: [{ text: 'HELLO', annotations: [], logprobs: [] }, { refusal: 'NO' }] },
      { arguments: '{"x":2}' },
      { input: 'FREE TEXT' },
    ])
    t.equal((response.output[0]!['summary'] as unknown[]).length, 1, 'an empty text removes the part')
    await ask(gateway, { ...body, previous_response_id: response.id, input: 'again' })
    t.match(JSON.stringify(acme.calls.at(-1)!.request.input), /HELLO/, 'what is stored is what the client saw')
  }
})

t.test('the answer is a JSON document where the request asks for one', async t => {
  const kinds: boolean[] = []
  const filter = { push: (piece: string) => piece, flush: () => '' }
  const session: GuardSession = {
    item({ texts }) {
      kinds.push(...texts.map(({ json }) => json))
      return { pass: true }
    },
    output({ json }) {
      kinds.push(json)
      return filter
    },
  }
  const { under: gateway } = await under(t, [text('{"a":1}'), stop], [session])
  await ask(gateway, { ...body, text: { format: { type: 'json_object' } }, input: 'JSON please' })
  await ask(gateway, body)
  t.same(kinds, [true, true, false, false])
})

t.test('nothing of an item is delivered before its check, and nothing after a refusal', async t => {
  const verdicts = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let asked = 0
  const { under: gateway } = await under(
    t,
    [text('one'), { type: 'item-end' }, text('two'), { type: 'item-end' }, text('three'), usage(3, 3), stop],
    [
      {
        async item({ index }) {
          asked++
          await verdicts[index]!.promise
          return index === 0 ? { pass: true } : { refuse: forbidden }
        },
      },
    ],
  )
  const reply = await gateway.request('/v1/responses', { body: { model: 'acme/m', input: 'hi', stream: true } })
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader()
  let got = ''
  const until = async (sign: string): Promise<void> => {
    while (!got.includes(sign)) got += (await reader.read()).value ?? t.fail(`no ${sign}`)
  }
  await until('response.created')
  t.notMatch(got, 'one')
  verdicts[0]!.resolve()
  await until('response.output_item.done')
  t.notMatch(got, 'two')
  verdicts[1]!.resolve()
  await until('response.failed')
  const { response } = checkStream(got)
  t.match(response, { status: 'failed', error: { code: 'invalid_prompt', message: forbidden.message } })
  t.same(
    readEvents(got)
      .filter(({ type }) => type.endsWith('.delta'))
      .map(({ delta }) => delta),
    ['one'],
  )
  t.equal(asked, 2, 'what follows a refusal is not checked')
  const record = await gateway.record(reply.headers.get('x-request-id')!)
  t.match(record, { status: 200, errorCode: 'invalid_prompt', notes: [{ kind: 'guardrail', summary: { outcome: 'refused' } }] })
  t.notMatch(JSON.stringify(record.response), 'two')
})

t.test('a refusal ends the model in the middle of its answer, and is not its fault', async t => {
  let ended = false
  const endless = function* (): Generator<GenerationEvent> {
    try {
      yield text('one')
      yield { type: 'item-end' }
      for (;;) yield text('more ')
    } finally {
      ended = true
    }
  }
  const { under: gateway } = await under(t, endless(), [{ item: async () => ({ refuse: forbidden }) }])
  const { status, error, requestId } = await ask(gateway, { model: 'acme/m' })
  t.equal(status, 400)
  t.equal(error.message, forbidden.message)
  t.ok(ended)
  t.match(await gateway.record(requestId), { attempts: [{ outcome: 'left' }] })
  const models = await (await gateway.request('/v1/models/acme%2Fm')).json()
  t.match(models, { providers: { acme: { metrics: { uptime: 1 } } } }, 'it is not the fault of the provider')
})

t.test('the client leaves while an item is checked: nobody waits for the verdict', async t => {
  const asked = Promise.withResolvers<void>()
  const { under: gateway } = await under(t, hello, [
    {
      item() {
        asked.resolve()
        return new Promise(() => {})
      },
    },
    { timeoutMs: 60_000 },
  ] as never)
  const leaving = new AbortController()
  const reply = gateway.request('/v1/responses', { body: { model: 'acme/m', input: 'hi' }, signal: leaving.signal })
  await asked.promise
  leaving.abort()
  await reply.catch(() => {})
  const [record] = await gateway.recorded(1)
  t.equal(record!.status, 499)
  t.equal(gateway.gateway.liveRuns, 0)
})

t.test('local guardrails see a request first and its answer last', async t => {
  const order: string[] = []
  const remote = { zdr: false, hipaa: false } as const
  const seen = (name: string): GuardSession => ({
    input(request) {
      order.push(`${name} asks`)
      return { replace: JSON.parse(JSON.stringify(request).replaceAll('jane', '[NAME]')) }
    },
    ...(name === 'remote' && {
      item({ texts }) {
        order.push(`${name} is told ${texts[0]!.text}`)
        return { pass: true }
      },
    }),
    ...(name === 'local' && {
      output: () => ({
        push(piece: string) {
          order.push(`${name} is told ${piece}`)
          return piece.replaceAll('[NAME]', 'jane')
        },
        flush: () => '',
      }),
    }),
  })
  const { under: gateway } = await under(t, [text('Hello [NAME]'), stop], [seen('remote'), { seesContent: remote }], [seen('local'), {}])
  const { response } = await ask(gateway, { model: 'acme/m', input: 'I am jane' })
  t.equal(said(response), 'Hello jane')
  t.same(order, ['local asks', 'remote asks', 'remote is told Hello [NAME]', 'local is told Hello [NAME]'])
})
