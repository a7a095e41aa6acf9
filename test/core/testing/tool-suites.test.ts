import t from 'tap'
import {
  DecisionClients,
  ProviderFailure,
  Tools,
  type DecisionClient,
  type Provider,
  type Tool,
  type ToolSession,
} from '../../../core/index.ts'
import { decisionClientSuite, retrievalSuite, toolSuite } from '../../../core/testing/index.ts'
import { embedder, reranker } from '../../../core/testing/stage-parts.ts'
import { adds, complaints, type Case } from './complaints.ts'

const parameters = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] }

function tool(session: Partial<ToolSession> = {}, members: Partial<Tool> = {}): Promise<readonly string[]> {
  const plugin = adds<Tool>(Tools, () => ({
    type: 'demo_weather',
    schema: { type: 'object', additionalProperties: false, properties: { type: {}, units: { enum: ['metric', 'imperial'] } } },
    seesContent: 'local',
    timeoutMs: 1_000,
    open: () => ({
      functions: () => [{ name: 'demo_weather', description: 'The weather at a place.', parameters }],
      run: ({ arguments: { place } }) =>
        typeof place === 'string' ? { output: `It is sunny in ${place.slice(0, 20)}.` } : { output: 'Expected a place.', failed: true },
      ...session,
    }),
    ...members,
  }))
  return complaints(suite =>
    toolSuite(suite, {
      plugin,
      examples: [
        {
          entry: { type: 'demo_weather', units: 'metric' },
          name: 'demo_weather',
          arguments: { place: 'Lisbon' },
          output: 'sunny in Lisbon',
        },
      ],
      badEntries: [{ type: 'demo_weather', units: 'kelvin' }],
      secrets: ['demo-secret-4711'],
      stopMs: 50,
    }),
  )
}

t.test('the suite accepts a tool that keeps its contract', async t => {
  t.same(await tool(), [])
})

const toolCases: readonly Case<readonly [Partial<ToolSession>, Partial<Tool>?]>[] = [
  {
    mistake: 'takes every argument to be text',
    members: [{ run: ({ arguments: given }) => ({ output: `It is sunny in ${(given['place'] as string).trim()}.` }) }],
    noticed: ['no arguments are a mistake in its code'],
  },
  {
    mistake: 'has a name that models refuse',
    members: [{ functions: () => [{ name: 'the weather!', description: 'x', parameters }] }],
    noticed: ['offers functions that models accept'],
  },
  {
    mistake: 'does not describe its function',
    members: [{ functions: () => [{ name: 'demo_weather', description: '', parameters }] }],
    noticed: ['offers functions that models accept'],
  },
  {
    mistake: 'tells its secret',
    members: [{ run: () => ({ output: 'sunny in Lisbon, says demo-secret-4711' }) }],
    noticed: ['answers its examples, several at once', 'a model calls it, and the caller sees no call'],
  },
  {
    mistake: 'runs on after an abort',
    members: [{ run: () => new Promise(() => {}) }, { timeoutMs: 60 }],
    noticed: ['a call stops when it is aborted'],
  },
  {
    mistake: 'costs less than nothing',
    members: [{ run: () => ({ output: 'sunny in Lisbon', costUsd: -1 }) }],
    noticed: ['answers its examples, several at once'],
  },
  { mistake: 'accepts any entry', members: [{}, { schema: { type: 'object' } }], noticed: ['bad entries are refused'] },
  {
    mistake: 'removes items of others from a conversation',
    members: [{}, { conversation: input => input.filter(({ type }) => type !== 'function_call') }],
    noticed: ['an ordinary conversation stays as it is'],
  },
]

for (const { mistake, members, noticed } of toolCases)
  t.test(`the suite notices a tool that ${mistake}`, async t => {
    const names = await tool(...members)
    for (const name of noticed) t.ok(names.includes(name), `${name}; noticed by: ${names.join('; ')}`)
  })

function client(members: Partial<DecisionClient> = {}): Promise<readonly string[]> {
  const plugin = adds<DecisionClient>(DecisionClients, () => ({
    provider: 'demo',
    resolve: model => (model === 'judge' ? 'judge-1' : undefined),
    async decide({ request: { questions }, signal }) {
      signal.throwIfAborted()
      const answers = Object.entries(questions).map(([id, question]) => {
        if (question.type === 'noul') return [id, { type: 'noul', noul: 0.5 }] as const
        const keys = Object.keys(question.criteria)
        const probabilities = Object.fromEntries(keys.map(key => [key, 1 / keys.length]))
        if (question.type === 'choice') return [id, { type: 'choice', choice: keys[0]!, probabilities }] as const
        return [id, { type: 'score', score: (keys.length - 1) / 2, probabilities }] as const
      })
      return { answers: Object.fromEntries(answers), usage: { input_tokens: 1, output_tokens: 1 } }
    },
    ...members,
  }))
  return complaints(suite => decisionClientSuite(suite, { plugin, models: ['judge'], stopMs: 50 }))
}

t.test('the suite accepts a decision client that keeps its contract', async t => {
  t.same(await client(), [])
})

const usage = { input_tokens: 1, output_tokens: 1 }
const clientCases: readonly Case<Partial<DecisionClient>>[] = [
  { mistake: 'has every model', members: { resolve: model => `${model}-1` }, noticed: ['knows its models, and no others'] },
  {
    mistake: 'looks models up in an object',
    members: { resolve: model => ({ judge: 'judge-1' })[model as 'judge'] },
    noticed: ['knows its models, and no others'],
  },
  {
    mistake: 'answers everything with a noul',
    members: {
      decide: async ({ request: { questions }, signal }) => {
        signal.throwIfAborted()
        return { answers: Object.fromEntries(Object.keys(questions).map(id => [id, { type: 'noul', noul: 0.5 }])), usage }
      },
    },
    noticed: ['answers a choice', 'answers a score', 'answers a choice of one, and a score of one'],
  },
  {
    mistake: 'answers the first question alone',
    members: {
      decide: async ({ request: { questions } }) => ({ answers: { [Object.keys(questions)[0]!]: { type: 'noul', noul: 1 } }, usage }),
    },
    noticed: ['answers many questions with odd names', 'does not begin if it is already aborted, and stops when it is'],
  },
  {
    mistake: 'has percentages for probabilities',
    members: {
      decide: async ({ request: { questions } }) => ({
        answers: Object.fromEntries(Object.keys(questions).map(id => [id, { type: 'noul', noul: 50 }])),
        usage,
      }),
    },
    noticed: ['answers a noul', 'answers any state'],
  },
  {
    mistake: 'takes an abort for a failure of its vendor',
    members: {
      decide: async ({ signal }) => {
        if (signal.aborted) throw new ProviderFailure({ kind: 'network', message: 'The connection broke.' })
        return await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new ProviderFailure({ kind: 'network', message: 'x' }))),
        )
      },
      timeoutMs: 50,
    },
    noticed: ['does not begin if it is already aborted, and stops when it is'],
  },
]

for (const { mistake, members, noticed } of clientCases)
  t.test(`the suite notices a decision client that ${mistake}`, async t => {
    const names = members.timeoutMs === undefined ? await client(members) : await stopsOnly(members)
    for (const name of noticed) t.ok(names.includes(name), `${name}; noticed by: ${names.join('; ')}`)
  })

/** For a client that never answers: the one test that ends. */
async function stopsOnly(members: Partial<DecisionClient>): Promise<readonly string[]> {
  const plugin = adds<DecisionClient>(DecisionClients, () => ({ provider: 'demo', resolve: () => 'judge-1', ...members }) as DecisionClient)
  return await complaints(suite =>
    decisionClientSuite(
      { test: (name, run) => name.includes('aborted') && suite.test(name, run) },
      { plugin, models: ['judge'], stopMs: 50 },
    ),
  )
}

const embeddings = [{ model: 'demo', input: ['a', 'b'], format: 'float' as const, dimensions: 3 }]
const rerankings = [{ model: 'demo', query: 'q', documents: ['a', 'b', 'c'], top: 2 }]

function retrieving(members: Partial<Provider>): Promise<readonly string[]> {
  const provider: Provider = { id: 'demo', generate: async function* () {}, embeddings: embedder, reranking: reranker, ...members }
  return complaints(suite => retrievalSuite(suite, { provider, embeddings, rerankings, stopMs: 50 }))
}

t.test('the suite of retrieval', async t => {
  t.same(await retrieving({}), [])
  const vectors = 'embedding 1: has one vector for each input, all of one length'
  for (const wrong of [
    [[1, 0, 0]],
    [[1, 0, 0], [1]],
    [
      [1, 0, NaN],
      [1, 0, 0],
    ],
  ])
    t.ok((await retrieving({ embeddings: { embed: async () => ({ vectors: wrong }) } })).includes(vectors))
  const ranks = 'reranking 1: ranks documents of the request, each once'
  for (const indexes of [[0, 0], [3], [0, 1, 2]])
    t.ok(
      (await retrieving({ reranking: { rerank: async () => ({ results: indexes.map(index => ({ index, score: 1 })) }) } })).includes(ranks),
    )
  const failing = async (): Promise<never> => {
    throw new ProviderFailure({ kind: 'network', message: 'The connection broke.' })
  }
  t.ok((await retrieving({ embeddings: { embed: failing } })).includes('embedding 1: stops when it is aborted'))
  t.ok((await retrieving({ reranking: { rerank: failing } })).includes('reranking 1: stops when it is aborted'))
})
