import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Logger, Model } from '../../../core/index.ts'
import { fakeUpstream } from '../../../core/testing/index.ts'
import { UndiciClient } from '../../../core/upstream/http-client.ts'
import type { PackedCatalog } from '../../../plugins/catalogs/bundled/format.ts'
import bundledPlugin from '../../../plugins/catalogs/bundled/index.ts'
import { bundledCatalog, bundledCatalogOf, checkedCatalog } from '../../../plugins/catalogs/bundled/read.ts'
import { entriesOf } from '../../../plugins/catalogs/bundled/entries.ts'
import { Refresh } from '../../../plugins/catalogs/bundled/refresh.ts'
import { readSaved, type SavedCatalog } from '../../../plugins/catalogs/bundled/saved.ts'
import fileCatalog from '../../../plugins/catalogs/file/index.ts'
import { bundledIndex } from '../../kit/bundled-index.ts'
import { listing } from '../../kit/stage.ts'
import { gateway, hello, saying } from '../../kit/gateway.ts'
import { FakeClock } from '../../kit/set-up.ts'

const catalog = bundledCatalog()
const index = bundledIndex()

t.test('the catalog is as large as it says, and sound', async t => {
  const pairs = catalog.models.flatMap(({ id, at }) => at.map(place => ({ id, place })))
  const ids = new Set(pairs.map(({ id, place: [, , , , , upstreamModel = id] }) => upstreamModel))
  t.ok(ids.size >= 3_000, `${ids.size} model ids at providers`)
  t.ok(pairs.length >= 5_000, `${pairs.length} pairs of a model and a provider`)
  const { size } = statSync(new URL('../../../plugins/catalogs/bundled/models.json', import.meta.url))
  t.ok(size <= 600_000, `${size} bytes`)
  t.equal(checkedCatalog(structuredClone(catalog)).models.length, catalog.models.length, 'it passes what one from elsewhere must')
  t.equal(index.models().length, catalog.models.length)

  const names = catalog.models.flatMap(({ id, aliases = [] }) => [id, ...aliases])
  t.equal(new Set(names).size, names.length, 'a name means one model')
  t.notOk(names.includes('auto'))
  const slugs = new Set(catalog.providers)
  const hiding = catalog.models.flatMap(({ aliases = [] }) => aliases.filter(alias => slugs.has(alias.split('/')[0]!)))
  t.same(hiding, [], 'no alias reads like provider/model')
  const free = pairs.filter(({ place }) => place[2] > 0 && catalog.prices[place[2] - 1]!.input + catalog.prices[place[2] - 1]!.output === 0)
  t.same(
    free.filter(({ id, place }) => !/[:-]free$/.test(place[5] ?? id)),
    [],
    'free only by name',
  )
})

t.test('the entries of some providers are the same as in the whole catalog', async t => {
  for (const loaded of [[], ['openai'], ['anthropic', 'nova', 'groq'], ['sandbox'], catalog.providers]) {
    const isLoaded = (provider: string): boolean => loaded.includes(provider)
    t.same(entriesOf(bundledCatalogOf(isLoaded), isLoaded), entriesOf(catalog, isLoaded), loaded.join(' '))
  }
})

t.test('a model goes by many names', async t => {
  for (const [name, id] of [
    ['gpt-4o-mini-2024-07-18', 'gpt-4o-mini-2024-07-18'],
    ['claude-haiku-4.5', 'claude-haiku-4-5'],
    ['claude-4.5-haiku', 'claude-haiku-4-5'],
    ['google/gemini-2.5-pro', 'gemini-2.5-pro'],
    ['meta-llama/Llama-3.3-70B-Instruct', 'llama-3.3-70b-instruct'],
    ['x-ai/grok-4.3', 'grok-4.3'],
    ['moonshotai/kimi-k2.5', 'kimi-k2.5'],
    ['gpt-5-4', 'gpt-5.4'],
  ] as const)
    t.equal(index.resolve(name)?.id, id, name)
  for (const [provider, name, model, upstream] of [
    ['bedrock', 'claude-haiku-4-5', 'claude-haiku-4-5', 'global.anthropic.claude-haiku-4-5-20251001-v1:0'],
    ['bedrock', 'eu.anthropic.claude-sonnet-4-6', 'eu.anthropic.claude-sonnet-4-6', 'eu.anthropic.claude-sonnet-4-6'],
    ['vertex', 'claude-haiku-4-5', 'claude-haiku-4-5', 'claude-haiku-4-5@20251001'],
    ['fireworks', 'kimi-k2.5', 'kimi-k2.5', 'accounts/fireworks/models/kimi-k2p5'],
    ['fireworks', 'accounts/fireworks/models/kimi-k2p5', 'kimi-k2.5', 'accounts/fireworks/models/kimi-k2p5'],
    ['openrouter', 'openai/gpt-4o', 'gpt-4o', 'openai/gpt-4o'],
    ['openrouter', 'gpt-4o', 'gpt-4o', 'openai/gpt-4o'],
    ['openrouter', 'openai/gpt-4o-mini-2024-07-18', 'gpt-4o-mini-2024-07-18', 'openai/gpt-4o-mini-2024-07-18'],
    ['groq', 'llama-3.3-70b-instruct', 'llama-3.3-70b-instruct', 'llama-3.3-70b-versatile'],
    ['venice', 'gpt-5.4', 'gpt-5.4', 'openai-gpt-54'],
  ] as const)
    t.match(index.endpoint(provider, name), { provider, model, upstreamModel: upstream }, `${provider}/${name}`)
  t.same(
    index.resolve('eu.anthropic.claude-sonnet-4-6')?.endpoints.map(({ provider }) => provider),
    ['bedrock'],
    'what is bound to a region goes nowhere else',
  )
})

t.test('facts that vendors publish', async t => {
  const facts = (provider: string, name: string): unknown => index.endpoint(provider, name)
  t.match(facts('openai', 'gpt-5.4'), {
    contextWindow: 1_050_000,
    maxOutputTokens: 128_000,
    tokenizer: 'o200k_base',
    price: { input: 2.5, output: 15, cacheRead: 0.25, tiers: [{ above: 272_000, input: 5, output: 22.5 }] },
    capabilities: { tools: true, images: true, temperature: false, verbosity: true, efforts: ['none', 'low', 'medium', 'high', 'xhigh'] },
  })
  t.match(facts('openai', 'gpt-4'), { tokenizer: 'cl100k_base', capabilities: { efforts: [], verbosity: false } })
  t.match(
    facts('openrouter', 'gpt-5.4'),
    { tokenizer: 'o200k_base', capabilities: { temperature: false } },
    'a model is the same elsewhere',
  )
  t.match(facts('anthropic', 'claude-haiku-4-5'), {
    contextWindow: 200_000,
    maxOutputTokens: 64_000,
    price: { input: 1, output: 5, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2, webSearch: 0.01 },
    capabilities: { images: true, files: true, webSearch: true, structuredOutput: 'json_schema' },
  })
  t.match(index.resolve('claude-haiku-4-5'), { ownedBy: 'anthropic', family: 'claude-haiku', created: Date.UTC(2025, 9, 1) / 1000 })
  t.equal(index.resolve('claude-haiku-4-5')!.endpoints[0]!.provider, 'anthropic', 'the maker comes first')
})

t.test('auto starts with able general models', async t => {
  const first = index.models().filter(({ auto }) => auto)
  t.ok(first.length > 100)
  const suspicious = /embed|guard|preview|deep-research|:free|:batch|uncensored|latest|^(us|eu|global)\.|20\d\d-\d\d-\d\d|nano/
  t.same(
    first.slice(0, 20).filter(({ id }) => suspicious.test(id)),
    [],
  )
  const tools = ({ endpoints }: Model): boolean => endpoints.some(({ capabilities }) => capabilities.tools)
  t.ok(first.every(tools))
})

/** The members of the list and of a detail that are looked at here. */
interface ModelsBody {
  readonly data: readonly { readonly id: string }[]
  readonly providers: Readonly<Record<string, unknown>>
}

t.test('only what the gateway can reach is there; bundled facts override a provider’s own list, and a file overrides both', async t => {
  const zdr = { policy_url: 'https://example.com/zdr' }
  const under = await gateway({
    plugins: [
      fileCatalog({
        models: [
          { model: 'gpt-4.1', endpoints: [{ provider: 'openai', price: { input: 1, output: 1 }, zdr }] },
          { model: 'gpt-4o', remove: true },
          { model: 'gpt-5.4', aliases: ['house-model'], endpoints: [{ provider: 'azure', remove: true }] },
          { model: 'private', endpoints: [{ provider: 'azure', upstreamModel: 'deployment-7' }] },
        ],
      }),
      bundledPlugin({ exclude: ['o3*', 'azure/gpt-4.1'] }),
      listing({ model: 'gpt-5.4', endpoints: [{ provider: 'openai', contextWindow: 5, zdr, capabilities: { parallelTools: false } }] }),
      saying('openai', hello),
      saying('azure', hello),
    ],
  })
  t.teardown(under.stop)
  const read = async (path: string): Promise<ModelsBody> => (await (await under.request(path)).json()) as ModelsBody
  const ids = (await read('/v1/models')).data.map(({ id }) => id)
  t.ok(ids.length > 50 && ids.length < 200, `${ids.length}`)
  t.notOk(ids.some(id => id.startsWith('claude') || id.startsWith('o3') || id === 'gpt-4o'))
  t.ok(ids.includes('private'))
  t.match((await read('/v1/models/gpt-4.1')).providers, { openai: { zdr, price: { input: 1, output: 1 }, context_window: 1_047_576 } })
  t.notOk('azure' in (await read('/v1/models/gpt-4.1')).providers)
  const { providers } = await read('/v1/models/house-model')
  t.same(Object.keys(providers), ['openai'])
  t.match(providers['openai'], { context_window: 1_050_000, zdr, capabilities: { parallel_tools: false, tools: true } })
  const reply = await under.request('/v1/responses', { method: 'POST', body: { model: 'auto', input: 'hi' } })
  t.equal(reply.status, 200)
  t.match(await reply.json(), {
    model: index.models().find(({ auto, endpoints }) => auto && endpoints.some(({ provider }) => provider === 'openai'))!.id,
  })
})

const tiny: PackedCatalog = {
  format: 1,
  date: '2099-01-01',
  notices: [],
  providers: ['acme'],
  capabilities: [{ tools: true }],
  prices: [{ input: 1, output: 2 }],
  models: [{ id: 'newest', auto: true, at: [[1, 1, 1, 1_000, 0, 'newest-1']] }],
}

/** Refreshes from a vendor that answers so, and returns the result. */
async function refreshing(t: Test, script: Parameters<typeof fakeUpstream>[0], saved?: Partial<SavedCatalog>) {
  const upstream = await fakeUpstream(script)
  const http = new UndiciClient()
  t.teardown(async () => {
    await http.close()
    await upstream.close()
  })
  const file = join(t.testdir({}), 'data', 'catalog.json')
  const url = `${upstream.url}/catalog.json?token=sk-demo-secret`
  const news: SavedCatalog[] = []
  const lines: string[] = []
  const say = (message: string, facts?: object): void => void lines.push(`${message} ${JSON.stringify(facts)}`)
  const log: Logger = { debug: say, info: say, warn: say, error: say, child: () => log }
  const options = { url, everyMs: 3_600_000, file, http, clock: new FakeClock(), log, onNew: (one: SavedCatalog) => void news.push(one) }
  const refresh = new Refresh(options, saved && { url, checkedAt: 0, catalog: tiny, ...saved })
  return { refresh, upstream, news, lines, file, url }
}

t.test('a newer catalog is fetched, kept, and asked for conditionally', async t => {
  const { refresh, upstream, news, file, url } = await refreshing(t, [
    { headers: { etag: '"7"', 'last-modified': 'Sat, 21 Nov 2026 00:00:00 GMT' }, body: JSON.stringify(tiny) },
    { status: 304 },
  ])
  await refresh.now()
  t.same(
    news.map(({ catalog: { date } }) => date),
    ['2099-01-01'],
  )
  await refresh.now()
  t.equal(news.length, 1)
  t.match(upstream.requests[1]!.headers, { 'if-none-match': '"7"', 'if-modified-since': 'Sat, 21 Nov 2026 00:00:00 GMT' })
  t.match(readSaved(file, url, checkedCatalog), { etag: '"7"', catalog: { models: [{ id: 'newest' }] } })
  t.equal(readSaved(file, 'https://elsewhere.example.com', checkedCatalog), undefined)
  t.equal(statSync(file).mode & 0o777, 0o600)
})

t.test('after any bad answer, the catalog stays, and the log says why without the secret', async t => {
  const broken = (change: object): string => JSON.stringify({ ...tiny, ...change })
  for (const [reply, why] of [
    [{ status: 500, body: 'no' }, /expected status 200 or 304, got 500/],
    [{ status: 302, headers: { location: '/other' } }, /got 302/],
    [{ body: '<html>' }, /JSON/],
    [{ body: broken({ format: 2 }) }, /\/format must be equal to constant/],
    [{ body: broken({ models: [] }) }, /\/models must NOT have fewer than 1 items/],
    [{ body: broken({ models: [{ id: 'm', at: [[2, 1, 1, 0, 0]] }] }) }, /\/models\/0\/at\/0 refers to a place beyond the lists/],
    [{ body: broken({ models: [tiny.models[0], tiny.models[0]] }) }, /\/models\/1 describes \\"newest\\" a second time/],
    [{ body: broken({ prices: [{ input: -1, output: 2 }] }) }, /\/prices\/0\/input must be >= 0/],
    [{ headers: { 'content-length': '16000001' } }, /expected at most 16000000 bytes/],
  ] as const) {
    const { refresh, news, lines } = await refreshing(t, [reply])
    await refresh.now()
    t.same(news, [])
    t.match(lines.join(), why)
    t.notMatch(lines.join(), 'sk-demo-secret')
  }
})

t.test('stopping ends a refresh that hangs', async t => {
  const { refresh, lines } = await refreshing(t, () => ({ before: ['reset'] as never }))
  refresh.start()
  await refresh.stop()
  t.same(lines, [])
})

t.test('the last good catalog is used at the next start, unless it is older or broken', async t => {
  const url = 'http://127.0.0.1:9/catalog.json'
  const file = join(t.testdir({}), 'catalog.json')
  const models = async (): Promise<string[]> => {
    const plugins = [bundledPlugin({ refreshUrl: url, file }), saying('acme', hello), saying('openai', hello)]
    const under = await gateway({ plugins })
    const { data } = (await (await under.request('/v1/models')).json()) as ModelsBody
    await under.stop()
    return data.map(({ id }) => id)
  }
  const save = (saved: unknown): void => writeFileSync(file, typeof saved === 'string' ? saved : JSON.stringify(saved))
  save({ url, checkedAt: 0, catalog: tiny })
  t.ok((await models()).includes('newest'))
  save({ url, checkedAt: 0, catalog: { ...tiny, date: '2020-01-01' } })
  t.ok((await models()).includes('gpt-5.4'), 'a newer gateway brings a newer catalog')
  save('{"url"')
  t.ok((await models()).includes('gpt-5.4'))
  t.equal(readFileSync(file, 'utf8'), '{"url"', 'what is broken is left for a look')
})
