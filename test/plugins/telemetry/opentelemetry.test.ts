import t from 'tap'
import { callObserverSuite } from '../../../core/testing/index.ts'
import { ProviderFailure } from '../../../core/index.ts'
import decisionRoute from '../../../plugins/endpoints/decisions/index.ts'
import embeddingsRoute from '../../../plugins/endpoints/embeddings/index.ts'
import opentelemetry from '../../../plugins/telemetry/opentelemetry/index.ts'
import { Sampling } from '../../../plugins/telemetry/opentelemetry/sampling.ts'
import { newTraceId } from '../../../plugins/telemetry/opentelemetry/trace-ids.ts'
import { decide, deciding } from '../../kit/decision-stage.ts'
import { basics, gateway, hello, saying, scripted } from '../../kit/gateway.ts'
import { ask, guarding, listing, stop, text, usage, witness } from '../../kit/stage.ts'
import { calling, lookup, toCall } from '../../kit/tool-stage.ts'
import type { Decoded } from './otlp.ts'
import { telemetryStage, type TelemetryOptions } from './stage.ts'

const callersTrace = '0af7651916cd43dd8448eb211c80319c'
const callersSpan = 'b7ad6b7169203331'
const models = listing({ model: 'm', endpoints: [{ provider: 'acme', price: { input: 1, output: 1 } }] })
const internal = 1
const server = 2
const client = 3

t.test('the suite of observers', async t => {
  // Nobody listens there, and nobody notices.
  callObserverSuite(t, { plugin: () => opentelemetry({ endpoint: 'http://127.0.0.1:9', flushMs: 0 }), plugins: basics })
})

t.test('a request is a span, with one for its plan and one for its attempt below it', async t => {
  const acme = witness('acme', () => hello)
  const key = { name: 'k', org: 'demo-org', team: 'demo-team' }
  const { under, collector, finish } = await telemetryStage(t, { requestLogs: 'all' }, { plugins: [acme.plugin, models], key })
  const traceparent = `00-${callersTrace}-${callersSpan}-01`
  const body = { model: 'm', input: 'hi', stream: true, session_id: 'a session' }
  const reply = await under.request('/v1/responses', { body, headers: { traceparent, tracestate: 'demo=1', baggage: 'user=demo' } })
  await reply.text()
  const [record] = await under.recorded(1)
  await finish()
  const spans = collector.spans()
  t.equal(spans.length, 3)
  for (const { trace_id } of spans) t.equal(trace_id, callersTrace)
  const [plan, attempt, request] = spans as [Decoded, Decoded, Decoded]
  t.match(request, {
    name: 'POST responses',
    kind: server,
    parent_span_id: callersSpan,
    status: undefined,
    flags: 0x301,
    at: {
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'turnpike.request.id': record!.id,
      'turnpike.surface': 'responses',
      'turnpike.kind': 'generation',
      'turnpike.key': record!.keyId,
      'turnpike.org': 'demo-org',
      'turnpike.team': 'demo-team',
      'turnpike.provider': 'acme',
      'turnpike.model': 'm',
      'turnpike.attempts': 1,
      'turnpike.input_tokens': 3,
      'turnpike.output_tokens': 2,
      'turnpike.cost_usd': 5 / 1e6,
      'gen_ai.conversation.id': record!.session,
    },
  })
  t.match(plan, { name: 'plan', kind: internal, parent_span_id: request['span_id'], flags: 0x101, at: { 'turnpike.plan.candidates': 1 } })
  t.match(attempt, {
    name: 'chat m',
    kind: client,
    parent_span_id: request['span_id'],
    at: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'acme',
      'gen_ai.request.model': 'm',
      'gen_ai.request.stream': true,
      'gen_ai.usage.input_tokens': 3,
      'gen_ai.usage.output_tokens': 2,
      'gen_ai.conversation.id': record!.session,
      'turnpike.outcome': 'ok',
    },
  })
  t.ok(attempt['at']['gen_ai.response.time_to_first_chunk'] >= 0)
  t.equal(acme.calls[0]!.traceparent, `00-${callersTrace}-${attempt['span_id']}-01`)
  const times = (span: Decoded) => [BigInt(span['start_time_unix_nano']), BigInt(span['end_time_unix_nano'])] as const
  const [start, end] = times(request)
  t.ok(Math.abs(Number(start) / 1e6 - record!.at) < 0.01)
  t.ok(Math.abs(Number(end - start) / 1e6 - record!.elapsedMs) < 0.01)
  for (const span of [plan, attempt]) t.ok(times(span)[0] >= start && times(span)[1] >= times(span)[0])
  t.notMatch(collector.text(), /a session|demo=1|user=demo/)

  const resource = collector.received[0]!.body.toString('latin1')
  for (const part of ['service.name', 'turnpike', 'service.instance.id', 'host.name']) t.ok(resource.includes(part), part)
  const [log] = collector.logs()
  t.match(log, {
    trace_id: callersTrace,
    span_id: request['span_id'],
    flags: 1,
    severity_text: 'INFO',
    event_name: 'turnpike.request',
    body: { string_value: 'POST responses 200' },
    at: { 'turnpike.request.id': record!.id, 'turnpike.model': 'm' },
  })
})

t.test('what went wrong is in spans, metrics and log records', async t => {
  let count = 0
  const failing = scripted('acme', async function* () {
    if (++count === 1) throw new ProviderFailure({ kind: 'unavailable', status: 503, message: 'Down, said demo-secret.' })
    yield usage(3, 2)
    yield text('one')
    throw new ProviderFailure({ kind: 'network', message: 'Broke.', progress: 'answering' })
  })
  const endpoints = [{ provider: 'acme' }, { provider: 'globex' }]
  const list = listing({ model: 'm', endpoints }, { model: 'n', endpoints: [{ provider: 'acme' }] })
  const { under, collector, finish } = await telemetryStage(t, {}, { plugins: [failing, saying('globex', hello), list] })
  await ask(under, { model: 'm' })
  await ask(under, { model: 'n', stream: true })
  await ask(under, { model: 'unknown-to-all' })
  await under.request('/v1/responses', { body: { model: 'm', input: 'hi' }, headers: { authorization: 'Bearer wrong' } })
  await under.recorded(4)
  await finish()
  const attempts = collector.spans().filter(({ kind }) => kind === client)
  t.match(attempts, [
    { status: { code: 2 }, at: { 'error.type': 'unavailable', 'turnpike.vendor.status_code': 503, 'turnpike.provider': 'acme' } },
    { status: undefined, at: { 'error.type': undefined, 'turnpike.provider': 'globex' } },
    { status: { code: 2 }, at: { 'error.type': 'network' } },
  ])
  const requests = collector.spans().filter(({ kind }) => kind === server)
  t.match(requests, [
    { status: undefined, at: { 'turnpike.attempts': 2 } },
    { status: { code: 2 }, at: { 'http.response.status_code': 200, 'error.type': 'provider_error' } },
    { status: undefined, at: { 'http.response.status_code': 400 } },
    { status: undefined, at: { 'http.response.status_code': 401, 'turnpike.failure.reason': 'authentication', 'turnpike.key': undefined } },
  ])
  t.match(
    collector.logs().map(({ severity_text }) => severity_text),
    ['ERROR', 'WARN', 'WARN'],
    'those that succeeded have spans only',
  )
  const durations = collector.metrics().get('gen_ai.client.operation.duration')!
  t.match(
    durations.map(({ at, count }) => [at['gen_ai.provider.name'], at['gen_ai.request.model'], at['error.type'] ?? null, count]),
    [
      ['acme', 'm', 'unavailable', '1'],
      ['globex', 'm', null, '1'],
      ['acme', 'n', 'network', '1'],
    ],
  )
  t.notMatch(collector.text(), /demo-secret|unknown-to-all/)
})

t.test('metrics of both versions of the conventions', async t => {
  const cached = {
    type: 'usage',
    usage: { uncachedInput: 3, cacheRead: 10, cacheWrite5m: 4, cacheWrite1h: 1, output: 5, reasoning: 2 },
  } as const
  for (const conventions of ['1.41', 'latest'] as const) {
    const acme = saying('acme', [text('one'), cached, stop])
    const { under, collector, finish } = await telemetryStage(t, { conventions }, { plugins: [acme, models] })
    for (const stream of [true, false, true]) await ask(under, { model: 'm', stream })
    await under.recorded(3)
    await finish()
    const metrics = collector.metrics()
    const labels = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'acme', 'gen_ai.request.model': 'm' }
    const bounds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
    const isReleased = conventions === '1.41'
    const prefix = isReleased ? 'gen_ai.client.operation' : 'gen_ai.client.inference'
    t.match(metrics.get(`${prefix}.duration`), [{ count: '3', explicit_bounds: bounds, at: labels }])
    t.match(metrics.get(`${prefix}.time_to_first_chunk`), [{ count: '2', explicit_bounds: bounds, at: labels }])
    if (isReleased) {
      t.match(metrics.get('gen_ai.client.token.usage'), [
        { count: '3', sum: 54, min: 18, max: 18, at: { ...labels, 'gen_ai.token.type': 'input' } },
        { count: '3', sum: 15, at: { ...labels, 'gen_ai.token.type': 'output' } },
      ])
      t.equal(metrics.get('gen_ai.client.token.usage')![0]!['bucket_counts'].length, 15)
    } else {
      const sums = {
        input_tokens: 54,
        output_tokens: 15,
        'cache_read.input_tokens': 30,
        'cache_write.input_tokens': 15,
        'reasoning.output_tokens': 6,
      }
      for (const [name, as_double] of Object.entries(sums))
        t.match(
          metrics.get(`gen_ai.client.inference.usage.${name}`),
          [{ as_double, at: { ...labels, 'gen_ai.token.modality': 'unknown' } }],
          name,
        )
      t.match(metrics.get('gen_ai.client.inference.operation.input_tokens'), [{ count: '3', sum: 54 }])
    }
    const [attempt] = collector.spans().filter(({ kind }) => kind === client)
    const written = isReleased ? 'gen_ai.usage.cache_creation.input_tokens' : 'gen_ai.usage.cache_write.input_tokens'
    t.match(attempt!['at'], { [written]: 5, 'gen_ai.usage.cache_read.input_tokens': 10, 'gen_ai.usage.reasoning.output_tokens': 2 })
    t.match(metrics.get('turnpike.request.duration'), [
      { count: '3', at: { 'turnpike.surface': 'responses', 'http.response.status_code': 200 } },
    ])
    t.match(metrics.get('turnpike.request.cost'), [{ at: labels }])
    t.ok(metrics.get('turnpike.request.cost')![0]!['as_double'] > 0)
  }
})

t.test('tools, guardrails, decisions and embeddings', async t => {
  const acme = witness('acme', (_, count) =>
    count === 1 ? [...calling('lookup', { word: 'a' }), usage(3, 2), toCall] : [text('Found.'), usage(3, 2), stop],
  )
  const guard = guarding({ input: () => ({ pass: true }), decision: () => ({ pass: true }) }, { name: 'demo-guard' })
  const plugins = [acme.plugin, lookup().plugin, guard, models, deciding('dm').plugin, decisionRoute({}), embeddingsRoute({})]
  const { under, collector, finish } = await telemetryStage(t, { conventions: 'latest' }, { plugins })
  await ask(under, { model: 'm', tools: [{ type: 'lookup' }] })
  await decide(under)
  await finish()
  const named = (name: string) => collector.spans().filter(span => span['name'] === name)
  t.match(named('execute_tool lookup'), [
    { kind: internal, at: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'lookup', 'error.type': undefined } },
  ])
  const looks = named('guardrail demo-guard')
  t.ok(looks.length >= 2, 'one for each round of the generation')
  t.match(looks[0], { at: { 'turnpike.guardrail.stage': 'input', 'turnpike.guardrail.outcome': undefined, 'turnpike.outcome': 'passed' } })
  t.match(named('decision one-1'), [{ kind: client, at: { 'gen_ai.provider.name': 'dm', 'gen_ai.usage.input_tokens': 100 } }])
  t.match(collector.metrics().get('gen_ai.execute_tool.duration'), [{ count: '1', at: { 'gen_ai.tool.name': 'lookup' } }])
  t.match(collector.metrics().get('gen_ai.client.operation.duration'), [{ at: { 'gen_ai.operation.name': 'decision' } }])
  t.ok(collector.metrics().get('turnpike.guardrail.looks'))
})

t.test('names that callers made up are in no attribute, even with logging on', async t => {
  const key = { name: 'k', policy: { logging: { value: true } } }
  const { under, collector, finish } = await telemetryStage(t, {}, { plugins: [saying('acme', hello), models], key })
  for (let index = 0; index < 100; index++) await ask(under, { model: `acme/made-up-${index}`, stream: index % 2 === 0 })
  await ask(under, { model: 'm' })
  await under.recorded(101)
  await finish()
  t.notMatch(collector.text(), /made-up/)
  t.equal(collector.spans().length, 303)
  const durations = collector.metrics().get('gen_ai.client.operation.duration')!
  t.match(
    durations.map(({ at, count }) => [at['gen_ai.request.model'] ?? null, count]),
    [
      [null, '100'],
      ['m', '1'],
    ],
  )
})

t.test('sampling: at most so many traces a second, spread over it', async t => {
  const sampling = new Sampling({ ratio: 1, parent: true, maxPerSecond: 10 })
  const callers = { traceId: callersTrace, spanId: callersSpan, isSampled: true }
  const keptAt = (atMs: number, count: number) =>
    Array.from({ length: count }, () => sampling.keeps(callersTrace, callers, atMs)).filter(Boolean).length
  t.equal(keptAt(5_000, 100), 10)
  t.equal(keptAt(5_050, 100), 0)
  t.equal(keptAt(5_100, 100), 1)
  t.equal(keptAt(5_090, 100), 0, 'requests need not come in the order of their arrival')
  const busy = Array.from({ length: 1_000 }, (_, ms) => keptAt(6_000 + ms, 20))
  t.ok(Math.max(...busy.slice(1)) <= 1)
  t.equal(keptAt(60_000, 100), 10)
})

t.test('sampling: as the caller says, else by the ratio', async t => {
  const trace = (isSampled: boolean) => ({ traceId: callersTrace, spanId: callersSpan, isSampled })
  const low = `${callersTrace.slice(0, 18)}${'1'.repeat(14)}`
  const cases: readonly [ratio: number, parent: boolean, traceId: string, ReturnType<typeof trace> | null, isKept: boolean][] = [
    [1, true, low, null, true],
    [1, true, callersTrace, trace(true), true],
    [1, true, callersTrace, trace(false), false],
    [0, true, low, null, false],
    [0, true, callersTrace, trace(true), true],
    [0, false, callersTrace, trace(true), false],
    [1, false, callersTrace, trace(false), true],
    [0.5, true, low, null, false],
    [0.95, false, low, trace(false), true],
  ]
  for (const [ratio, parent, traceId, given, isKept] of cases)
    t.equal(new Sampling({ ratio, parent, maxPerSecond: 1 }).keeps(traceId, given, 0), isKept, JSON.stringify([ratio, parent, given]))
  const half = new Sampling({ ratio: 0.5, parent: true, maxPerSecond: 1_000_000 })
  const kept = Array.from({ length: 2_000 }, () => half.keeps(newTraceId(), null, 0)).filter(Boolean).length
  t.ok(kept > 800 && kept < 1_200, `${kept} of 2,000`)

  const acme = witness('acme', () => hello)
  const { under, collector, finish } = await telemetryStage(t, { requestLogs: 'all' }, { plugins: [acme.plugin, models] })
  const headers = { traceparent: `00-${callersTrace}-${callersSpan}-00` }
  await under.request('/v1/responses', { body: { model: 'm', input: 'hi' }, headers })
  await under.recorded(1)
  await finish()
  t.equal(collector.spans().length, 0)
  t.match(collector.logs(), [{ flags: 0, trace_id: callersTrace }], 'log records do not depend on it')
  t.ok(collector.metrics().has('gen_ai.client.operation.duration'), 'and so are metrics')
  t.match(acme.calls[0]!.traceparent, new RegExp(`^00-${callersTrace}-[0-9a-f]{16}-00$`))
})

t.test('signals, addresses, accounts and propagation are options', async t => {
  const acme = witness('acme', () => hello)
  const options: TelemetryOptions = {
    signals: ['traces'],
    propagate: false,
    accounts: false,
    serviceName: 'demo-gateway',
    resource: { 'deployment.environment.name': 'demo', replica: 7 },
    headers: { Authorization: 'Bearer demo-token' },
    signalHeaders: { traces: { 'x-dataset': 'demo' } },
    compression: 'gzip',
  }
  const key = { name: 'k', org: 'demo-org' }
  const { under, collector, finish } = await telemetryStage(t, options, { plugins: [acme.plugin, models], key })
  await ask(under, { model: 'm' })
  await finish()
  t.same(new Set(collector.received.map(({ path }) => path)), new Set(['/v1/traces']))
  t.equal(acme.calls[0]!.traceparent, undefined)
  t.match(collector.received[0]!.headers, {
    authorization: 'Bearer demo-token',
    'x-dataset': 'demo',
    'content-encoding': 'gzip',
    'content-type': 'application/x-protobuf',
  })
  const body = collector.received[0]!.body.toString('latin1')
  for (const part of ['demo-gateway', 'deployment.environment.name']) t.ok(body.includes(part))
  t.notOk(body.includes('demo-org'))
  t.notMatch(under.logs.join('\n'), /demo-token/)
})

t.test('options that cannot work end the start', async t => {
  const bad: readonly [object, RegExp][] = [
    [{ endpoint: 'ftp://collector.example.com' }, /endpoint/],
    [{ endpoint: 'http://user:demo-password@collector.example.com' }, /endpoint/],
    [{ endpoint: 'https://collector.example.com/?key=demo-password' }, /endpoint/],
    [{ content: true, signals: ['metrics'] }, /needs traces and logs/],
    [{ headers: { authorization: 'demo\nsecret' } }, /header "authorization"/],
    [{ sampling: { ratio: 2 } }, /ratio/],
    [{ conventions: '1.36' }, /conventions/],
  ]
  for (const [options, message] of bad) {
    const error = await gateway({ plugins: [opentelemetry({ endpoint: 'http://127.0.0.1:9', ...options } as never)] }).catch(
      caught => caught,
    )
    t.match(error.message, message)
    t.notMatch(error.message, /demo-password|demo\nsecret/)
  }
})

t.test('usage of a model is only what the vendor reported', async t => {
  const { under, collector, finish } = await telemetryStage(t, {}, { plugins: [saying('acme', [text('a'), usage(7, 2), stop]), models] })
  await ask(under, { model: 'm' })
  await finish()
  const [attempt] = collector.spans().filter(({ kind }) => kind === client)
  t.match(attempt!['at'], { 'gen_ai.usage.input_tokens': 7, 'gen_ai.usage.output_tokens': 2 })
})

t.test('metrics tell how the process is doing', async t => {
  const acme = saying('acme', hello, { maxConcurrent: 7 })
  const { under, collector, finish } = await telemetryStage(t, { signals: ['metrics'], metricIntervalMs: 20 }, { plugins: [acme, models] })
  await ask(under, { model: 'm' })
  while (collector.count < 2) await new Promise(resolve => setTimeout(resolve, 5))
  await finish()
  const metrics = collector.metrics()
  const provider = { at: { 'turnpike.provider': 'acme' } }
  t.match(metrics.get('turnpike.requests.active'), [{ as_double: 0 }])
  t.match(metrics.get('turnpike.provider.requests.waiting'), [{ ...provider, as_double: 0 }])
  t.match(
    metrics.get('turnpike.credentials.resting')!.find(({ at }) => at['turnpike.provider'] === 'acme'),
    { as_double: 0 },
  )
  t.ok(metrics.get('process.memory.usage')![0]!['as_double'] > 1e6)
  t.ok(metrics.get('nodejs.eventloop.delay.max'))
  t.ok(metrics.get('turnpike.store.calls')!.some(({ as_double }) => as_double > 0))
  t.ok(metrics.get('turnpike.records.waiting')!.some(({ at }) => at['turnpike.log_sink'] === 'kept'))
  t.match(metrics.get('turnpike.request.duration'), [{ count: '1' }])
})
