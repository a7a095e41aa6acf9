import t, { type Test } from 'tap'
import { WebSocket } from 'undici'
import { CallObservers, definePlugin, GatewayError, ProviderFailure, type CallObserver, type GuardSession } from '../../../core/index.ts'
import { GatewayServices } from '../../../core/kit.ts'
import type { BegunCall, BegunTool, ClosedRequest, EndedAttempt, EndedCall, EndedTool, GuardLook, MadePlan } from '../../../core/kit.ts'
import decisionRoute from '../../../plugins/endpoints/decisions/index.ts'
import responsesWebSocket from '../../../plugins/endpoints/responses-websocket/index.ts'
import { decide, deciding } from '../../kit/decision-stage.ts'
import { gateway, hello, listeningGateway, saying, scripted, type GatewayUnderTest } from '../../kit/gateway.ts'
import { adding, ask, guarding, listing, stop, text, usage, witness } from '../../kit/stage.ts'
import { TextSink } from '../../kit/text-sink.ts'
import { calling, lookup, toCall } from '../../kit/tool-stage.ts'

const trace = '0af7651916cd43dd8448eb211c80319c'
const callersSpan = 'b7ad6b7169203331'
const callers = `00-${trace}-${callersSpan}-01`
const own = (span: string) => `00-${trace}-${span.repeat(16)}-01`

let made = 0

interface Told {
  readonly calls: BegunCall[]
  readonly closed: ClosedRequest[]
  readonly plans: MadePlan[]
  readonly looks: GuardLook[]
  readonly tools: { readonly begun: BegunTool; readonly ended: EndedTool }[]
  readonly attempts: EndedAttempt[]
  readonly ends: EndedCall[]
}

/** Keeps everything it gets. `traceparent`: of each attempt. */
function witnessing(traceparent?: string) {
  const told: Told = { calls: [], closed: [], plans: [], looks: [], tools: [], attempts: [], ends: [] }
  const plugin = adding<CallObserver>(CallObservers, {
    name: `witness-${++made}`,
    begin(call) {
      told.calls.push(call)
      return {
        attempt: () => ({ traceparent, end: ended => void told.attempts.push(ended) }),
        planned: plan => void told.plans.push(plan),
        guarded: look => void told.looks.push(look),
        tool: begun => ended => void told.tools.push({ begun, ended }),
        end: ended => void told.ends.push(ended),
      }
    },
    closed: request => void told.closed.push(request),
  })
  return { plugin, told }
}

async function open(t: Test, options: Parameters<typeof gateway>[0]): Promise<GatewayUnderTest> {
  const under = await gateway(options)
  t.teardown(under.stop)
  return under
}

t.test('every request with a record is told once, also those that never became a call', async t => {
  const { plugin, told } = witnessing()
  const models = listing({ model: 'm', endpoints: [{ provider: 'acme', price: { input: 1, output: 1 } }] })
  const key = { name: 'k', org: 'demo-org', team: 'demo-team', policy: { zdr: { value: false }, logging: { value: true } } }
  const under = await open(t, { plugins: [saying('acme', hello), models, plugin], key })
  const requests: readonly (() => Promise<unknown>)[] = [
    () => ask(under, { model: 'm' }),
    () => ask(under, { model: 'm', stream: true }),
    () => ask(under, { model: 'unknown' }),
    () => under.request('/v1/responses', { body: '{' }),
    () =>
      under.request('/v1/responses', {
        body: { model: 'm', input: 'hi' },
        headers: { authorization: 'Bearer wrong', traceparent: callers },
      }),
    () => under.request('/v1/models'),
    () => under.request('/v1/nothing'),
    () => under.request('/v1/responses/health'),
  ]
  for (const request of requests) await request()
  const records = await under.recorded(requests.length - 1)
  t.equal(told.closed.length, requests.length - 1, 'health checks have no record')
  for (const [index, record] of records.entries()) {
    const { id, at, elapsedMs, method, status, errorCode, surface, kind, keyId, org, team, provider, model, stream, usage, costUsd } =
      record
    const facts = { id, at, elapsedMs, method, status, errorCode, surface, kind, keyId, org, team, provider, model, stream, usage, costUsd }
    t.match(told.closed[index], { ...facts, attempts: record.attempts.length })
    t.equal(told.closed[index]!.reason?.kind ?? null, record.reason)
  }
  t.match(told.closed, [
    { status: 200, org: 'demo-org', team: 'demo-team', model: 'm', isListed: true, policy: { zdr: false, logging: true }, trace: null },
    { status: 200, stream: true },
    { status: 400, model: null, isListed: false, firstEventMs: null },
    { status: 400, kind: null },
    { status: 401, keyId: null, policy: null, trace: { traceId: trace } },
    { status: 200, method: 'GET' },
    { status: 404 },
  ])
  for (const { firstEventMs, elapsedMs } of told.closed.slice(0, 2)) t.ok(firstEventMs! > 0 && firstEventMs! <= elapsedMs)
  for (const { firstEventMs } of told.ends.slice(0, 2)) t.ok(firstEventMs! > 0)
  t.match(told.calls[0], { team: 'demo-team', trace: null, session: null })
  t.equal(told.calls.length, 3)
})

t.test('a model that the caller made up is told as such', async t => {
  for (const logging of [true, false]) {
    const { plugin, told } = witnessing()
    const under = await open(t, { plugins: [saying('acme', hello), plugin], key: { name: 'k', policy: { logging: { value: logging } } } })
    await ask(under, { model: 'acme/made-up' })
    await under.recorded(1)
    for (const each of [told.closed[0], told.ends[0]])
      t.match(each, { provider: 'acme', model: logging ? 'made-up' : null, isListed: false })
    t.equal(JSON.stringify(told).includes('made-up'), logging)
  }
})

t.test('the trace and the session of a call', async t => {
  const { plugin, told } = witnessing()
  const acme = witness('acme', () => hello)
  const under = await open(t, { plugins: [acme.plugin, plugin] })
  const send = (headers: Record<string, string>, more = {}) =>
    under.request('/v1/responses', { body: { model: 'acme/m', input: 'hi', ...more }, headers })
  await send({ traceparent: callers, tracestate: 'demo=1', baggage: 'user=mallory' })
  await send({ traceparent: `${callers}x` })
  await send({}, { session_id: 'a session of mine' })
  const records = await under.recorded(3)
  t.match(told.calls, [
    { trace: { traceId: trace, spanId: callersSpan, isSampled: true }, session: null },
    { trace: null },
    { trace: null, session: records[2]!.session },
  ])
  t.match(told.closed[0], { trace: { traceId: trace } })
  t.notMatch(JSON.stringify(told), /a session of mine|mallory|demo=1/)
  for (const { traceparent } of acme.calls) t.equal(traceparent, undefined, 'the header of the caller is not passed on')
})

t.test('the first observer that gives a traceparent wins, for generations and decisions', async t => {
  const silent = witnessing()
  const first = witnessing(own('1'))
  const second = witnessing(own('2'))
  const acme = witness('acme', () => hello)
  const judge = deciding('dm')
  const plugins = [acme.plugin, judge.plugin, decisionRoute({}), silent.plugin, first.plugin, second.plugin]
  const under = await open(t, { plugins })
  await ask(under, { model: 'acme/m' })
  await decide(under)
  t.equal(acme.calls[0]!.traceparent, own('1'))
  t.equal(judge.calls[0]!.traceparent, own('1'))
  for (const { told } of [silent, first, second]) t.equal(told.attempts.length, 2)
})

t.test('a traceparent that is none is not sent, and logged once', async t => {
  for (const bad of [callers.toUpperCase(), `${callers}\r\nx-evil: 1`, 7 as never, '']) {
    const { plugin, told } = witnessing(bad)
    const acme = witness('acme', () => hello)
    const under = await open(t, { plugins: [acme.plugin, plugin] })
    for (const _ of [1, 2]) t.equal((await ask(under, { model: 'acme/m' })).status, 200)
    t.equal(acme.calls[0]!.traceparent, undefined)
    t.equal(told.attempts.length, 0)
    const lines = under.logs.filter(line => line.includes('a call observer failed'))
    t.equal(lines.length, 1)
    t.match(lines[0], /expected a traceparent of W3C Trace Context/)
    t.notMatch(lines[0], /evil/)
  }
})

t.test('the plan: how many endpoints, and by which sort', async t => {
  const { plugin, told } = witnessing()
  const endpoints = [{ provider: 'acme' }, { provider: 'globex' }]
  const under = await open(t, { plugins: [saying('acme', hello), saying('globex', hello), listing({ model: 'm', endpoints }), plugin] })
  await ask(under, { model: 'm', routing: { provider: { sort: 'throughput' } } })
  await ask(under, { model: 'acme/m' })
  await ask(under, { model: 'unknown' })
  t.match(told.plans, [
    { candidates: 2, sort: 'throughput' },
    { candidates: 1, sort: null },
  ])
  t.equal(told.plans.length, 2, 'a request without endpoints has no plan')
  for (const { at, elapsedMs } of told.plans) t.ok(at >= told.calls[0]!.at && elapsedMs >= 0)
})

const refusal = new GatewayError({ status: 403, type: 'permission_error', code: 'refused', message: 'No.' })
const broken = (): never => {
  throw new Error('broken')
}

t.test('guardrails: what came of each look at the input and at the answer', async t => {
  const filter = (push: (text: string) => string, flush: () => string = () => '') => ({ output: () => ({ push, flush }) })
  let held = ''
  const holding = filter(
    piece => {
      held += piece
      return ''
    },
    () => held.replace('never', 'Never'),
  )
  const cases: readonly [string, GuardSession, object, readonly [GuardLook['stage'], GuardLook['outcome']][]][] = [
    ['passes', { input: () => ({ pass: true }) }, {}, [['input', 'passed']]],
    ['changes', { input: request => ({ replace: { ...request } }) }, {}, [['input', 'changed']]],
    ['refuses', { input: () => ({ refuse: refusal }) }, {}, [['input', 'refused']]],
    ['throws a refusal', { input: () => Promise.reject(refusal) }, {}, [['input', 'refused']]],
    ['fails', { input: broken }, {}, [['input', 'failed']]],
    ['fails, and may', { input: broken }, { onFailure: 'allow' }, [['input', 'failed']]],
    ['lets text pass', filter(piece => piece), {}, [['output', 'passed']]],
    ['holds text back', holding, {}, [['output', 'passed']]],
    ['changes text', filter(piece => piece.toUpperCase()), {}, [['output', 'changed']]],
    ['drops text', filter(() => ''), {}, [['output', 'changed']]],
    ['fails at text', filter(broken), {}, [['output', 'failed']]],
    ['fails at text, and may', filter(broken), { onFailure: 'allow' }, [['output', 'failed']]],
    ['checks items', { item: () => ({ pass: true }) }, {}, [['output', 'passed']]],
    ['changes items', { item: ({ texts }) => ({ replace: texts.map(() => 'x') }) }, {}, [['output', 'changed']]],
    ['refuses items', { item: () => ({ refuse: refusal }) }, {}, [['output', 'refused']]],
    [
      'does both',
      { input: () => ({ pass: true }), item: () => ({ refuse: refusal }) },
      {},
      [
        ['input', 'passed'],
        ['output', 'refused'],
      ],
    ],
    ['allows no endpoint', { route: () => false }, {}, [['input', 'refused']]],
  ]
  const { plugin, told } = witnessing()
  const guards = cases.map(([name, session, more]) => guarding(session, { name, applies: 'key', ...more }))
  const under = await open(t, { plugins: [saying('acme', [usage(3, 2), text('one '), text('two'), stop]), ...guards, plugin] })
  for (const [name, , , looks] of cases) {
    told.looks.length = 0
    const apiKey = await under.gateway.issueKey({ name, guardrails: [name] })
    const body = { model: 'acme/m', input: 'hi' }
    await (await under.request('/v1/responses', { body, headers: { authorization: `Bearer ${apiKey}` } })).text()
    t.same(
      told.looks.map(({ guardrail, stage, outcome }) => [guardrail, stage, outcome]),
      looks.map(look => [name, ...look]),
      name,
    )
    for (const { at, elapsedMs } of told.looks) t.ok(at >= told.calls[0]!.at && elapsedMs >= 0)
  }
})

t.test('a guardrail that saw a part of an answer which then breaks off is not told', async t => {
  const { plugin, told } = witnessing()
  const breaking = scripted('acme', async function* () {
    yield usage(3, 2)
    yield text('one')
    throw new ProviderFailure({ kind: 'network', message: 'Broke.', progress: 'answering' })
  })
  const under = await open(t, { plugins: [breaking, guarding({ item: () => ({ pass: true }), input: () => ({ pass: true }) }), plugin] })
  await ask(under, { model: 'acme/m', stream: true })
  t.match(told.looks, [{ stage: 'input', outcome: 'passed' }])
  t.equal(told.looks.length, 1)
})

t.test('each run of a tool is told by the type of the tool', async t => {
  const { plugin, told } = witnessing()
  const acme = witness('acme', (_, count) =>
    count === 1
      ? [...['a', 'b', 'c'].flatMap(word => calling('lookup', { word }, word)), usage(3, 2), toCall]
      : [text('Found.'), usage(3, 2), stop],
  )
  const tool = lookup(({ arguments: { word } }) => {
    if (word === 'b') throw new Error('broken')
    return { output: 'found', failed: word === 'c' }
  })
  const under = await open(t, { plugins: [acme.plugin, tool.plugin, plugin] })
  await ask(under, { model: 'acme/m', tools: [{ type: 'lookup' }] })
  t.match(told.tools.map(({ begun, ended }) => `${begun.type} ${ended.isFailed}`).toSorted(), [
    'lookup false',
    'lookup true',
    'lookup true',
  ])
  for (const { begun, ended } of told.tools) t.ok(begun.at >= told.calls[0]!.at && ended.elapsedMs >= 0)
})

t.test('an attempt says how long it waited for a place', async t => {
  const { plugin, told } = witnessing()
  const first = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  let count = 0
  const slow = scripted(
    'acme',
    async function* () {
      if (++count === 1) {
        arrived.resolve()
        await first.promise
      }
      yield* hello
    },
    { maxConcurrent: 1 },
  )
  const under = await open(t, { plugins: [slow, plugin] })
  const asking = [ask(under, { model: 'acme/m' })]
  await arrived.promise
  asking.push(ask(under, { model: 'acme/m' }))
  while (told.calls.length < 2) await new Promise(resolve => setImmediate(resolve))
  await new Promise(resolve => setTimeout(resolve, 5))
  first.resolve()
  await Promise.all(asking)
  t.equal(told.attempts[0]!.queuedMs, 0)
  t.ok(told.attempts[1]!.queuedMs > 0)
})

t.test('an observer without `closed` and one that breaks harm nothing', async t => {
  const bad = adding<CallObserver>(CallObservers, { name: 'bad', begin: () => undefined, closed: broken })
  const { plugin, told } = witnessing()
  const under = await open(t, { plugins: [saying('acme', hello), bad, plugin] })
  for (const _ of [1, 2, 3]) t.equal((await ask(under, { model: 'acme/m' })).status, 200)
  await under.recorded(3)
  t.equal(told.closed.length, 3)
  t.equal(under.logs.filter(line => line.includes('a call observer failed')).length, 1)
  t.match(
    under.logs.find(line => line.includes('a call observer failed')),
    /"in":"closed"/,
  )
  const undeclared = adding<CallObserver>(CallObservers, { name: 'worse', begin: () => undefined, closed: 7 as never })
  await t.rejects(gateway({ plugins: [undeclared] }), /closed/)
})

t.test('an observer gets its observation again: with the next call of the request, and when the record is closed', async t => {
  const told: unknown[] = []
  const naming = adding<CallObserver>(CallObservers, {
    name: 'naming',
    begin({ kind }, earlier) {
      told.push(['begin', kind, earlier])
      return earlier ?? ({ name: 'own' } as object)
    },
    closed: (request, observation) => void told.push(['closed', request.status, observation]),
  })
  const silent = adding<CallObserver>(CallObservers, {
    name: 'silent',
    begin: (_, earlier) => void told.push(['silent', earlier]),
    closed: (_, observation) => void told.push(['silent closed', observation]),
  })
  let services: GatewayServices | undefined
  const twice = definePlugin({
    name: 'twice',
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { gateway: GatewayServices },
    setup: (registrar, _, { gateway }) => registrar.onStart(() => void (services = gateway)),
  })({})
  const under = await open(t, { plugins: [saying('acme', hello), deciding('judge').plugin, naming, silent, twice] })
  const scope = await services!.openScope({ authorization: `Bearer ${under.apiKey}`, method: 'QUEUE', path: 'orders', idPrefix: 'msg' })
  const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }] as const
  await services!.generate(scope, { model: 'acme/m', input }, new TextSink()).finished
  await services!.decide(scope, { model: 'judge/one-1', state: 'It rains.', questions: { wet: { type: 'noul', instructions: 'Wet?' } } })
  scope.close(200)
  await ask(under, { model: 'acme/m' }, { authorization: 'Bearer wrong' })
  await under.recorded(2)
  const own = { name: 'own' }
  t.same(told, [
    ['begin', 'generation', undefined],
    ['silent', undefined],
    ['begin', 'decision', own],
    ['silent', undefined],
    ['closed', 200, own],
    ['silent closed', undefined],
    ['closed', 401, undefined],
    ['silent closed', undefined],
  ])
})

t.test('messages of a connection go on with the trace of its upgrade', async t => {
  const { plugin, told } = witnessing()
  const under = await listeningGateway({ plugins: [saying('acme', hello), responsesWebSocket({}), plugin] })
  t.teardown(under.stop)
  const headers = { authorization: `Bearer ${under.apiKey}`, traceparent: callers }
  const socket = new WebSocket(`${under.url.replace('http', 'ws')}/v1/responses`, { headers })
  await new Promise(resolve => socket.addEventListener('open', resolve, { once: true }))
  const done = new Promise<void>(resolve => {
    socket.addEventListener('message', ({ data }) => {
      if (String(data).includes('"response.completed"')) resolve()
    })
  })
  socket.send(JSON.stringify({ type: 'response.create', model: 'acme/m', input: 'hi' }))
  await done
  socket.close()
  await under.recorded(2)
  t.match(told.calls, [{ trace: { traceId: trace, spanId: callersSpan } }])
  t.match(told.closed, [
    { method: 'WEBSOCKET', status: 200, trace: { traceId: trace } },
    { method: 'GET', status: 101, kind: null, trace: { traceId: trace } },
  ])
})
