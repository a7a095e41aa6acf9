import type { CatalogSource } from '../../../core/index.ts'
import { estimateTokens, type Embedder, type EmbeddingInput, type Reranker } from '../../../core/kit.ts'
import { created } from './models.ts'

const dimensions = 256

/** Vectors depend only on the words of a text: the same ones always get the same vector, of length 1. */
export const sandboxEmbeddings: Embedder = {
  takesTokens: true,
  async embed({ request }) {
    const { input } = request
    return {
      vectors: input.map(each => vectorOf(wordsOf(each), request.dimensions ?? dimensions)),
      usage: { inputTokens: input.reduce((sum, each) => sum + tokensOf(each), 0) },
    }
  },
}

/** The score is the cosine between the vectors of query and document. */
export const sandboxReranking: Reranker = {
  async rerank({ request: { query, documents } }) {
    const wanted = vectorOf(wordsOf(query), dimensions)
    const results = documents.map((document, index) => {
      const vector = vectorOf(wordsOf(document), dimensions)
      return { index, score: wanted.reduce((sum, value, at) => sum + value * vector[at]!, 0) }
    })
    const inputTokens = documents.reduce((sum, document) => sum + tokensOf(document) + tokensOf(query), 0)
    return { results, usage: { inputTokens } }
  },
}

/** The canonical names include the provider, so that `embed` alone never means the sandbox. */
export function sandboxRetrievalModels(provider: string): CatalogSource {
  const price = { input: 0.1, output: 0 }
  const entries = [
    {
      model: `${provider}/embed`,
      endpoints: [{ provider, kind: 'embedding', upstreamModel: 'embed', contextWindow: 128_000, dimensions, price } as const],
    },
    {
      model: `${provider}/rerank`,
      endpoints: [{ provider, kind: 'rerank', upstreamModel: 'rerank', contextWindow: 128_000, price } as const],
    },
  ].map(entry => ({ ...entry, created, ownedBy: 'turnpike', auto: false }))
  return { name: `${provider}-retrieval`, entries: () => entries }
}

function wordsOf(input: EmbeddingInput): readonly string[] {
  return typeof input === 'string' ? (input.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [input]) : input.map(String)
}

function tokensOf(input: EmbeddingInput): number {
  return typeof input === 'string' ? estimateTokens(input.length) : input.length
}

/** Each word adds to two numbers. */
function vectorOf(words: readonly string[], length: number): Float32Array {
  const vector = new Float32Array(length)
  for (const word of words) {
    const hash = hashed(word)
    vector[hash % length]! += 1
    vector[(hash >>> 16) % length]! += hash & 1 ? 0.5 : -0.5
  }
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1
  return vector.map(value => value / norm)
}

function hashed(word: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
