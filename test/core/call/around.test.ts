import t from 'tap'
import { GatewayError, ProviderFailure, type CallWrapper, type GenerationEvent } from '../../../core/index.ts'
import type { GenerationWrap } from '../../../core/kit.ts'
import hipaa from '../../../plugins/guardrails/hipaa/index.ts'
import redaction from '../../../plugins/guardrails/redaction/index.ts'
import zdr from '../../../plugins/guardrails/zdr/index.ts'
import decisionRoute from '../../../plugins/endpoints/decisions/index.ts'
import { gateway, hello, saying, scripted } from '../../kit/gateway.ts'
import { decide, deciding, reply } from '../../kit/decision-stage.ts'
import { ask, guarding, listing, said, stop, text, usage, witness } from '../../kit/stage.ts'
import { calling, lookup, toCall } from '../../kit/tool-stage.ts'
import { giving, looking, wrapping } from './wrapper-stage.ts'

const body = { model: 'acme/m' }
const kept = [text('From '), text('the cache.'), usage(1_000, 1_000), stop]

function unasked() {
  return witness('acme', () => hello)
}

t.test('an answer of a wrapper is delivered, stored and recorded, and costs nothing', async t => {
  for (const stream of [false, true]) {
    const acme = unasked()
    const under = await gateway({
      plugins: [
        acme.plugin,
        listing({ model: 'm', endpoints: [{ provider: 'acme', price: { input: 1, output: 1 } }] }),
        giving(kept, { name: 'demo-cache' }),
      ],
    })
    t.teardown(under.stop)
    const { status, headers, response, requestId } = await ask(under, { model: 'm', stream })
    t.equal(status, 200)
    t.equal(said(response), 'From the cache.')
    t.equal(response.model, 'acme/m')
    t.equal(headers.get('x-gateway-attempts'), '0')
    t.equal(headers.get('x-gateway-provider'), null)
    t.match(response.usage, { input_tokens: 0, output_tokens: 0, total_tokens: 0 })
    const record = await under.record(requestId)
    t.match(record, { status: 200, stream, provider: null, model: null, costUsd: 0, errorCode: null, answerId: response.id })
    t.match(record.usage, { uncachedInput: 0, output: 0 })
    t.same(record.attempts, [])
    t.same(record.notes, [{ kind: 'answered-by', summary: { name: 'demo-cache' } }])
    t.equal((await under.request(`/v1/responses/${response.id}`)).status, 200, 'it is stored')
    t.equal(acme.calls.length, 0)
  }
})

t.test('an answer may be yielded one by one, or in lists', async t => {
  async function* pieces(): AsyncGenerator<GenerationEvent | readonly GenerationEvent[]> {
    yield { type: 'model', model: 'm-1' }
    yield [text('a'), text('b')]
    yield []
    yield text('c')
    yield [stop, text('after the end')]
  }
  const under = await gateway({ plugins: [unasked().plugin, wrapping({ generation: () => ({ answer: pieces() }) })] })
  t.teardown(under.stop)
  for (const stream of [false, true]) t.equal(said((await ask(under, { ...body, stream })).response), 'abc')
})

t.test('the stream of an answer begins at once', async t => {
  const gate = Promise.withResolvers<void>()
  async function* slowly(): AsyncGenerator<GenerationEvent> {
    yield text('first')
    await gate.promise
    yield stop
  }
  const under = await gateway({ plugins: [unasked().plugin, wrapping({ generation: () => ({ answer: slowly() }) })] })
  t.teardown(under.stop)
  const streamed = await under.request('/v1/responses', { body: { ...body, input: 'hi', stream: true } })
  const reader = streamed.body!.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  while (!seen.includes('first')) seen += (await reader.read()).value ?? ''
  gate.resolve()
  while (!(await reader.read()).done);
  t.pass('text came before the answer was complete')
})

t.test('a wrapper that looks sees all of the answer, and its end once', async t => {
  for (const stream of [false, true]) {
    const looker = looking()
    const under = await gateway({ plugins: [saying('acme', hello), looker.plugin] })
    t.teardown(under.stop)
    const { response } = await ask(under, { ...body, stream })
    t.equal(said(response), 'Hello')
    t.same(looker.told, ['text Hel', 'text lo', 'usage', 'finish', 'end'])
    t.match(looker.ends, [
      { by: undefined, finish: 'stop', endpoint: { provider: 'acme', model: 'm' }, usage: { output: 2 }, ranTools: false },
    ])
    const [call] = looker.calls
    t.match(call, { kind: 'generation', request: { model: 'acme/m' }, endpoints: [{ provider: 'acme' }] })
    t.throws(() => void ((call as any).request.model = 'x'), TypeError, 'the request is frozen')
  }
})

t.test('of an answer that fails, is cut off or left, a wrapper does not see an end', async t => {
  const broken = looking()
  const fails = await gateway({
    plugins: [
      witness('acme', function* () {
        yield text('partly')
        throw new ProviderFailure({ kind: 'network', message: 'The connection broke.' })
      }).plugin,
      broken.plugin,
    ],
  })
  t.teardown(fails.stop)
  await ask(fails, { ...body, stream: true })
  t.same(broken.told, ['text partly', 'fail'])

  const refused = looking()
  const guarded = await gateway({
    plugins: [saying('acme', hello), guarding({ output: () => ({ push: () => ({ refuse: refusal }), flush: () => '' }) }), refused.plugin],
  })
  t.teardown(guarded.stop)
  t.equal((await ask(guarded, body)).status, 400)
  t.equal(refused.told.at(-1), 'fail', 'a guardrail refused the answer')

  const words = 'The gateway holds what an answer may cost, and no more than it has to. '
  for (const stream of [true, false]) {
    const cut = looking()
    const gate = Promise.withResolvers<void>()
    let asked = 0
    const capped = await gateway({
      plugins: [
        scripted('acme', async function* () {
          asked++
          await gate.promise
          for (let piece = 0; piece < 700; piece++) yield text(words)
          yield stop
        }),
        listing({
          model: 'm',
          endpoints: [
            {
              provider: 'acme',
              price: { input: 0, output: 100 },
              maxOutputTokens: 8_192,
              tokenizer: 'o200k_base',
              capabilities: { efforts: [] },
            },
          ],
        }),
        cut.plugin,
      ],
      key: { name: 'k', spendCapUsd: 0.7 },
    })
    t.teardown(capped.stop)
    // Both may reach the cap, but not at once.
    const asking = Promise.all([1, 2].map(() => ask(capped, { model: 'm', stream })))
    while (asked < 2) await new Promise(setImmediate)
    gate.resolve()
    for (const { response } of await asking) t.equal(response.status, 'incomplete')
    t.same(
      cut.told.filter(told => told === 'end' || told === 'fail'),
      ['fail', 'fail'],
      'nothing more could be paid for',
    )
  }

  const left = looking()
  const started = Promise.withResolvers<void>()
  const hanging = await gateway({
    plugins: [
      witness('acme', () => {
        started.resolve()
        return hello
      }).plugin,
      guarding({ item: () => new Promise(() => {}) }, { timeoutMs: 600_000 }),
      left.plugin,
    ],
  })
  t.teardown(hanging.stop)
  const leaving = new AbortController()
  const gone = hanging.request('/v1/responses', { body: { ...body, input: 'hi' }, signal: leaving.signal }).catch(() => {})
  await started.promise
  leaving.abort()
  await gone
  const [record] = await hanging.recorded(1)
  t.equal(record!.status, 499)
  t.equal(left.told.at(-1), 'fail', 'the client left')
})

const refusal = new GatewayError({ status: 400, type: 'invalid_request_error', code: 'invalid_prompt', message: 'No.' })

t.test('wrappers are opened in plugin order, and the first that answers wins', async t => {
  const before = looking()
  const after = looking()
  const under = await gateway({ plugins: [unasked().plugin, before.plugin, giving(kept, { name: 'demo-cache' }), after.plugin] })
  t.teardown(under.stop)
  t.equal(said((await ask(under, body)).response), 'From the cache.')
  t.same(before.told, ['text From ', 'text the cache.', 'finish', 'end'])
  t.match(before.ends, [{ by: 'demo-cache', costUsd: 0, finish: 'stop' }])
  t.equal(after.calls.length, 0)
})

t.test('a call goes on without a wrapper that fails, with one line in the log', async t => {
  const secret = 'the prompt itself'
  async function* emptyAnswer(): AsyncGenerator<GenerationEvent> {}
  async function* throwing(): AsyncGenerator<GenerationEvent> {
    throw new GatewayError({ status: 402, type: 'billing_error' as never, code: 'billing' as never, message: secret })
  }
  const failing: readonly [string, Parameters<typeof wrapping>[0]][] = [
    [
      'throws',
      {
        generation: () => {
          throw new Error(secret)
        },
      },
    ],
    ['rejects', { generation: () => Promise.reject(new Error(secret)) }],
    ['hangs', { generation: () => new Promise(() => {}), timeoutMs: 20 }],
    ['returns a text', { generation: () => secret as never }],
    ['has no function', { generation: () => ({ write: secret }) as never }],
    ['answers with a text', { generation: () => ({ answer: secret }) as never }],
    ['answers with no event', { generation: () => ({ answer: [] }) }],
    ['answers without a finish', { generation: () => ({ answer: emptyAnswer() }) }],
    ['answers with an unknown event', { generation: () => ({ answer: [{ type: secret } as never] }) }],
    ['answers with a pause', { generation: () => ({ answer: [{ type: 'finish', reason: 'pause' }] }) }],
    ['throws at its first event', { generation: () => ({ answer: throwing() }) }],
    [
      'hangs at its first event',
      { generation: () => ({ answer: { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) } }), timeoutMs: 20 },
    ],
  ]
  for (const [what, wrapper] of failing)
    for (const stream of [false, true]) {
      const under = await gateway({ plugins: [saying('acme', hello), wrapping(wrapper)], key: { name: 'k' } })
      const { status, response } = await ask(under, { ...body, stream, input: secret })
      t.equal(status, 200, what)
      t.equal(said(response), 'Hello', what)
      const lines = under.logs.filter(line => line.includes('a call wrapper failed'))
      t.equal(lines.length, 1, what)
      t.match(lines[0], /"plugin":"adding-/)
      t.notOk(
        under.logs.some(line => line.includes(secret)),
        what,
      )
      await under.stop()
    }
})

t.test('a wrapper that fails while it looks sees no more', async t => {
  for (const hook of ['write', 'end', 'fail'] as const) {
    let calls = 0
    const fail = () => {
      calls++
      throw new Error('broken')
    }
    const asHook = hook === 'end' ? { end: async () => fail() } : { [hook]: fail }
    const failing = hook === 'fail' ? [text('a')] : hello
    const under = await gateway({ plugins: [saying('acme', failing), wrapping({ generation: () => asHook })] })
    const { status } = await ask(under, body)
    t.equal(status, hook === 'fail' ? 424 : 200)
    await new Promise(resolve => setImmediate(resolve))
    t.equal(calls, 1, hook)
    t.equal(under.logs.filter(line => line.includes('a call wrapper failed')).length, 1, hook)
    await under.stop()
  }
})

t.test('an answer that goes wrong after its first event is a 500 that names nothing', async t => {
  async function* throwing(): AsyncGenerator<GenerationEvent> {
    yield text('a')
    throw new Error('internal detail')
  }
  async function* hanging(): AsyncGenerator<GenerationEvent> {
    yield text('a')
    await new Promise(() => {})
  }
  const endings: readonly (() => AsyncIterable<GenerationEvent> | readonly GenerationEvent[])[] = [
    () => [text('a'), { type: 'tool-input', key: 'k', text: 'internal detail' }, stop],
    () => [text('a'), { type: 'internal detail' } as never],
    () => [text('a'), { type: 'compaction', opaque: 'internal detail' }, stop],
    () => [text('a')],
    throwing,
    hanging,
  ]
  for (const ending of endings)
    for (const stream of [false, true]) {
      const acme = unasked()
      const looker = looking()
      const under = await gateway({
        plugins: [
          acme.plugin,
          looker.plugin,
          wrapping({ name: 'demo-cache', timeoutMs: ending === hanging ? 20 : 60_000, generation: () => ({ answer: ending() }) }),
        ],
      })
      const answered = await ask(under, { ...body, stream })
      const error = stream ? answered.response.error : answered.error
      t.equal(answered.status, stream ? 200 : 500)
      t.match(error, { code: 'server_error', message: /^The gateway failed to handle this request\./ })
      t.notMatch(JSON.stringify(error), /internal detail|demo-cache|adding-/)
      t.ok(
        under.logs.some(
          line => line.includes('a call wrapper failed') && line.includes('"wrapper":"demo-cache"') && line.includes('"plugin":"adding-'),
        ),
      )
      t.match(await under.recorded(1), [{ errorCode: 'server_error', costUsd: 0, attempts: [] }])
      t.equal(looker.told.at(-1), 'fail')
      t.equal(acme.calls.length, 0)
      await under.stop()
    }
})

t.test('a wrapper sees no content that the policy keeps from it', async t => {
  const agreements = { zdr: { policy_url: 'https://example.com/zdr' }, hipaa: { baa_url: 'https://example.com/baa' } }
  const on = { value: true }
  const elsewhere = { zdr: false, hipaa: false } as const
  const cases = [
    [{}, { seesContent: elsewhere }, true],
    [{ zdr: on }, { seesContent: elsewhere }, false],
    [{ hipaa: on }, { seesContent: elsewhere }, false],
    [{ zdr: on, hipaa: on }, { seesContent: { ...agreements, hipaa: false } }, false],
    [{ zdr: on, hipaa: on }, { seesContent: agreements }, true],
    [{ zdr: on, hipaa: on }, { seesContent: 'local' }, true],
    [{}, { keepsContent: true }, false],
    [{ zdr: on }, { keepsContent: true }, false],
    [{ logging: on }, { keepsContent: true }, true],
    [{ logging: on, zdr: on }, { keepsContent: true, seesContent: elsewhere }, false],
  ] as const
  for (const [policy, wrapper, isOpened] of cases) {
    const looker = looking(wrapper as object)
    const under = await gateway({
      plugins: [
        zdr({}),
        hipaa({}),
        saying('acme', hello),
        listing({ model: 'm', endpoints: [{ provider: 'acme', ...agreements }] }),
        looker.plugin,
      ],
      key: { name: 'k', policy },
    })
    const { status, response } = await ask(under, { model: 'm' })
    t.equal(status, 200)
    t.equal(said(response), 'Hello')
    t.equal(looker.calls.length, isOpened ? 1 : 0, JSON.stringify([policy, wrapper]))
    await under.stop()
  }
})

t.test('redaction is outside: a wrapper sees placeholders, and the client what they stand for', async t => {
  const looker = looking()
  const echo = witness('acme', ({ request }) => [
    text(`Writing to ${JSON.stringify(request.input).match(/\[EMAIL_\d+\]|<[^>]*>|\[[^\]]*EMAIL[^\]]*\]/)?.[0] ?? 'nobody'}`),
    stop,
  ])
  const under = await gateway({
    plugins: [redaction({}), echo.plugin, looker.plugin],
    key: { name: 'k', policy: { redaction: { value: true } } },
  })
  t.teardown(under.stop)
  const { response } = await ask(under, { ...body, input: 'Write to jane@example.com' })
  t.match(said(response), /jane@example\.com/)
  t.notMatch(JSON.stringify(looker.calls), /jane@example\.com/)
  t.notMatch(JSON.stringify(looker.events), /jane@example\.com/)
  const events = looker.events

  const given = await gateway({
    plugins: [redaction({}), echo.plugin, giving(events)],
    key: { name: 'k', policy: { redaction: { value: true } } },
  })
  t.teardown(given.stop)
  for (const stream of [false, true]) {
    const again = await ask(given, { ...body, stream, input: 'Write to joe@example.com' })
    t.match(said(again.response), /joe@example\.com/, 'the placeholder stands for what this request has')
  }
  t.equal(echo.calls.length, 1)
})

t.test('guardrails on output check an answer that a wrapper gives', async t => {
  const filter = guarding({ output: () => ({ push: piece => piece.replaceAll('cache', '*****'), flush: () => '' }) })
  const under = await gateway({ plugins: [unasked().plugin, filter, giving(kept)] })
  t.teardown(under.stop)
  for (const stream of [false, true]) t.equal(said((await ask(under, { ...body, stream })).response), 'From the *****.')
})

t.test('an answer of a wrapper reserves nothing', async t => {
  const plugins = [unasked().plugin, listing({ model: 'm', endpoints: [{ provider: 'acme', price: { input: 10, output: 100 } }] })]
  const key = { name: 'k', spendCapUsd: 0.000001 }
  const without = await gateway({ plugins, key })
  t.teardown(without.stop)
  t.equal((await ask(without, { model: 'm' })).status, 402)
  const under = await gateway({ plugins: [...plugins, giving(kept)], key })
  t.teardown(under.stop)
  for (const stream of [false, true]) t.equal((await ask(under, { model: 'm', stream })).status, 200)
})

t.test('with tools of the gateway, a wrapper sees every round', async t => {
  const tools = [{ type: 'lookup' }]
  const looker = looking()
  const acme = witness('acme', (_, count) =>
    count === 1 ? [...calling('lookup', { word: 'w' }), usage(1, 1), toCall] : [text('Found.'), stop],
  )
  const under = await gateway({ plugins: [acme.plugin, lookup().plugin, looker.plugin] })
  t.teardown(under.stop)
  t.equal(said((await ask(under, { ...body, tools })).response), 'Found.')
  t.same(looker.told, ['tool-call', 'tool-input {"word":"w"}', 'usage', 'finish', 'text Found.', 'finish', 'end'])
  t.match(looker.ends, [{ ranTools: true }])

  const tool = lookup()
  const replaying = await gateway({ plugins: [saying('acme', hello), tool.plugin, giving(looker.events)] })
  t.teardown(replaying.stop)
  t.equal(said((await ask(replaying, { ...body, tools })).response), 'Hello', 'an answer that calls a tool of the gateway is not used')
  t.equal(tool.ran.length, 0)

  const own = { type: 'function', name: 'own', parameters: { type: 'object' } }
  const calls = await gateway({ plugins: [unasked().plugin, tool.plugin, giving([...calling('own', {}), toCall])] })
  t.teardown(calls.stop)
  const { response } = await ask(calls, { ...body, tools: [...tools, own] })
  t.match(response.output, [{ type: 'function_call', name: 'own' }], "the caller's own functions may be called")
})

t.test('the state of a vendor is dropped from an answer', async t => {
  const answer: readonly GenerationEvent[] = [
    { type: 'reasoning', text: 'Hm.', form: 'summary' },
    { type: 'reasoning-state', opaque: 'secret state' },
    { type: 'search', key: 's', status: 'completed', action: { type: 'search', query: 'q' }, opaque: 'secret state' },
    text('Done.'),
    stop,
  ]
  const under = await gateway({ plugins: [unasked().plugin, giving(answer)] })
  t.teardown(under.stop)
  const { response } = await ask(under, { ...body, include: ['reasoning.encrypted_content'] })
  t.match(response.output, [{ type: 'reasoning' }, { type: 'web_search_call' }, { type: 'message' }])
  t.notOk(response.output[0]!['encrypted_content'])
})

t.test('decisions and counts are wrapped as well', async t => {
  const acme = deciding('dm')
  const ends: unknown[] = []
  const looker = wrapping({
    decision: () => ({ end: answered => void ends.push(answered) }),
    count: () => ({ end: answered => void ends.push(answered) }),
  })
  let answers = true
  const giver = wrapping({
    name: 'demo-cache',
    decision: ({ request }) => (answers ? { answer: reply(request) } : undefined),
    count: () => ({ answer: answers ? { tokens: 4_321, estimated: false } : ({ tokens: -1 } as never) }),
  })
  const under = await gateway({ plugins: [decisionRoute({}), acme.plugin, saying('acme', hello), looker, giver] })
  t.teardown(under.stop)
  const decided = await decide(under)
  t.equal(decided.status, 200)
  t.equal(decided.headers.get('x-gateway-attempts'), '0')
  t.equal(decided.headers.get('x-gateway-provider'), null)
  t.same(decided.body.usage, { input_tokens: 0, output_tokens: 0 })
  t.match(await under.record(decided.id), { costUsd: 0, attempts: [], notes: [{ kind: 'answered-by' }] })
  t.equal(acme.calls.length, 0)
  const count = async () =>
    ((await (await under.request('/v1/responses/input_tokens', { body: { ...body, input: 'hi' } })).json()) as any).input_tokens
  t.equal(await count(), 4_321)
  t.match(ends, [
    { by: 'demo-cache', reply: { answers: {} } },
    { by: 'demo-cache', count: { tokens: 4_321 } },
  ])

  answers = false
  const asked = await decide(under)
  t.equal(asked.headers.get('x-gateway-attempts'), '1')
  t.equal(acme.calls.length, 1)
  t.not(await count(), 4_321, 'a count of another form is not used')
  t.match(ends.slice(2), [{ by: undefined, endpoint: { provider: 'dm' } }, { by: undefined }])
})

t.test('a decision that answers not every question is not used', async t => {
  const acme = deciding('dm')
  const under = await gateway({
    plugins: [decisionRoute({}), acme.plugin, wrapping({ decision: () => ({ answer: { answers: {}, usage: undefined } }) })],
  })
  t.teardown(under.stop)
  t.equal((await decide(under)).headers.get('x-gateway-attempts'), '1')
  t.equal(under.logs.filter(line => line.includes('a call wrapper failed')).length, 1)
})

t.test('a decision that cannot be written is not used', async t => {
  const acme = deciding('dm')
  const answer = { ...reply, extra: { big: 1n } } as never
  const under = await gateway({ plugins: [decisionRoute({}), acme.plugin, wrapping({ decision: () => ({ answer }) })] })
  t.teardown(under.stop)
  const asked = await decide(under)
  t.equal(asked.status, 200)
  t.equal(asked.headers.get('x-gateway-attempts'), '1')
})

t.test('when the client leaves or the gateway ends, so does the answer of a wrapper', async t => {
  for (const leaves of [true, false]) {
    const begun = Promise.withResolvers<void>()
    const over = Promise.withResolvers<void>()
    const looker = looking()
    const answer = (): AsyncIterable<GenerationEvent> => {
      let count = 0
      return {
        [Symbol.asyncIterator]: () => ({
          next: () => {
            if (count++ === 0) return Promise.resolve({ value: text('a'), done: false as const })
            begun.resolve()
            return new Promise(() => {})
          },
          return: () => {
            over.resolve()
            return Promise.resolve({ value: undefined, done: true as const })
          },
        }),
      }
    }
    const under = await gateway({ plugins: [unasked().plugin, looker.plugin, wrapping({ generation: () => ({ answer: answer() }) })] })
    t.teardown(under.stop)
    const leaving = new AbortController()
    const asking = under.request('/v1/responses', { body: { ...body, input: 'hi' }, signal: leaving.signal }).catch(() => undefined)
    await begun.promise
    if (leaves) leaving.abort()
    else under.gateway.abortRuns()
    await over.promise
    await asking
    t.match(await under.recorded(1), [{ status: leaves ? 499 : 503 }])
    t.equal(looker.told.at(-1), 'fail')
  }
})

t.test('a client that leaves while a wrapper opens ends the call', async t => {
  const begun = Promise.withResolvers<void>()
  const acme = unasked()
  const under = await gateway({
    plugins: [
      acme.plugin,
      wrapping({
        generation: () => {
          begun.resolve()
          return new Promise(() => {})
        },
      }),
    ],
  })
  t.teardown(under.stop)
  const leaving = new AbortController()
  const asking = under.request('/v1/responses', { body: { ...body, input: 'hi' }, signal: leaving.signal }).catch(() => undefined)
  await begun.promise
  leaving.abort()
  await asking
  t.match(await under.recorded(1), [{ status: 499, attempts: [] }])
  t.equal(acme.calls.length, 0)
})

t.test('200 requests at once, half of them answered by a wrapper, leave one record each', async t => {
  const acme = unasked()
  let count = 0
  const under = await gateway({ plugins: [acme.plugin, wrapping({ generation: () => (count++ % 2 === 0 ? { answer: kept } : {}) })] })
  t.teardown(under.stop)
  const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => ask(under, { ...body, stream: index % 3 === 0 })))
  t.equal(answers.filter(({ response }) => said(response) === 'From the cache.').length, 100)
  t.equal(acme.calls.length, 100)
  const records = await under.recorded(200)
  t.equal(new Set(records.map(({ id }) => id)).size, 200)
  t.equal(records.length, 200)
})

t.test('a call goes on without a wrapper whose answer cannot be read, is too large, or has no events', async t => {
  async function* nothing(each: readonly GenerationEvent[]): AsyncGenerator<readonly GenerationEvent[]> {
    for (;;) yield each
  }
  const broken = (): never => {
    throw new Error('broken')
  }
  const wraps: readonly (() => GenerationWrap)[] = [
    () => ({
      get answer() {
        return broken()
      },
    }),
    () => ({ answer: [text('a'.repeat(10_000)), stop] }),
    () => ({ answer: nothing([]) }),
    () => ({ answer: nothing([{ type: 'warning', param: 'input', message: 'Dropped.' }]) }),
  ]
  for (const generation of wraps) {
    const acme = unasked()
    const under = await gateway({ plugins: [acme.plugin, wrapping({ generation })], settings: { maxAnswerBytes: 16_384 } })
    t.teardown(under.stop)
    for (const stream of [false, true]) t.equal((await ask(under, { ...body, stream })).status, 200)
    t.equal(acme.calls.length, 2)
    t.equal((await under.recorded(2)).length, 2)
    t.equal(under.logs.filter(line => line.includes('a call wrapper failed')).length, 2)
  }
})

t.test('the signal of a wrapper tells it that nobody waits for its answer any longer', async t => {
  const stopped: string[] = []
  const answering = (name: string, more: Partial<CallWrapper> = {}) =>
    wrapping({
      generation: (_call, _context, signal) => {
        const over = Promise.withResolvers<void>()
        signal.addEventListener('abort', () => {
          stopped.push(name)
          over.resolve()
        })
        return {
          answer: (async function* () {
            yield text('a')
            await over.promise
          })(),
        }
      },
      ...more,
    })
  const late = await gateway({ plugins: [unasked().plugin, answering('late', { timeoutMs: 1 })] })
  t.teardown(late.stop)
  t.equal((await ask(late, body)).status, 500)
  t.same(stopped, ['late'])
  const left = await gateway({ plugins: [unasked().plugin, answering('left')] })
  t.teardown(left.stop)
  const leaving = new AbortController()
  const asked = await left.request('/v1/responses', { body: { ...body, input: 'hi', stream: true }, signal: leaving.signal })
  await asked.body!.getReader().read()
  leaving.abort()
  t.match(await left.recorded(1), [{ status: 499 }])
  t.same(stopped, ['late', 'left'])
})

t.test('promises of `write` that reject are one line in the log', async t => {
  const under = await gateway({
    plugins: [
      witness('acme', () => [text('a'), text('b'), text('c'), stop]).plugin,
      wrapping({ generation: () => ({ write: () => Promise.reject(new Error('broken')) as never }) }),
    ],
  })
  t.teardown(under.stop)
  t.equal((await ask(under, body)).status, 200)
  await new Promise(resolve => setImmediate(resolve))
  t.equal(under.logs.filter(line => line.includes('a call wrapper failed')).length, 1)
})

t.test('a wrapper does not see what its agreements exclude', async t => {
  const agreement = { zdr: { policy_url: 'https://example.com/zdr', excludes: ['tools'] as const }, hipaa: false as const }
  const looker = looking({ seesContent: agreement })
  const zdrPolicy = { policy_url: 'https://example.com/zdr' }
  const under = await gateway({
    plugins: [unasked().plugin, zdr({}), listing({ model: 'm', endpoints: [{ provider: 'acme', zdr: zdrPolicy }] }), looker.plugin],
    key: { policy: { zdr: { value: true } } },
  })
  t.teardown(under.stop)
  t.equal((await ask(under, { model: 'm' })).status, 200)
  t.equal(looker.calls.length, 1)
  t.equal((await ask(under, { model: 'm', tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }] })).status, 200)
  t.equal(looker.calls.length, 1)
})
