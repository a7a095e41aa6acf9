import t, { type Test } from 'tap'
import { invalidRequest, ProviderFailure } from '../../../core/index.ts'
import prometheus from '../../../plugins/telemetry/prometheus/index.ts'
import { hello, gateway, saying, scripted } from '../../kit/gateway.ts'
import { ask, guarding, listing } from '../../kit/stage.ts'
import { begun, call, observerOf } from './observing.ts'
import { namesIn, scrape, type Scraped } from '../../kit/scraped.ts'

function check(t: Test, { series }: Scraped, expected: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(expected)) t.equal(series.get(name), value, name)
}

t.test('requests, attempts, tokens and cost of a call', async t => {
  const { plugin, observer } = observerOf()
  const endpoints = [{ provider: 'acme' }, { provider: 'globex' }]
  const under = await gateway({
    plugins: [
      saying('acme', hello),
      saying('globex', hello),
      listing({ model: 'small', endpoints }),
      plugin,
      prometheus({ open: true, labels: ['team', 'key'] }),
    ],
  })
  t.teardown(under.stop)
  call(
    observer(),
    [
      { provider: 'acme', model: 'small', outcome: 'unavailable', firstEventMs: null, queuedMs: 500 },
      { provider: 'acme', model: 'small', outcome: 'unavailable', firstEventMs: null },
      { provider: 'globex', model: 'small' },
    ],
    { provider: 'globex' },
  )
  check(t, await scrape(under), {
    'turnpike_requests_total{surface="responses",kind="generation",status="2xx"}': 1,
    'turnpike_requests_total{surface="responses",kind="generation",status="5xx"}': 0,
    'turnpike_request_duration_seconds_bucket{surface="responses",kind="generation",le="1"}': 0,
    'turnpike_request_duration_seconds_bucket{surface="responses",kind="generation",le="2.5"}': 1,
    'turnpike_request_duration_seconds_sum{surface="responses",kind="generation"}': 1.5,
    'turnpike_request_first_event_seconds_count{surface="responses",kind="generation"}': 1,
    'turnpike_attempts_total{provider="acme",model="small",outcome="unavailable"}': 2,
    'turnpike_attempts_total{provider="globex",model="small",outcome="ok"}': 1,
    'turnpike_attempt_duration_seconds_count{provider="acme",model="small"}': 2,
    'turnpike_attempt_first_event_seconds_count{provider="acme",model="small"}': 0,
    'turnpike_failovers_total{provider="acme"}': 1,
    'turnpike_queue_wait_seconds_total{provider="acme"}': 0.5,
    'turnpike_tokens_total{provider="globex",model="small",kind="uncached_input"}': 10,
    'turnpike_tokens_total{provider="globex",model="small",kind="cached_input"}': 20,
    'turnpike_tokens_total{provider="globex",model="small",kind="cache_write"}': 7,
    'turnpike_tokens_total{provider="globex",model="small",kind="output"}': 42,
    'turnpike_tokens_total{provider="globex",model="small",kind="reasoning"}': 8,
    'turnpike_cost_usd_total{provider="globex",model="small"}': 0.25,
    'turnpike_unpriced_requests_total{provider="globex",model="small"}': 0,
    'turnpike_team_cost_usd_total{team="demo-team"}': 0.25,
    'turnpike_key_tokens_total{key="demo-key",kind="output"}': 42,
  })
})

t.test('errors, refusals, guardrails, hedges and calls that no model answered', async t => {
  const { plugin, observer } = observerOf()
  const under = await gateway({
    plugins: [saying('acme', hello), listing({ model: 'small', endpoints: [{ provider: 'acme' }] }), plugin, prometheus({ open: true })],
  })
  t.teardown(under.stop)
  const none = { provider: null, model: null, usage: null, costUsd: null, firstEventMs: null, attempts: 0 }
  call(observer(), [], {
    ...none,
    status: 401,
    errorCode: 'invalid_api_key',
    reason: { kind: 'authentication' },
    surface: null,
    kind: null,
  })
  call(observer(), [], { ...none, status: 402, errorCode: 'insufficient_credits', reason: { kind: 'cap', level: 'team' } })
  call(observer(), [], { ...none, status: 429, errorCode: 'rate_limit_exceeded', reason: { kind: 'limit', level: 'key' } })
  call(observer(), [], { ...none, status: 499, errorCode: 'client_closed_request', reason: { kind: 'left' } })
  call(observer(), [], { ...none, status: 400, errorCode: 'words of a "plugin"', reason: null })
  call(
    observer(),
    [
      { provider: 'acme', model: 'small', role: 'first', outcome: 'outrun' },
      { provider: 'acme', model: 'made-up', isListed: false, role: 'hedge' },
    ],
    { costUsd: null },
  )
  const observation = observer().begin(begun)
  for (const outcome of ['passed', 'passed', 'refused'] as const)
    observation!.guarded!({ at: 0, elapsedMs: 1, guardrail: 'words', stage: 'input', outcome })
  const scraped = await scrape(under)
  check(t, scraped, {
    'turnpike_requests_total{surface="none",kind="none",status="4xx"}': 1,
    'turnpike_requests_total{surface="responses",kind="generation",status="4xx"}': 4,
    'turnpike_errors_total{surface="none",reason="authentication",code="invalid_api_key"}': 1,
    'turnpike_errors_total{surface="responses",reason="cap",code="insufficient_credits"}': 1,
    'turnpike_errors_total{surface="responses",reason="left",code="client_closed_request"}': 1,
    'turnpike_errors_total{surface="responses",reason="none",code="other"}': 1,
    'turnpike_refusals_total{reason="cap",level="team"}': 1,
    'turnpike_refusals_total{reason="limit",level="key"}': 1,
    'turnpike_refusals_total{reason="credit",level="org"}': 0,
    'turnpike_guardrail_checks_total{guardrail="words",stage="input",outcome="passed"}': 2,
    'turnpike_guardrail_checks_total{guardrail="words",stage="input",outcome="refused"}': 1,
    'turnpike_unpriced_requests_total{provider="acme",model="small"}': 1,
  })
  t.notMatch(scraped.text, /reason="left",level|reason="authentication",level/, 'only the gateway refuses')
  t.equal(scraped.series.get('turnpike_failovers_total{provider="acme"}'), 0, 'a hedge is no failover')
})

t.test('what a gateway does is counted', async t => {
  let isDown = false
  const under = await gateway({
    plugins: [
      scripted(
        'acme',
        async function* () {
          if (isDown) throw new ProviderFailure({ kind: 'unavailable', status: 503, message: 'Down.' })
          yield* hello
        },
        { maxConcurrent: 3, maxQueued: 7 },
      ),
      listing({ model: 'small', endpoints: [{ provider: 'acme', price: { input: 1, output: 1 } }] }),
      prometheus({ open: true }),
    ],
  })
  t.teardown(under.stop)
  await ask(under, { model: 'small' })
  await ask(under, { model: 'small', stream: true })
  await ask(under, { model: 'small' }, { authorization: 'Bearer tp_000000000000_wrong' })
  isDown = true
  await ask(under, { model: 'small' })
  await ask(under, { model: 'acme/made-up' })
  await under.recorded(5)
  const scraped = await scrape(under)
  check(t, scraped, {
    'turnpike_requests_total{surface="responses",kind="generation",status="2xx"}': 2,
    'turnpike_attempts_total{provider="acme",model="small",outcome="ok"}': 2,
    'turnpike_tokens_total{provider="acme",model="small",kind="output"}': 4,
    turnpike_requests_in_progress: 0,
    turnpike_open_streams: 0,
    'turnpike_queue_length{provider="acme"}': 0,
    'turnpike_queue_limit{provider="acme"}': 7,
    'turnpike_provider_requests_limit{provider="acme"}': 3,
    'turnpike_records_waiting{sink="kept"}': 0,
    'turnpike_records_dropped_total{sink="kept",reason="slow"}': 0,
  })
  t.notMatch(scraped.text, /made-up/)
  t.ok(scraped.series.get('turnpike_store_duration_seconds_count{store="responses"}')! >= 2)
  t.ok(scraped.series.get('process_resident_memory_bytes')! > 1e7)
  t.match(scraped.text, /turnpike_build_info\{version="[\d.]+",node="24\.[\d.]+"\} 1/)
})

t.test('both formats have the same metrics, each under one name', async t => {
  const under = await gateway({ plugins: [prometheus({ open: true })] })
  t.teardown(under.stop)
  await ask(under, { model: 'sandbox/echo' })
  await under.recorded(1)
  const plain = await scrape(under)
  const open = await scrape(under, { accept: 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5' })
  t.equal(plain.contentType, 'text/plain; version=0.0.4; charset=utf-8')
  t.equal(open.contentType, 'application/openmetrics-text; version=1.0.0; charset=utf-8')
  t.same([...open.series.keys()], [...plain.series.keys()])
  for (const scraped of [plain, open]) {
    const lines = scraped.text.split('\n').filter(line => line.startsWith('# TYPE'))
    t.equal(new Set(lines).size, lines.length)
  }
  for (const name of namesIn(plain)) t.match(name, /^(turnpike|process|nodejs)_[a-z0-9_]+$/)
})

t.test('200 scrapes at once get the same answer', async t => {
  const under = await gateway({ plugins: [prometheus({ open: true })] })
  t.teardown(under.stop)
  const all = await Promise.all(Array.from({ length: 200 }, () => scrape(under)))
  t.same(new Set(all.map(({ status }) => status)), new Set([200]))
  t.equal(new Set(all.map(({ text }) => text)).size, 1, 'they share one')
})

t.test('refusals are counted by whose limit, cap or credit it was', async t => {
  const under = await gateway({
    plugins: [
      saying('acme', hello),
      listing({ model: 'small', endpoints: [{ provider: 'acme', price: { input: 1_000, output: 1_000 } }] }),
      prometheus({ open: true }),
    ],
  })
  t.teardown(under.stop)
  const limited = await under.gateway.issueKey({ name: 'limited', limits: [{ requests: 1, windowMs: 3_600_000 }] })
  const capped = await under.gateway.issueKey({ name: 'capped', spendCapUsd: 0.000_1 })
  const statuses = []
  for (const key of [limited, limited, capped, 'tp_000000000000_wrong'])
    statuses.push((await ask(under, { model: 'small', max_output_tokens: 100 }, { authorization: `Bearer ${key}` })).status)
  t.same(statuses, [200, 429, 402, 401])
  await under.recorded(4)
  check(t, await scrape(under), {
    'turnpike_refusals_total{reason="limit",level="key"}': 1,
    'turnpike_refusals_total{reason="cap",level="key"}': 1,
    'turnpike_errors_total{surface="responses",reason="cap",code="insufficient_credits"}': 1,
    'turnpike_errors_total{surface="responses",reason="authentication",code="invalid_api_key"}': 1,
  })
})

t.test('looks of guardrails are counted by their outcome', async t => {
  const guard = guarding(
    {
      input: ({ input }) =>
        JSON.stringify(input).includes('forbidden') ? { refuse: invalidRequest('Not this.', 'input') } : { pass: true },
    },
    { name: 'demo-guard' },
  )
  const under = await gateway({ plugins: [saying('acme', hello), guard, prometheus({ open: true })] })
  t.teardown(under.stop)
  for (const input of ['fine', 'fine', 'forbidden']) await ask(under, { model: 'acme/m', input })
  await under.recorded(3)
  const scraped = await scrape(under)
  check(t, scraped, {
    'turnpike_guardrail_checks_total{guardrail="demo-guard",stage="input",outcome="passed"}': 2,
    'turnpike_guardrail_checks_total{guardrail="demo-guard",stage="input",outcome="refused"}': 1,
  })
  t.notMatch(scraped.text, /forbidden|Not this/)
  const failed = [...scraped.series].filter(([name]) => name.startsWith('turnpike_errors_total'))
  t.equal(failed.length, 1, failed.join())
})
