import t from 'tap'
import { policyRefusal, SortStrategies, type CatalogEntry, type SortStrategy } from '../../../core/index.ts'
import { routingStage, taking } from '../../kit/routing-stage.ts'
import { adding, guarding } from '../../kit/stage.ts'

const image = [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://example.com/cat.png' }] }]
const file = [{ role: 'user', content: [{ type: 'input_file', file_url: 'https://example.com/a.pdf' }] }]
const functions = [{ type: 'function', name: 'f' }]
const search = [{ type: 'web_search' }]
const format = { format: { type: 'json_object' } }
const price = { input: 1, output: 4 }

const entries: readonly CatalogEntry[] = [
  {
    model: 'large',
    endpoints: [
      { provider: 'acme', price },
      { provider: 'globex', price },
      { provider: 'initech', price },
    ],
  },
  {
    model: 'small',
    endpoints: [
      { provider: 'acme', price },
      { provider: 'globex', price },
    ],
  },
  { model: 'third', endpoints: [{ provider: 'initech', price }] },
]

t.test('the endpoints of a model come in the order of the sort', async t => {
  const stage = await routingStage(entries)
  t.teardown(stage.stop)
  const tried = (routing: object) => stage.order({ model: 'large', routing })
  t.same(await tried({}), ['acme/large', 'globex/large', 'initech/large'], 'the order of the catalog without data')
  stage.metrics.set('acme/large', { ...taking(9, 0.99), throughput: 10, latencyMs: 900 })
  stage.metrics.set('globex/large', { ...taking(5, 0.999), throughput: 200, latencyMs: 4_000 })
  stage.metrics.set('initech/large', { ...taking(1), requests: 5, throughput: 30, latencyMs: 500 })
  t.same(await tried({}), ['globex/large', 'initech/large', 'acme/large'], 'performance by default')
  t.same(await tried({ provider: { sort: 'performance' } }), ['globex/large', 'initech/large', 'acme/large'])
  t.same(await tried({ provider: { sort: 'latency' } }), ['initech/large', 'acme/large', 'globex/large'])
  t.same(await tried({ provider: { sort: 'throughput' } }), ['globex/large', 'initech/large', 'acme/large'])
  t.same(await tried({ provider: { sort: 'uptime' } }), ['initech/large', 'globex/large', 'acme/large'])
  t.same(await tried({ provider: { sort: 'total_requests' } }), ['acme/large', 'globex/large', 'initech/large'], 'ties by catalog')
  t.same(await tried({ model: { sort: 'latency' } }), ['globex/large', 'initech/large', 'acme/large'], 'the sort of models is for auto')
})

t.test('an interval is that of the metrics', async t => {
  const stage = await routingStage(entries)
  t.teardown(stage.stop)
  for (const [interval, minutes] of [
    [undefined, 15],
    ['1m', 1],
    ['90 minutes', 90],
    ['1 hour', 60],
    ['2h', 120],
    ['3 days', 3 * 1440],
    ['1 week', 7 * 1440],
    ['10y', 3650 * 1440],
    ['99999999999999999999 years', undefined],
  ] as const) {
    stage.intervals.splice(0)
    const { status } = await stage.ask({ model: 'large', routing: { provider: { interval } } })
    t.equal(status, 200, `${interval}`)
    if (minutes !== undefined) t.same([...new Set(stage.intervals)], [minutes * 60_000], `${interval}`)
  }
  for (const interval of ['', '1', 'h', '-1h', '1.5h', '1 h', '1 minute', '1hour', '1month'])
    t.match(
      await stage.ask({ model: 'large', routing: { provider: { interval } } }),
      { status: 400, error: { param: 'routing.provider.interval' } },
      interval,
    )
})

t.test('"auto" that a key leaves nothing to choose says so, and blames no model that nobody named', async t => {
  const manual: CatalogEntry = { model: 'manual', auto: false, endpoints: [{ provider: 'acme' }] }
  const cases = [
    [
      { models: ['gone'] },
      403,
      '"auto" cannot choose any model for this API key. It may use: gone. None of them is served here. Let the key use other models.',
    ],
    [{ models: ['gone-*', 'acme/gone'] }, 403, 'It may use: gone-*, acme/gone. None of them is served here.'],
    [{ models: ['manual'] }, 403, 'It may use: manual. Name one of them, or let the key use other models.'],
    [
      { providers: ['hooli'] },
      403,
      '"auto" cannot choose any model at the providers of this API key. It may use: hooli. Let it use other providers.',
    ],
  ] as const
  for (const [key, status, message] of cases) {
    const stage = await routingStage([...entries, manual], { key: { policy: {}, ...key } })
    t.teardown(stage.stop)
    for (const model of ['auto', 'large']) {
      const { status: found, error } = await stage.ask({ model })
      t.equal(found, status)
      t.equal(error.message.includes(message), model === 'auto', error.message)
      t.notMatch(model === 'auto' && error.message, /large|acme"/)
    }
  }
  const unpriced = await routingStage([manual, { model: 'free', endpoints: [{ provider: 'acme' }] }], {
    key: { policy: {}, spendCapUsd: 5 },
  })
  t.teardown(unpriced.stop)
  t.match(await unpriced.ask({ model: 'auto' }), { status: 402, error: { message: /no price is known of a model that "auto" may choose/ } })
})

t.test('a misspelled "auto" is one of the names that are suggested', async t => {
  const stage = await routingStage([...entries, { model: 'auto-large', endpoints: [{ provider: 'acme' }] }])
  t.teardown(stage.stop)
  for (const model of ['autoo', 'Auto', 'aut', 'outo'])
    t.match((await stage.ask({ model })).error, { code: 'model_not_found', message: /Did you mean auto[,?]/ }, model)
  t.match((await stage.ask({ model: 'largo' })).error, { message: /Did you mean large[,?]/ })
  t.notMatch((await stage.ask({ model: 'largo' })).error.message, /auto/)
  const none = await routingStage([{ model: 'manual', auto: false, endpoints: [{ provider: 'acme' }] }])
  t.teardown(none.stop)
  t.notMatch((await none.ask({ model: 'autoo' })).error.message, /auto[,?]/)
})

t.test('a sort that is not loaded is a 400 that names the nearest', async t => {
  const stage = await routingStage(entries)
  t.teardown(stage.stop)
  for (const [sort, message] of [
    ['through-put', /'through-put' is not a sort\. Did you mean throughput\?/],
    ['p95_latencyy', /Did you mean p95_latency/],
    ['p101_latency', /Did you mean/],
    ['Cost', /Did you mean cost\?/],
    ['beauty', /Expected performance, cost, .*p<0\.\.100>_latency/],
    ['x'.repeat(200), /a longer string is not a sort/],
    ['__proto__', /is not a sort/],
  ] as const)
    for (const level of ['model', 'provider'])
      for (const model of ['large', 'auto', 'acme/unheard-of']) {
        const { status, error } = await stage.ask({ model, routing: { [level]: { sort } } })
        t.equal(status, 400)
        t.match(error, { type: 'invalid_request_error', code: 'invalid_value', param: `routing.${level}.sort`, message })
      }
  for (const sort of ['', 5, ['cost'], {}, 'y'.repeat(1_000)])
    t.match(await stage.ask({ model: 'large', routing: { model: { sort } } }), { status: 400, error: { param: 'routing.model.sort' } })
  const custom = adding<SortStrategy>(SortStrategies, { name: 'beauty', description: 'Beauty.', first: 'highest', values: () => [] })
  const own = await routingStage(entries, { plugins: [custom] })
  t.teardown(own.stop)
  t.equal((await own.ask({ model: 'acme/large', routing: { provider: { sort: 'beauty' } } })).status, 200, 'what is loaded is known')
})

t.test('auto orders models by one sort and their endpoints by another', async t => {
  const stage = await routingStage(entries)
  t.teardown(stage.stop)
  stage.metrics.set('acme/large', { ...taking(8), latencyMs: 300 })
  stage.metrics.set('globex/large', { ...taking(2), latencyMs: 700 })
  stage.metrics.set('acme/small', { ...taking(1), latencyMs: 900 })
  stage.metrics.set('globex/small', { ...taking(9), latencyMs: 100 })
  stage.metrics.set('initech/third', { ...taking(1.5), latencyMs: 200 })
  const tried = (routing?: object) => stage.order({ model: 'auto', routing })
  t.same(await tried(), ['acme/small', 'globex/small', 'initech/third', 'globex/large', 'initech/large', 'acme/large'])
  t.same(await tried({ model: { sort: 'latency' } }), [
    'acme/small',
    'globex/small',
    'initech/third',
    'globex/large',
    'initech/large',
    'acme/large',
  ])
  t.same(
    await tried({ provider: { sort: 'latency' } }),
    ['globex/small', 'acme/small', 'initech/third', 'acme/large', 'globex/large', 'initech/large'],
    'models by performance, endpoints by latency',
  )
  t.same(
    await tried({ model: { sort: 'latency' }, provider: { sort: 'uptime' } }),
    ['acme/small', 'globex/small', 'initech/third', 'acme/large', 'globex/large', 'initech/large'],
    'models by latency, endpoints of equal uptime as in the catalog',
  )
})

t.test('named fallbacks keep their order, whatever the sort', async t => {
  const stage = await routingStage(entries)
  t.teardown(stage.stop)
  stage.metrics.set('acme/large', taking(9))
  stage.metrics.set('globex/large', taking(8))
  stage.metrics.set('initech/large', taking(7))
  stage.metrics.set('initech/third', taking(5))
  stage.metrics.set('acme/small', taking(1))
  stage.metrics.set('globex/small', taking(2))
  const tried = (model: string, models: readonly string[], providers: readonly string[] = []) =>
    stage.order({ model, routing: { model: { fallbacks: models }, provider: { fallbacks: providers } } })
  t.same(await tried('large', ['third', 'small']), [
    'initech/large',
    'globex/large',
    'acme/large',
    'initech/third',
    'acme/small',
    'globex/small',
  ])
  t.same(await tried('large', ['auto', 'third']), [
    'initech/large',
    'globex/large',
    'acme/large',
    'initech/third',
    'acme/small',
    'globex/small',
  ])
  t.same(await tried('large', [], ['acme']), ['initech/large', 'acme/large', 'globex/large'], 'the best, the named, the rest')
  t.same(await tried('large', [], ['acme', 'initech']), ['initech/large', 'acme/large', 'globex/large'])
  t.same(await tried('acme/large', [], ['globex']), ['acme/large', 'globex/large'], 'the named provider comes first')
  t.same(
    await tried('auto', ['third', 'large']),
    ['acme/small', 'globex/small', 'initech/third', 'initech/large', 'globex/large', 'acme/large'],
    'after the best model of auto',
  )
  t.match(await stage.ask({ model: 'auto', routing: { provider: { fallbacks: ['acmee'] } } }), { status: 400, error: { message: /acme/ } })
})

t.test('every rule that leaves no endpoint says so', async t => {
  const limited: readonly CatalogEntry[] = [
    {
      model: 'plain',
      endpoints: ['acme', 'globex'].map(provider => ({ provider, capabilities: { tools: false, images: false, files: false } })),
    },
    { model: 'tiny', endpoints: [{ provider: 'acme', contextWindow: 10, tokenizer: 'o200k_base' }] },
    { model: 'able', endpoints: [{ provider: 'globex' }] },
  ]
  const stage = await routingStage(limited)
  t.teardown(stage.stop)
  for (const [body, message, reason] of [
    [
      { tools: functions },
      /has tools, and none of its endpoints supports them: acme\/plain, globex\/plain\. Name a model that does/,
      'tools',
    ],
    [{ input: image }, /has images, and none of its endpoints takes images/, 'images'],
    [{ input: file }, /has files/, 'files'],
  ] as const) {
    const { status, error } = await stage.ask({ model: 'plain', ...body })
    t.equal(status, 400)
    t.match(error, { type: 'invalid_request_error', param: 'model', message })
    t.match(await stage.routing({ model: 'plain', ...body }), {
      candidates: [{ passedOver: reason }, { passedOver: reason }],
      passedOver: { [reason]: 2 },
    })
    t.same(
      await stage.tried({ model: 'plain', routing: { model: { fallbacks: ['able'] } }, ...body }),
      ['globex/able'],
      'a fallback that can',
    )
    t.equal((await stage.ask({ model: 'auto', ...body })).status, 200)
  }
  const output = [
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: 'https://example.com/cat.png' }] },
  ]
  t.equal((await stage.ask({ model: 'plain', input: output })).status, 400, 'images in the output of a tool')
  t.match(await stage.ask({ model: 'tiny', input: 'word '.repeat(50) }), { status: 400, error: { code: 'context_length_exceeded' } })
  t.match(await stage.routing({ model: 'tiny', input: 'word '.repeat(50) }), { passedOver: { 'context-window': 1 } })

  const cases = [
    [{ models: ['able'] }, 'plain', 403, /may not use the model "plain"/, 'permission'],
    [{ providers: ['initech'] }, 'plain', 403, /may not use the provider "acme"/, 'permission'],
    [{ spendCapUsd: 5 }, 'plain', 402, /the price of "plain" is unknown/, 'permission'],
  ] as const
  for (const [key, model, status, message, reason] of cases) {
    const under = await routingStage(limited, { key: { policy: {}, ...key } })
    t.teardown(under.stop)
    t.match(await under.ask({ model }), { status, error: { message } })
    t.match(await under.routing({ model }), { passedOver: { [reason]: 2 }, candidates: [{ provider: 'acme', passedOver: reason }, {}] })
  }
  const guarded = await routingStage(limited, {
    plugins: [guarding({ route: () => false, refusal: () => policyRefusal('No certified provider.') })],
  })
  t.teardown(guarded.stop)
  t.match(await guarded.ask({ model: 'plain' }), { status: 422, error: { message: 'No certified provider.' } })
  t.match(await guarded.routing({ model: 'plain' }), { passedOver: { policy: 2 } })
})

t.test('what the gateway has a substitute for is a preference among the endpoints of a model', async t => {
  const limited: readonly CatalogEntry[] = [
    {
      model: 'mixed',
      endpoints: [
        { provider: 'acme', capabilities: { structuredOutput: 'none', webSearch: false } },
        { provider: 'globex', capabilities: { structuredOutput: 'json_schema', webSearch: true } },
      ],
    },
    { model: 'poor', endpoints: [{ provider: 'initech', capabilities: { structuredOutput: 'none', webSearch: false } }] },
  ]
  const stage = await routingStage(limited)
  t.teardown(stage.stop)
  for (const body of [{ text: format }, { tools: search }]) {
    t.same(await stage.order({ model: 'mixed', ...body }), ['globex/mixed'])
    const fallbacks = { routing: { model: { fallbacks: ['mixed'] } } }
    t.same(
      (await stage.tried({ model: 'poor', ...fallbacks, ...body })).slice(0, 1),
      ['initech/poor'],
      'a named model comes first all the same',
    )
  }
  t.same(await stage.order({ model: 'mixed' }), ['acme/mixed', 'globex/mixed'])
})

t.test('the list is never cut by the plan', async t => {
  const many: CatalogEntry = {
    model: 'many',
    endpoints: Array.from({ length: 30 }, (_, index) => ({
      provider: `p${index}`,
      ...(index < 15 && { contextWindow: 10, tokenizer: 'o200k_base' as const }),
    })),
  }
  const providers = many.endpoints.map(({ provider }) => provider)
  const stage = await routingStage([many], { providers })
  t.teardown(stage.stop)
  t.same(await stage.tried({ model: 'many', input: 'word '.repeat(40) }), ['p15/many'], 'after the context window')
  stage.metrics.set('p28/many', taking(5))
  stage.metrics.set('p29/many', taking(1))
  t.same(await stage.tried({ model: 'many' }), ['p29/many'], 'and after the sort')
  const routing = await stage.routing({ model: 'many', input: 'word '.repeat(40) })
  t.same(routing!.passedOver, { 'context-window': 15 })
  t.equal(routing!.candidates.length, 16)
  t.match(routing, { sort: 'performance', modelSort: 'performance', intervalMs: 900_000, preferred: null })
  t.same(routing!.candidates[0], { provider: 'p29', model: 'many', value: 1, passedOver: null })
  t.same(routing!.candidates[8], { provider: 'p22', model: 'many', value: 3, passedOver: null }, 'the median of the others')
  t.same(routing!.candidates[15], { provider: 'p0', model: 'many', value: null, passedOver: 'context-window' })
})

t.test('there is nothing to tell where there was no choice', async t => {
  const stage = await routingStage(entries)
  t.teardown(stage.stop)
  for (const model of ['third', 'acme/large', 'acme/unheard-of']) {
    stage.intervals.splice(0)
    t.equal(await stage.routing({ model }), null, model)
    t.same(stage.intervals, [], 'and no metric was read')
  }
})

t.test('a request without a sort explores now and then', async t => {
  let random = 1
  const stage = await routingStage(entries, { random: () => random })
  t.teardown(stage.stop)
  stage.metrics.set('acme/large', { ...taking(1), requests: 90 })
  stage.metrics.set('globex/large', { ...taking(4), requests: 3 })
  stage.metrics.set('initech/large', { ...taking(9), requests: 2 })
  const first = async (routing?: object) => (await stage.tried({ model: 'large', routing }))[0]
  t.equal(await first(), 'acme/large')
  random = 0.0199
  t.equal(await first(), 'initech/large', 'the one with the fewest attempts')
  t.equal((await stage.routing({ model: 'large' }))!.preferred, 'exploration')
  t.equal(await first({ provider: { sort: 'performance' } }), 'acme/large', 'an explicit sort never explores')
  t.equal(await first({ provider: { interval: '1h' } }), 'initech/large')
  stage.metrics.set('initech/large', { ...taking(9), requests: 5 })
  t.equal(await first(), 'globex/large')
  stage.metrics.set('globex/large', { ...taking(4), requests: 5 })
  t.equal(await first(), 'acme/large', 'all were seen')
  random = 0.02
  stage.metrics.delete('globex/large')
  t.equal(await first(), 'acme/large')
  t.equal((await stage.routes({ model: 'large' })).preferred, null, 'a preview does not explore')
})

t.test('a sort that fails leaves the order of the catalog, and the log says so', async t => {
  for (const values of [
    () => {
      throw new Error('no idea')
    },
    () => [1],
    () => ['a', 'b', 'c'],
    async () => [1, 2, 3],
    () => undefined,
  ] as unknown as readonly (() => never)[]) {
    const broken: SortStrategy = { name: 'broken', description: 'Broken.', first: 'lowest', values }
    const stage = await routingStage(entries, { plugins: [adding(SortStrategies, broken)] })
    t.teardown(stage.stop)
    t.same(await stage.tried({ model: 'large', routing: { provider: { sort: 'broken' } } }), ['acme/large'])
    t.match(stage.logs.at(-1), /"sort":"broken","plugin":"adding-\d+".*a sort failed/)
    if (!String(values).includes('throw'))
      t.match(
        stage.logs.at(-1),
        /returned bad values: expected an array of \d, each .*, got (an array of \d|an object|a promise\. Return the array at once|undefined|a string at index 0)/,
      )
  }
})

t.test('two sorts cannot be the default, or have one name', async t => {
  const sort = (name: string): SortStrategy => ({ name, description: 'Beauty.', first: 'highest', isDefault: true, values: () => [] })
  await t.rejects(routingStage(entries, { plugins: [adding(SortStrategies, sort('beauty'))] }), {
    message: /^"performance" of plugin performance-sort and "beauty" of plugin adding-\d+ are both the default sort\./,
  })
  await t.rejects(
    routingStage(entries, { plugins: [adding(SortStrategies, sort('cost'))] }),
    /adds sort "cost", which plugin cost-sort already added/,
  )
})

t.test('NaN is no data, and infinitely bad comes last', async t => {
  const odd: SortStrategy = { name: 'odd', description: 'Odd.', first: 'highest', values: () => [-Infinity, NaN, 3] }
  const stage = await routingStage(entries, { plugins: [adding(SortStrategies, odd)] })
  t.teardown(stage.stop)
  const routing = { provider: { sort: 'odd' } }
  t.same(await stage.order({ model: 'large', routing }), ['initech/large', 'globex/large', 'acme/large'])
  t.same(
    (await stage.routing({ model: 'large', routing }))!.candidates.map(({ value }) => value),
    [3, null, null],
  )
  await stage.order({ model: 'large', routing })
  const errors = stage.logs.map(line => JSON.parse(line)).filter(({ level }) => level === 'error')
  t.equal(errors.length, 1, 'told once, not with every request')
  t.match(errors[0], {
    sort: 'odd',
    plugin: /^adding-/,
    reason: /returned NaN for an endpoint: expected a number, or undefined for no data/,
  })
})
