import type { CatalogEndpoint, CatalogEntry } from '../contracts/catalog.ts'
import type { DecisionClient } from '../contracts/decision.ts'
import type { Embedder } from '../contracts/embedding.ts'
import type { GenerationEvent, TokenUsage } from '../contracts/events.ts'
import type { Guardrail } from '../contracts/guardrail.ts'
import type { Reranker } from '../contracts/rerank.ts'

// The world around a plugin under test: models of every kind, each with every agreement.

const usage: TokenUsage = { uncachedInput: 3, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 2, reasoning: 0 }

/** The end of an answer that stopped for this reason. */
export function ending(reason: 'stop' | 'tool-calls'): readonly GenerationEvent[] {
  return [
    { type: 'usage', usage },
    { type: 'finish', reason },
  ]
}

const agreed: Omit<CatalogEndpoint, 'provider'> = {
  price: { input: 0, output: 0 },
  zdr: { policy_url: 'https://suite.example.com/zdr', covers: ['embedding', 'rerank'] },
  hipaa: { baa_url: 'https://suite.example.com/hipaa', covers: ['embedding', 'rerank'] },
}

/** The models, by the kind of call that they answer. */
export const suiteModels = {
  generation: 'suite/m',
  decision: 'suite-decider/d',
  embedding: 'suite/embedder',
  rerank: 'suite/reranker',
} as const

export const suiteEntries: readonly CatalogEntry[] = [
  { model: 'suite-model', endpoints: [{ provider: 'suite', upstreamModel: 'm', ...agreed }] },
  { model: 'suite-embedder', endpoints: [{ provider: 'suite', upstreamModel: 'embedder', kind: 'embedding', dimensions: 3, ...agreed }] },
  { model: 'suite-reranker', endpoints: [{ provider: 'suite', upstreamModel: 'reranker', kind: 'rerank', ...agreed }] },
]

export const embedder: Embedder = {
  embed: async ({ request: { input } }) => ({ vectors: input.map(() => [1, 0, 0]), usage: { inputTokens: input.length } }),
}

export const reranker: Reranker = {
  rerank: async ({ request: { documents, top = documents.length } }) => ({
    results: documents.map((_, index) => ({ index, score: 1 / (index + 1) })).slice(0, top),
    usage: { inputTokens: documents.length },
  }),
}

export const decider: DecisionClient = {
  provider: 'suite-decider',
  resolve: model => (model === 'd' ? 'd' : undefined),
  async decide({ request: { questions } }) {
    const answers = Object.entries(questions).map(([id, question]) => {
      if (question.type === 'noul') return [id, { type: 'noul', noul: 0.5 }] as const
      if (question.type === 'choice') return [id, { type: 'choice', choice: Object.keys(question.criteria)[0]! }] as const
      return [id, { type: 'score', score: 0 }] as const
    })
    return { answers: Object.fromEntries(answers), usage: { input_tokens: 1, output_tokens: 1 } }
  },
}

/** Lets every policy pass that a test sets. */
export const clearing: Guardrail = {
  name: 'suite',
  enforces: ['zdr', 'hipaa'],
  onFailure: 'refuse',
  timeoutMs: 1_000,
  seesContent: 'local',
  open: () => undefined,
}
