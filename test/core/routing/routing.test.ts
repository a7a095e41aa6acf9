import t from 'tap'
import { OpenRegistry } from '../../../core/framework/open-registry.ts'
import {
  AbsentProviders,
  CatalogSources,
  ProviderFailure,
  type AbsentProvider,
  type CatalogEntry,
  type CatalogSource,
  type FailureKind,
  type Provider,
} from '../../../core/index.ts'
import { CatalogIndex } from '../../../core/routing/catalog.ts'
import { gateway, hello, saying } from '../../kit/gateway.ts'
import { adding, ask, listing, witness } from '../../kit/stage.ts'

const entries: readonly CatalogEntry[] = [
  { model: 'blind', endpoints: [{ provider: 'acme', capabilities: { images: false, tools: false } }] },
  {
    model: 'small',
    aliases: ['tiny', 'small-latest'],
    endpoints: [{ provider: 'acme', upstreamModel: 'small-2026' }, { provider: 'globex' }, { provider: 'initech' }],
  },
  { model: 'acme/large', endpoints: [{ provider: 'globex', upstreamModel: 'acme-large-v2' }] },
  { model: 'meta/llama', aliases: ['llama'], endpoints: [{ provider: 'globex' }] },
  { model: 'hidden', auto: false, endpoints: [{ provider: 'acme' }] },
]

/** Three providers that answer, or fail as `failing` says; `asked` has `provider/upstream model`, in the order of the attempts. */
async function stage(failing: Readonly<Record<string, FailureKind>> = {}, list: readonly CatalogEntry[] = entries) {
  const asked: string[] = []
  const providers = ['acme', 'globex', 'initech'].map(
    id =>
      witness(id, ({ endpoint }) => {
        asked.push(`${id}/${endpoint.upstreamModel}`)
        const kind = failing[id] ?? failing[endpoint.model]
        if (kind) throw new ProviderFailure({ kind, message: 'down for repair' })
        return hello
      }).plugin,
  )
  const under = await gateway({ plugins: [...providers, listing(...list)], settings: { logLevel: 'silent', retries: 0 } })
  t.teardown(under.stop)
  return {
    async tried(body: object): Promise<readonly string[]> {
      asked.length = 0
      await ask(under, body)
      return [...asked]
    },
    ask: (body: object) => ask(under, body),
  }
}

t.test('a model is found by its name, an alias, or provider/model; a named provider takes any model', async t => {
  const { tried, ask } = await stage()
  const names: Readonly<Record<string, string>> = {
    small: 'acme/small-2026',
    tiny: 'acme/small-2026',
    'small-latest': 'acme/small-2026',
    'globex/small': 'globex/small',
    'globex/tiny': 'globex/small',
    'acme/small': 'acme/small-2026',
    // A canonical name may look like provider/model: it wins.
    'acme/large': 'globex/acme-large-v2',
    'globex/acme/large': 'globex/acme-large-v2',
    'meta/llama': 'globex/meta/llama',
    'globex/meta/llama': 'globex/meta/llama',
    'globex/llama': 'globex/meta/llama',
    'initech/new-model': 'initech/new-model',
    'initech/org/new-model:free': 'initech/org/new-model:free',
    'initech/meta/llama': 'initech/meta/llama',
  }
  for (const [name, expected] of Object.entries(names)) t.same(await tried({ model: name }), [expected], name)
  t.equal((await ask({ model: 'tiny' })).response.model, 'acme/small', 'the answer names the model as the catalog does')
  t.equal((await ask({ model: 'tiny', stream: true })).response.model, 'acme/small')
})

t.test('an unknown name is a 400 that names the nearest', async t => {
  const { ask } = await stage()
  for (const [name, near] of [
    ['smal', 'small'],
    ['Meta/Lama', 'meta/llama'],
    ['glubex/small', 'globex/small'],
    ['acme/', undefined],
    ['/small', undefined],
    ['nobody-knows-this-one-at-all', undefined],
  ] as const) {
    const { status, error } = await ask({ model: name })
    t.equal(status, 400, name)
    t.match(error, { type: 'invalid_request_error', code: 'model_not_found', param: 'model' })
    if (near) t.match(error.message, near)
  }
  const { status, error } = await ask({ model: 'small', routing: { model: { fallbacks: ['tiny', 'lama'] } } })
  t.equal(status, 400)
  t.match(error, { param: 'routing.model.fallbacks[1]', message: /llama/ })
  const provider = await ask({ model: 'small', routing: { provider: { fallbacks: ['globex', 'inittech'] } } })
  t.equal(provider.status, 400)
  t.match(provider.error, { param: 'routing.provider.fallbacks[1]', message: /initech/ })
})

t.test('auto takes what can serve the request, and never the sandbox', async t => {
  const { tried } = await stage()
  t.same(await tried({ model: 'auto' }), ['acme/blind'])
  const picture = { role: 'user', content: [{ type: 'input_image', image_url: 'https://example.com/cat.png' }] }
  t.same(await tried({ model: 'auto', input: [picture] }), ['acme/small-2026'])
  t.same(await tried({ model: 'auto', tools: [{ type: 'function', name: 'f' }] }), ['acme/small-2026'])
  const broken = await stage({ acme: 'unavailable', globex: 'unavailable', initech: 'unavailable' })
  const all = await broken.tried({ model: 'auto' })
  t.notOk(
    all.some(name => name.includes('hidden')),
    'what is not for auto',
  )
  t.equal((await broken.ask({ model: 'auto' })).status, 424, 'not even the sandbox that would answer')
  const alone = await gateway()
  t.teardown(alone.stop)
  const { status, error } = await ask(alone, { model: 'auto' })
  t.equal(status, 400)
  t.match(error, { param: 'model', code: 'model_not_found' })
})

t.test('models are tried in the order of the fallbacks, auto last wherever it stands', async t => {
  const { tried } = await stage({ acme: 'unavailable', globex: 'overloaded', initech: 'timeout' })
  t.same(await tried({ model: 'hidden' }), ['acme/hidden'])
  t.same(await tried({ model: 'hidden', routing: { model: { fallbacks: ['llama', 'initech/small', 'meta/llama'] } } }), [
    'acme/hidden',
    'globex/meta/llama',
    'initech/small',
  ])
  t.same(await tried({ model: 'hidden', routing: { model: { fallbacks: ['auto', 'llama'] } } }), [
    'acme/hidden',
    'globex/meta/llama',
    'initech/small',
    'acme/blind',
    'acme/small-2026',
    'globex/small',
    'globex/acme-large-v2',
  ])
  const partly = await stage({ hidden: 'not-found' })
  const reply = await partly.ask({ model: 'hidden', routing: { model: { fallbacks: ['tiny'] } }, stream: true })
  t.equal(reply.response.model, 'acme/small')
  t.equal(reply.headers.get('x-gateway-attempts'), '2')
})

t.test('a fallback to auto where auto has nothing adds nothing', async t => {
  const under = await gateway({ plugins: [saying('acme', hello)] })
  t.teardown(under.stop)
  t.equal((await ask(under, { model: 'acme/m', routing: { model: { fallbacks: ['auto'] } } })).status, 200)
})

t.test('providers are tried in the order of the fallbacks, those that have the model only', async t => {
  const { tried } = await stage({ acme: 'unavailable', globex: 'overloaded', initech: 'timeout' })
  t.same(await tried({ model: 'small' }), ['acme/small-2026', 'globex/small', 'initech/small'], 'catalog order by itself')
  const via = (model: string, ...fallbacks: readonly string[]) => tried({ model, routing: { provider: { fallbacks } } })
  t.same(await via('small', 'initech'), ['acme/small-2026', 'initech/small', 'globex/small'])
  t.same(await via('globex/small', 'acme'), ['globex/small', 'acme/small-2026'])
  t.same(await via('llama', 'acme'), ['globex/meta/llama'], 'a listed model is asked for only where it is listed')
  t.same(await via('acme/unheard-of', 'globex'), ['acme/unheard-of', 'globex/unheard-of'], 'an unlisted one may be anywhere')
  t.same(
    await tried({ model: 'small', routing: { model: { fallbacks: ['llama'] }, provider: { fallbacks: ['globex'] } } }),
    ['acme/small-2026', 'globex/small', 'initech/small', 'globex/meta/llama'],
    'every provider of one model, then the next model',
  )
})

t.test('a request that every candidate would refuse stops at the first', async t => {
  const { tried, ask } = await stage({ acme: 'invalid-request' })
  t.same(await tried({ model: 'small' }), ['acme/small-2026'])
  t.equal((await ask({ model: 'small' })).status, 400)
})

t.test('there are at most eight attempts', async t => {
  const many = Array.from({ length: 20 }, (_, index): CatalogEntry => ({ model: `m${index}`, endpoints: [{ provider: 'acme' }] }))
  const { tried } = await stage({ acme: 'unavailable' }, many)
  t.equal((await tried({ model: 'auto' })).length, 8)
  const chain = await tried({ model: 'm19', routing: { model: { fallbacks: ['m1', 'm2', 'auto'] } } })
  t.same([chain.length, ...chain.slice(0, 4)], [8, 'acme/m19', 'acme/m1', 'acme/m2', 'acme/m0'])
})

t.test('sources make one catalog: a later one overrides facts, and changes take effect at once', async t => {
  let changed = (): void => {}
  let second: readonly CatalogEntry[] = []
  const sources = new OpenRegistry<CatalogSource>('source', source => source.name)
  const providers = new OpenRegistry<Provider>('provider', provider => provider.id)
  for (const id of ['acme', 'globex']) providers.add({ id, generate: () => (async function* () {})() }, 'test')
  sources.add(
    {
      name: 'vendor',
      entries: () => [
        {
          model: 'm',
          aliases: ['one'],
          created: 5,
          ownedBy: 'acme',
          endpoints: [{ provider: 'acme', contextWindow: 1_000, capabilities: { tools: true, images: false } }],
        },
        { model: 'n', aliases: ['m2'], endpoints: [{ provider: 'nobody' }] },
      ],
    },
    'test',
  )
  sources.add({ name: 'own', entries: () => second, onChange: listener => void (changed = listener) }, 'test')
  const catalog = new CatalogIndex(sources, providers, new OpenRegistry<AbsentProvider>('absent provider', ({ id }) => id))
  t.equal(catalog.resolve('m'), undefined, 'sources may load until the start')
  catalog.start()
  t.equal(catalog.resolve('n'), undefined, 'nobody supplies its provider')
  t.match(catalog.resolve('one'), { id: 'm', auto: true, endpoints: [{ upstreamModel: 'm', listed: true, zdr: false, hipaa: false }] })

  const zdr = { policy_url: 'https://acme.example.com/zdr' }
  second = [
    {
      model: 'm',
      aliases: ['two'],
      auto: false,
      endpoints: [{ provider: 'globex' }, { provider: 'acme', zdr, capabilities: { images: true } }],
    },
    { model: 'two', endpoints: [{ provider: 'globex' }] },
  ]
  t.equal(catalog.resolve('two'), undefined)
  changed()
  const m = catalog.resolve('one')!
  t.match(m, { id: 'm', created: 5, ownedBy: 'acme', auto: false, aliases: ['one', 'two'] })
  t.same(
    m.endpoints.map(({ provider }) => provider),
    ['acme', 'globex'],
  )
  t.match(m.endpoints[0], { contextWindow: 1_000, zdr, capabilities: { tools: true, images: true } })
  t.equal(catalog.resolve('two')!.id, 'two', 'a canonical name wins over an alias')
  second = []
  changed()
  t.match(catalog.resolve('m'), { auto: true, aliases: ['one'], endpoints: [{ capabilities: { images: false }, zdr: false }] }, 'and back')
})

function indexOf(entries: () => unknown): CatalogIndex {
  const sources = new OpenRegistry<CatalogSource>('source', source => source.name)
  sources.add({ name: 'careless', entries: entries as CatalogSource['entries'] }, 'acme-list')
  const none = new OpenRegistry<Provider>('provider', provider => provider.id)
  return new CatalogIndex(sources, none, new OpenRegistry<AbsentProvider>('absent provider', ({ id }) => id))
}

function priced(price: unknown): unknown {
  return [{ model: 'm', endpoints: [{ provider: 'demo', price }] }]
}

t.test('a source that returns something else than entries is named, with its plugin and the member', async t => {
  const expectedUsd = 'expected US dollars from 0, got'
  for (const [entries, problem] of [
    [{ a: 1 }, ': expected an array, got an object'],
    [[7], ': expected { model, endpoints: [{ provider }] } in [0], got 7'],
    [[{ endpoints: [] }], ': expected the name of a model in [0].model, got undefined'],
    [[{ model: 'm' }], ': expected an array in `endpoints` of "m", got undefined'],
    [[{ model: 'm', aliases: 'n', endpoints: [] }], ': expected an array of strings in `aliases` of "m", got "n"'],
    [[{ model: 'm', endpoints: [{ price: 5 }] }], ': "m" has an endpoint with a bad `provider`: expected a provider\'s id, got undefined'],
    [priced(5), ': "m" at "demo" has an endpoint with a bad `price`: expected an object, got 5'],
    [priced({ input: '1', output: 1 }), `: "m" at "demo" has an endpoint with a bad \`price.input\`: ${expectedUsd} "1"`],
    [priced({ input: -3, output: 1 }), `: "m" at "demo" has an endpoint with a bad \`price.input\`: ${expectedUsd} -3`],
    [priced({ input: 1, output: Number.NaN }), `: "m" at "demo" has an endpoint with a bad \`price.output\`: ${expectedUsd} NaN`],
    [priced({ input: 1 }), `: "m" at "demo" has an endpoint with a bad \`price.output\`: ${expectedUsd} undefined`],
    [
      priced({ inptu: 1, output: 1 }),
      ': "m" at "demo" has an endpoint with the unknown `price.inptu`: expected input, output, cacheRead, cacheWrite5m, cacheWrite1h, reasoning, webSearch, request, search, tiers',
    ],
    [
      priced({
        input: 1,
        output: 1,
        tiers: [
          { above: 5, input: 1, output: 1 },
          { above: 5, input: 1, output: 1 },
        ],
      }),
      ': "m" at "demo" has an endpoint with a bad `price.tiers[1].above`: expected a number of tokens, each more than the one before, got 5',
    ],
  ] as const) {
    const message = `plugin acme-list returns bad entries from its catalog source "careless"${problem}`
    t.throws(() => indexOf(() => entries).start(), { name: 'PluginError', message })
  }
  const fails = (): never => {
    throw new Error('no list')
  }
  t.throws(() => indexOf(fails).start(), {
    name: 'PluginError',
    message: 'plugin acme-list failed in its catalog source "careless": no list',
  })
})

t.test('a source that fails while the gateway runs is named in the log, and the models stay', async t => {
  let list: unknown = [{ model: 'kept', endpoints: [{ provider: 'acme' }] }]
  let changed = (): void => {}
  const source = { name: 'changing', entries: () => list, onChange: (listener: () => void) => void (changed = listener) } as CatalogSource
  const under = await gateway({ plugins: [saying('acme', hello), adding(CatalogSources, source)] })
  t.teardown(under.stop)
  list = priced({ input: -3, output: 1 })
  changed()
  t.equal((await ask(under, { model: 'kept' })).status, 200)
  const line = under.logs.map(each => JSON.parse(each)).find(({ level }) => level === 'error')
  t.match(line, { source: 'changing', plugin: /^adding-/, message: 'a catalog source failed, so its models stay as they were' })
  t.match(line.reason, 'bad `price.input`: expected US dollars from 0, got -3')
})

t.test('a request sees a changed catalog', async t => {
  let list: readonly CatalogEntry[] = []
  let changed = (): void => {}
  const source: CatalogSource = { name: 'changing', entries: () => list, onChange: listener => void (changed = listener) }
  const under = await gateway({ plugins: [saying('acme', hello), adding(CatalogSources, source)] })
  t.teardown(under.stop)
  t.equal((await ask(under, { model: 'new' })).status, 400)
  list = [{ model: 'new', endpoints: [{ provider: 'acme' }] }]
  changed()
  t.equal((await ask(under, { model: 'new' })).status, 200)
})

t.test('a provider that is not loaded is told with what adds it', async t => {
  const absent = ['acme', 'globex', 'initech', 'umbrella'].map(id =>
    adding(AbsentProviders, { id, remedy: `set ${id.toUpperCase()}_API_KEY` }),
  )
  const source: CatalogSource = {
    name: 'all',
    entries: () => [],
    providersOf: name => ({ m: ['hooli', 'globex', 'initech', 'umbrella', 'acme'], n: ['hooli'] })[name] ?? [],
  }
  const under = await gateway({ plugins: [saying('acme', hello), adding(CatalogSources, source), ...absent] })
  t.teardown(under.stop)
  const refusal = async (body: object): Promise<unknown> => {
    const { status, error } = await ask(under, body)
    t.equal(status, 400)
    return error
  }
  t.match(await refusal({ model: 'globex/m' }), {
    code: 'model_not_found',
    param: 'model',
    message: 'The model "globex/m" is not served here. The provider "globex" is not loaded: set GLOBEX_API_KEY, then restart the gateway.',
  })
  t.match(await refusal({ model: 'm' }), {
    code: 'model_not_found',
    message:
      'The model "m" is not served here. None of its providers is loaded: set GLOBEX_API_KEY, or set INITECH_API_KEY, or set UMBRELLA_API_KEY, then restart the gateway.',
  })
  t.match(await refusal({ model: 'n' }), { message: /None of its providers is loaded: add a plugin for hooli\./ })
  t.match(await refusal({ model: 'acme/m', routing: { provider: { fallbacks: ['globex'] } } }), {
    message: 'The provider "globex" is not loaded: set GLOBEX_API_KEY, then restart the gateway.',
    param: 'routing.provider.fallbacks[0]',
  })
  t.match(await refusal({ model: 'other/m' }), { message: /The model "other\/m" does not exist here/ })
})
