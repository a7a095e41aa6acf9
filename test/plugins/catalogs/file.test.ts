import { join } from 'node:path'
import t, { type Test } from 'tap'
import { CatalogSources, type CatalogEntry } from '../../../core/index.ts'
import fileCatalog from '../../../plugins/catalogs/file/index.ts'
import { setUp } from '../../kit/set-up.ts'

const full = {
  model: 'example/large',
  aliases: ['large'],
  created: 1_767_225_600,
  ownedBy: 'example',
  auto: false,
  endpoints: [
    {
      provider: 'acme',
      upstreamModel: 'large-2026-01',
      contextWindow: 200_000,
      maxOutputTokens: 32_000,
      price: { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite5m: 1.5, cacheWrite1h: 2.5 },
      capabilities: { tools: true, structuredOutput: 'json_schema', efforts: ['low', 'high'], images: false },
      zdr: { policy_url: 'https://acme.example.com/zdr', certificate_url: 'https://acme.example.com/zdr.pdf' },
      hipaa: false,
    },
    { provider: 'globex', zdr: false, hipaa: { baa_url: 'https://globex.example.com/baa' } },
  ],
} as const satisfies CatalogEntry
const lean = { model: 'lean', endpoints: [{ provider: 'acme' }] } as const satisfies CatalogEntry

function fileWith(t: Test, content: unknown): string {
  return join(t.testdir({ 'models.json': typeof content === 'string' ? content : JSON.stringify(content) }), 'models.json')
}

async function entries(...options: Parameters<typeof fileCatalog>[0][]): Promise<Record<string, readonly CatalogEntry[]>> {
  const { container } = await setUp(options.map(one => fileCatalog(one)))
  return Object.fromEntries(
    container
      .get(CatalogSources)
      .values()
      .map(source => [source.name, source.entries()]),
  )
}

t.test('reads a file, the config, or both', async t => {
  const path = fileWith(t, [full, lean])
  t.same(await entries({ path }), { file: [full, lean] })
  t.same(await entries({ models: [lean] as never }), { file: [lean] })
  t.same(await entries({ path, models: [{ model: 'more', endpoints: [] }] }), { file: [full, lean, { model: 'more', endpoints: [] }] })
})

t.test('takes tiers, fees and removals, and endpoints only where there is something to say of them', async t => {
  const tiers = [
    { above: 100_000, input: 2, output: 4, cacheRead: 0.5 },
    { above: 200_000, input: 4, output: 8 },
  ]
  const tiered = (given: readonly object[]): object => ({
    model: 'tiered',
    endpoints: [
      { provider: 'globex', remove: true },
      { provider: 'acme', price: { input: 1, output: 2, reasoning: 3, webSearch: 0.01, request: 0.005, tiers: given } },
    ],
  })
  const gone = { model: 'gone', remove: true }
  const aliased = { model: 'aliased', aliases: ['house-model'], family: 'house', auto: false }
  const read = await entries({ path: fileWith(t, [gone, aliased, tiered(tiers)]) })
  t.same(read['file'], [{ ...gone, endpoints: [] }, { ...aliased, endpoints: [] }, tiered(tiers)])
  await t.rejects(entries({ path: fileWith(t, [tiered(tiers.toReversed())]) }), {
    message: /\/0\/endpoints\/1\/price\/tiers must be in ascending order of above/,
  })
})

t.test('several catalogs have names', async t => {
  const path = fileWith(t, [lean])
  t.same(await entries({ path }, { name: 'team', models: [] }), { file: [lean], team: [] })
  await t.rejects(entries({ path }, { path }), { message: /file-catalog\(file\)/ })
})

t.test('a missing file is an error unless it is optional', async t => {
  const path = join(t.testdir({}), 'models.json')
  await t.rejects(entries({ path }), {
    message: `plugin file-catalog(file) failed to set up: catalog file ${path} does not exist. Correct the option path, or set optional: true`,
  })
  t.same(await entries({ path, optional: true }), { file: [] })
  await t.rejects(entries({ path: t.testdirName, optional: true }), { message: /cannot be read \(EISDIR\)/ }, 'only a missing one is')
  await t.rejects(entries({}), { message: /needs path, models, or both/ })
})

t.test('says where a file is wrong and what was expected there', async t => {
  const problem = async (content: unknown): Promise<string> => {
    const path = fileWith(t, content)
    const error = await entries({ path }).then(
      () => undefined,
      failure => failure as Error,
    )
    return error!.message.replace('plugin file-catalog(file) failed to set up: ', '').replaceAll(path, 'FILE')
  }
  const one = (endpoint: object): object[] => [{ model: 'm', endpoints: [{ provider: 'acme', ...endpoint }] }]

  t.match(await problem('[{"model": '), /^catalog file FILE is not JSON: /)
  t.equal(await problem({}), 'catalog file FILE: the file must be array')
  t.equal(await problem([{ endpoints: [] }]), "catalog file FILE: /0 must have required property 'model'")
  t.equal(
    await problem(one({ price: { input: 'free', output: 1 } })),
    'catalog file FILE: /0/endpoints/0/price/input must be number (got "free")',
  )
  t.equal(
    await problem(one({ price: { input: -1, output: 1 }, contextWindows: 5 })),
    'catalog file FILE: /0/endpoints/0 has the unknown member "contextWindows"; /0/endpoints/0/price/input must be >= 0 (got -1)',
  )
  t.equal(
    await problem(one({ capabilities: { efforts: ['huge'] } })),
    'catalog file FILE: /0/endpoints/0/capabilities/efforts/0 must be equal to one of the allowed values: ' +
      'none, minimal, low, medium, high, xhigh, max (got "huge")',
  )
  t.match(await problem(one({ zdr: true })), '/0/endpoints/0/zdr must be equal to constant: false (got true)')
  t.match(await problem(one({ zdr: { policy_url: 'nowhere' } })), '/0/endpoints/0/zdr/policy_url must match format "uri" (got "nowhere")')
  t.equal(
    await problem([lean, { model: 'lean', endpoints: [{ provider: 'other' }, { provider: 'acme' }] }]),
    'catalog file FILE: /1/endpoints/1 describes lean at acme, which /0/endpoints/0 already does',
  )
})

t.test('says where the option models is wrong', async t => {
  await t.rejects(entries({ models: [{ model: 'm', endpoints: [{ provider: '' }] }] }), {
    message: /plugin file-catalog has bad options: models\[0\]\.endpoints\[0\]\.provider must not be empty/,
  })
  await t.rejects(entries({ models: [lean, lean] as never }), { message: /models: \/1\/endpoints\/0 describes lean at acme/ })
})

t.test('one model is not "1 models"', async t => {
  const described = async (...models: readonly CatalogEntry[]): Promise<string | undefined> => {
    const { container } = await setUp([fileCatalog({ models: structuredClone(models) as [] })])
    return container.get(CatalogSources).get('file')?.summary?.()
  }
  t.equal(await described(lean), '1 model described')
  t.equal(await described(lean, full), '2 models described')
})
