import t from 'tap'
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AbsentProviders,
  CatalogSources,
  LogSinks,
  PolicySources,
  SortStrategies,
  type CatalogEntry,
  type CatalogSource,
  type LogSink,
  type PolicySource,
  type SortStrategy,
} from '../../../core/index.ts'
import { AlertChannels, type AlertChannel } from '../../../core/admin.ts'
import {
  absentProviderSuite,
  alertChannelSuite,
  catalogSourceSuite,
  logSinkSuite,
  policySourceSuite,
  sortSuite,
} from '../../../core/testing/index.ts'
import { adds, complaints, type Case } from './complaints.ts'

function notices<M>(cases: readonly Case<M>[], found: (members: M) => Promise<readonly string[]>): void {
  for (const { mistake, members, noticed } of cases)
    t.test(`a suite notices ${mistake}`, async t => {
      const names = await found(members)
      for (const name of noticed) t.ok(names.includes(name), `${name}; noticed by: ${names.join('; ')}`)
    })
}

const sink = async (members: (file: string) => Partial<LogSink>): Promise<readonly string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-sink-'))
  const file = join(folder, 'records.jsonl')
  const plugin = adds<LogSink>(LogSinks, () => ({
    name: 'demo',
    accepts: 'metadata',
    write: async batch => await appendFile(file, batch.map(({ id, model }) => `${JSON.stringify({ id, model })}\n`).join('')),
    ...members(file),
  }))
  try {
    return await complaints(suite => logSinkSuite(suite, { plugin, written: async () => await readFile(file, 'utf8').catch(() => '') }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

t.test('the suite accepts a log sink that keeps its contract', async t => {
  t.same(await sink(() => ({})), [])
  t.same(await sink(() => ({ retryAfterMs: (_, failures) => (failures < 3 ? 100 : undefined), giveUp: async () => {} })), [])
})

const kinds = 'takes records of every kind, and changes none'
notices<(file: string) => Partial<LogSink>>(
  [
    {
      mistake: 'a log sink that loses records',
      members: () => ({ write: async () => {} }),
      noticed: ['the requests of a gateway are written'],
    },
    {
      mistake: 'a log sink that does not wait for what it writes',
      members: () => ({ write: (() => undefined) as unknown as LogSink['write'] }),
      noticed: [kinds],
    },
    {
      mistake: 'a log sink that takes every record to have a model',
      members: () => ({ write: async batch => void batch.map(({ model }) => model!.length) }),
      noticed: [kinds, 'takes a batch of any size'],
    },
    {
      mistake: 'a log sink that writes to records',
      members: () => ({ write: async batch => void batch.forEach(record => ((record as { model: unknown }).model = 'demo')) }),
      noticed: [kinds],
    },
    {
      mistake: 'a log sink that waits for NaN milliseconds',
      members: () => ({ retryAfterMs: error => (error as { readonly waitMs: number } | undefined)?.waitMs ?? NaN }),
      noticed: ['says when to try again, whatever failed'],
    },
  ],
  sink,
)

const policySource = (members: Partial<PolicySource>): Promise<readonly string[]> =>
  complaints(suite =>
    policySourceSuite(suite, {
      plugin: adds<PolicySource>(PolicySources, () => ({
        level: 'org',
        policy: key => (key.org === 'acme' ? { logging: { value: false, enforced: true } } : undefined),
        ...members,
      })),
      examples: [{ key: { org: 'acme' }, policy: { logging: { value: false, enforced: true } } }],
    }),
  )

t.test('the suite accepts a policy source that keeps its contract', async t => {
  t.same(await policySource({}), [])
})

const anyKey = 'answers for any key in time, with settings that have an effect'
notices<Partial<PolicySource>>(
  [
    {
      mistake: 'policy without effect',
      members: { policy: () => ({ logging: { value: false } }) },
      noticed: [anyKey, 'says what its examples say'],
    },
    {
      mistake: 'policy that is a map',
      members: { policy: () => new Map() as unknown as ReturnType<PolicySource['policy']> },
      noticed: [anyKey, 'requests below it are served'],
    },
    {
      mistake: 'policy for keys with a team alone',
      members: { policy: ({ team }) => (team!.length > 99 ? {} : undefined) },
      noticed: [anyKey],
    },
    {
      mistake: 'policy that changes what it returned',
      members: (() => {
        const shared = { logging: { value: false, enforced: true } }
        return { policy: ({ org }) => ((shared.logging.value = org !== 'acme'), shared) } satisfies Partial<PolicySource>
      })(),
      noticed: ['what it returned does not change'],
    },
    { mistake: 'policy that never comes', members: { timeoutMs: 20, policy: () => new Promise<undefined>(() => {}) }, noticed: [anyKey] },
  ],
  policySource,
)

const sort = (members: Partial<SortStrategy>): Promise<readonly string[]> =>
  complaints(suite =>
    sortSuite(suite, {
      plugin: adds<SortStrategy>(SortStrategies, () => ({
        name: 'demo',
        description: 'Output tokens per second for each US dollar, most first.',
        first: 'highest',
        readsCost: true,
        values: (endpoints, view) =>
          endpoints.map(endpoint => {
            const { throughput } = view.metrics(endpoint)
            const costUsd = view.costUsd(endpoint)
            return throughput === undefined || costUsd === undefined ? undefined : costUsd === 0 ? Infinity : throughput / costUsd
          }),
        ...members,
      })),
    }),
  )

t.test('the suite accepts a sort that keeps its contract', async t => {
  t.same(await sort({}), [])
  t.same(await sort({ name: 'p<1..9>_demo', pattern: '^p[1-9]_demo$', examples: ['p5_demo'] }), [])
})

const whatever = 'has a number or undefined for each endpoint, whatever is known of it'
const own = 'the value of an endpoint is its own: neither its place nor an earlier request changes it'
notices<Partial<SortStrategy>>(
  [
    {
      mistake: 'a sort that takes every endpoint to have data',
      members: { values: (endpoints, view) => endpoints.map(each => view.metrics(each).throughput! / view.metrics(each).samples) },
      noticed: [whatever],
    },
    {
      mistake: 'a sort that leaves endpoints out',
      members: { values: (endpoints, view) => endpoints.filter(each => !view.isOpen(each)).map(() => 1) },
      noticed: [whatever],
    },
    { mistake: 'a sort by the place of an endpoint', members: { values: endpoints => endpoints.map((_, index) => index) }, noticed: [own] },
    {
      mistake: 'a sort that remembers',
      members: (() => {
        let asked = 0
        return { values: endpoints => endpoints.map(() => ++asked) } satisfies Partial<SortStrategy>
      })(),
      noticed: [own],
    },
    {
      mistake: 'a sort that does not say that it reads the cost',
      members: { readsCost: false },
      noticed: ['reads the cost only if it says so'],
    },
    {
      mistake: 'a sort whose pattern does not match its example',
      members: { name: 'p<1..9>_demo', pattern: '^p[1-9]_demo$', examples: ['p50_demo'] },
      noticed: ['its name, pattern and examples agree'],
    },
  ],
  sort,
)

const entry: CatalogEntry = {
  model: 'demo-1',
  aliases: ['demo'],
  endpoints: [{ provider: 'acme', upstreamModel: 'd1', price: { input: 1, output: 2 } }],
}
const catalog = (members: Partial<CatalogSource>): Promise<readonly string[]> =>
  complaints(suite =>
    catalogSourceSuite(suite, {
      plugin: adds<CatalogSource>(CatalogSources, () => ({ name: 'demo', entries: () => [entry], ...members })),
    }),
  )

t.test('the suite accepts a catalog source that keeps its contract', async t => {
  t.same(await catalog({}), [])
  t.same(await catalog({ summary: () => '1 model', providersOf: name => (['demo-1', 'demo'].includes(name) ? ['acme'] : []) }), [])
})

const accepted = 'lists models that a gateway accepts'
notices<Partial<CatalogSource>>(
  [
    {
      mistake: 'a catalog with a negative price',
      members: { entries: () => [{ ...entry, endpoints: [{ provider: 'acme', price: { input: -1, output: 2 } }] }] },
      noticed: [accepted],
    },
    {
      mistake: 'a catalog with two meanings of a name',
      members: { entries: () => [entry, { ...entry, model: 'demo' }] },
      noticed: ['no two entries have one name, and no model is twice at one provider'],
    },
    {
      mistake: 'a catalog that lists something else each time',
      members: (() => {
        let asked = 0
        return { entries: () => [{ ...entry, created: ++asked }] } satisfies Partial<CatalogSource>
      })(),
      noticed: ['lists the same until something changes'],
    },
    { mistake: 'a catalog with milliseconds', members: { entries: () => [{ ...entry, created: 1_767_225_600_000 }] }, noticed: [accepted] },
    {
      mistake: 'a catalog that looks names up in an object',
      members: { providersOf: name => ({ 'demo-1': ['acme'], demo: ['acme'] })[name as 'demo'] ?? [] },
      noticed: ['knows providers by any name'],
    },
  ],
  catalog,
)

const absent = (remedy: string, id = 'acme'): Promise<readonly string[]> =>
  complaints(suite => absentProviderSuite(suite, { plugin: adds(AbsentProviders, () => ({ id, remedy })) }))

t.test('the suite of absent providers', async t => {
  t.same(await absent('set ACME_API_KEY'), [])
  const told = 'its remedy is the rest of a sentence, and tells no secret'
  for (const remedy of ['Set ACME_API_KEY', 'set ACME_API_KEY.', 'set ACME_API_KEY to sk-demo1234567890abcdef'])
    t.same(await absent(remedy), [told], remedy)
  t.ok((await absent('load it', 'suite')).includes('a request for it is told the remedy'))
})

const channel = (deliver: AlertChannel['deliver'], unreachable = deliver): Promise<readonly string[]> => {
  const channelOf = (run: AlertChannel['deliver']) => adds<AlertChannel>(AlertChannels, () => ({ name: 'demo', deliver: run }))
  return complaints(suite =>
    alertChannelSuite(suite, {
      plugin: channelOf(deliver),
      unreachable: channelOf(unreachable),
      received: () => arrived.join(),
      stopMs: 50,
    }),
  )
}
const arrived: string[] = []
const arrive: AlertChannel['deliver'] = async ({ title }) => void arrived.push(title)
const lost = async (): Promise<never> => {
  throw new Error('unreachable')
}

t.test('the suite accepts an alert channel that keeps its contract', async t => {
  t.same(await channel(arrive, lost), [])
})

const everyKind = 'delivers alerts of every kind, and changes none'
notices<readonly [AlertChannel['deliver'], AlertChannel['deliver']?]>(
  [
    { mistake: 'a channel that swallows failures', members: [arrive], noticed: ['tells by a throw that nothing arrived'] },
    {
      mistake: 'a channel for alerts of organizations alone',
      members: [async alert => void arrived.push(alert.org!.toUpperCase(), alert.title), lost],
      noticed: [everyKind, 'delivers any text'],
    },
    {
      mistake: 'a channel that goes on after an abort',
      members: [
        async (alert, audience, signal) => {
          await arrive(alert, audience, signal)
          if (signal.aborted || alert.id.includes('aborted')) await new Promise(() => {})
        },
        lost,
      ],
      noticed: ['stops when it is aborted'],
    },
    {
      mistake: 'a channel that remembers ids and refuses the second time',
      members: (() => {
        const known = new Set<string>()
        const once: AlertChannel['deliver'] = async alert => {
          if (known.has(alert.id)) throw new Error('again')
          known.add(alert.id)
          arrived.push(alert.title)
        }
        return [once, lost] as const
      })(),
      noticed: ['may get an alert twice, and several at once'],
    },
    {
      mistake: 'a channel that returns no promise',
      members: [(() => undefined) as unknown as AlertChannel['deliver'], lost],
      noticed: [everyKind],
    },
  ],
  ([deliver, unreachable]) => channel(deliver, unreachable),
)
