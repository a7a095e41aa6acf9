import type { CatalogEntry } from '../../../core/index.ts'
import type { CatalogEndpoint, RetrievalKind, Tokenizer } from '../../../core/kit.ts'

// Models that make embeddings or rerank. The lists from which `models.json` is made leave them out. Sources: the vendors' pages of models and
// prices. A price that no page states is left out.

interface RetrievalModel {
  readonly id: string
  readonly kind: RetrievalKind
  readonly ownedBy: string
  /** The most tokens of one input. */
  readonly contextWindow?: number
  readonly dimensions?: number
  readonly tokenizer?: Tokenizer
  /** By provider: its name for the model, and US dollars per million tokens, or per search unit. */
  readonly at: Readonly<Record<string, { readonly name?: string; readonly input?: number; readonly search?: number }>>
}

const openai = { kind: 'embedding', ownedBy: 'openai', contextWindow: 8_192, tokenizer: 'cl100k_base' } as const
const cohere = { kind: 'embedding', ownedBy: 'cohere' } as const
const voyage = { kind: 'embedding', ownedBy: 'voyage', contextWindow: 32_000, dimensions: 1_024 } as const
const cohereRerank = { kind: 'rerank', ownedBy: 'cohere', contextWindow: 4_096 } as const
const voyageRerank = { kind: 'rerank', ownedBy: 'voyage', contextWindow: 32_000 } as const

const models: readonly RetrievalModel[] = [
  // https://platform.openai.com/docs/models
  { id: 'text-embedding-3-small', ...openai, dimensions: 1_536, at: { openai: { input: 0.02 }, azure: { input: 0.02 } } },
  { id: 'text-embedding-3-large', ...openai, dimensions: 3_072, at: { openai: { input: 0.13 }, azure: { input: 0.13 } } },
  { id: 'text-embedding-ada-002', ...openai, dimensions: 1_536, at: { openai: { input: 0.1 }, azure: { input: 0.1 } } },
  // https://ai.google.dev/gemini-api/docs/pricing
  {
    id: 'gemini-embedding-001',
    kind: 'embedding',
    ownedBy: 'google',
    contextWindow: 2_048,
    dimensions: 3_072,
    at: { gemini: { input: 0.15 }, vertex: { input: 0.15 } },
  },
  { id: 'text-embedding-005', kind: 'embedding', ownedBy: 'google', contextWindow: 2_048, dimensions: 768, at: { vertex: {} } },
  {
    id: 'text-multilingual-embedding-002',
    kind: 'embedding',
    ownedBy: 'google',
    contextWindow: 2_048,
    dimensions: 768,
    at: { vertex: {} },
  },
  // https://docs.cohere.com/docs/models
  {
    id: 'embed-v4.0',
    ...cohere,
    contextWindow: 128_000,
    dimensions: 1_536,
    at: { cohere: { input: 0.12 }, bedrock: { name: 'cohere.embed-v4:0', input: 0.12 } },
  },
  {
    id: 'embed-english-v3.0',
    ...cohere,
    contextWindow: 512,
    dimensions: 1_024,
    at: { cohere: { input: 0.1 }, bedrock: { name: 'cohere.embed-english-v3', input: 0.1 } },
  },
  {
    id: 'embed-multilingual-v3.0',
    ...cohere,
    contextWindow: 512,
    dimensions: 1_024,
    at: { cohere: { input: 0.1 }, bedrock: { name: 'cohere.embed-multilingual-v3', input: 0.1 } },
  },
  { id: 'embed-english-light-v3.0', ...cohere, contextWindow: 512, dimensions: 384, at: { cohere: { input: 0.1 } } },
  { id: 'embed-multilingual-light-v3.0', ...cohere, contextWindow: 512, dimensions: 384, at: { cohere: { input: 0.1 } } },
  { id: 'rerank-v3.5', ...cohereRerank, at: { cohere: { search: 0.002 } } },
  { id: 'rerank-english-v3.0', ...cohereRerank, at: { cohere: { search: 0.002 } } },
  { id: 'rerank-multilingual-v3.0', ...cohereRerank, at: { cohere: { search: 0.002 } } },
  // https://docs.aws.amazon.com/bedrock/latest/userguide/titan-embedding-models.html
  {
    id: 'titan-embed-text-v2',
    kind: 'embedding',
    ownedBy: 'amazon',
    contextWindow: 8_192,
    dimensions: 1_024,
    at: { bedrock: { name: 'amazon.titan-embed-text-v2:0', input: 0.02 } },
  },
  {
    id: 'titan-embed-text-v1',
    kind: 'embedding',
    ownedBy: 'amazon',
    contextWindow: 8_192,
    dimensions: 1_536,
    at: { bedrock: { name: 'amazon.titan-embed-text-v1', input: 0.1 } },
  },
  // https://docs.mistral.ai/getting-started/models
  { id: 'mistral-embed', kind: 'embedding', ownedBy: 'mistral', contextWindow: 8_192, dimensions: 1_024, at: { mistral: { input: 0.1 } } },
  {
    id: 'codestral-embed-2505',
    kind: 'embedding',
    ownedBy: 'mistral',
    contextWindow: 8_192,
    dimensions: 1_536,
    at: { mistral: { input: 0.15 } },
  },
  // https://docs.voyageai.com/docs/pricing
  { id: 'voyage-3-large', ...voyage, at: { voyage: { input: 0.18 } } },
  { id: 'voyage-3.5', ...voyage, at: { voyage: { input: 0.06 } } },
  { id: 'voyage-3.5-lite', ...voyage, at: { voyage: { input: 0.02 } } },
  { id: 'voyage-code-3', ...voyage, at: { voyage: { input: 0.18 } } },
  { id: 'rerank-2.5', ...voyageRerank, at: { voyage: { input: 0.05 } } },
  { id: 'rerank-2.5-lite', ...voyageRerank, at: { voyage: { input: 0.02 } } },
  // https://jina.ai/models
  { id: 'jina-embeddings-v3', kind: 'embedding', ownedBy: 'jina', contextWindow: 8_192, dimensions: 1_024, at: { jina: {} } },
  { id: 'jina-embeddings-v4', kind: 'embedding', ownedBy: 'jina', contextWindow: 32_768, dimensions: 2_048, at: { jina: {} } },
  { id: 'jina-reranker-v2-base-multilingual', kind: 'rerank', ownedBy: 'jina', contextWindow: 1_024, at: { jina: {} } },
  { id: 'jina-reranker-m0', kind: 'rerank', ownedBy: 'jina', contextWindow: 10_240, at: { jina: {} } },
]

/** The models of these providers. */
export function retrievalEntries(isLoaded: (provider: string) => boolean): readonly CatalogEntry[] {
  return models.flatMap(({ id, at, ownedBy, ...facts }): readonly CatalogEntry[] => {
    const endpoints = Object.entries(at).flatMap(([provider, { name = id, input, search }]): readonly CatalogEndpoint[] => {
      if (!isLoaded(provider)) return []
      const isPriced = input !== undefined || search !== undefined
      const price = isPriced && { price: { input: input ?? 0, output: 0, ...(search !== undefined && { search }) } }
      return [{ provider, upstreamModel: name, ...facts, ...price }]
    })
    return endpoints.length > 0 ? [{ model: id, ownedBy, auto: false, endpoints }] : []
  })
}
