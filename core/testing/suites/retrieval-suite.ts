import assert from 'node:assert/strict'
import pTimeout from 'p-timeout'
import type { Endpoint } from '../../contracts/catalog.ts'
import type { EmbeddingRequest, Vector } from '../../contracts/embedding.ts'
import { ProviderFailure, type Provider } from '../../contracts/provider.ts'
import type { RerankRequest } from '../../contracts/rerank.ts'
import type { RetrievalCall } from '../../contracts/retrieval.ts'
import { frozen } from '../frozen.ts'
import { providerCall } from '../provider-call.ts'
import type { SuiteContext } from '../provider-suite.ts'

/** For `retrievalSuite`. */
export interface RetrievalSuiteOptions {
  /** A provider with embeddings, with rerankings, or with both, whose upstream answers the requests. */
  readonly provider: Provider
  /** Sent one by one, and three at once. Default: none. */
  readonly embeddings?: readonly EmbeddingRequest[]
  /** Sent one by one. Default: none. */
  readonly rerankings?: readonly RerankRequest[]
  /** Missing members are those of one without known capabilities. */
  readonly endpoint?: Partial<Endpoint>
  /** How quickly it must stop after an abort. Default: 1000. */
  readonly stopMs?: number
}

/** Tests for every provider that makes embeddings or reranks, against an upstream that answers. */
export function retrievalSuite(t: SuiteContext, options: RetrievalSuiteOptions): void {
  const { provider, embeddings = [], rerankings = [] } = options
  for (const [index, request] of embeddings.entries()) {
    const name = `embedding ${index + 1}`
    const embed = (signal?: AbortSignal): ReturnType<NonNullable<Provider['embeddings']>['embed']> =>
      embedderOf(provider).embed(callOf(options, request, signal))
    t.test(`${name}: has one vector for each input, all of one length`, async () => hasVectors(request, (await embed()).vectors))
    t.test(`${name}: answers several callers at once`, async () => {
      for (const reply of await Promise.all([embed(), embed(), embed()])) hasVectors(request, reply.vectors)
    })
    t.test(`${name}: stops when it is aborted`, async () => stops(options, embed))
  }
  for (const [index, request] of rerankings.entries()) {
    const name = `reranking ${index + 1}`
    const rerank = (signal?: AbortSignal): ReturnType<NonNullable<Provider['reranking']>['rerank']> =>
      rerankerOf(provider).rerank(callOf(options, request, signal))
    t.test(`${name}: ranks documents of the request, each once`, async () => hasResults(request, (await rerank()).results))
    t.test(`${name}: stops when it is aborted`, async () => stops(options, rerank))
  }
}

function embedderOf({ id, embeddings }: Provider): NonNullable<Provider['embeddings']> {
  return embeddings ?? assert.fail(`the provider ${id} makes no embeddings`)
}

function rerankerOf({ id, reranking }: Provider): NonNullable<Provider['reranking']> {
  return reranking ?? assert.fail(`the provider ${id} does not rerank`)
}

/** The request is frozen: writing to it throws. */
function callOf<R extends { readonly model: string }>(
  { provider, endpoint }: RetrievalSuiteOptions,
  request: R,
  signal?: AbortSignal,
): RetrievalCall<R> {
  const call = providerCall(
    { model: request.model, input: [] },
    {
      endpoint: { provider: provider.id, ...endpoint },
      credentialId: provider.credentials?.[0]?.id,
      ...(signal && { signal }),
    },
  )
  return { ...call, request: frozen(request) }
}

function hasVectors({ input, dimensions }: EmbeddingRequest, vectors: readonly Vector[]): void {
  assert.equal(vectors.length, input.length, 'expected one vector for each input')
  const lengths = new Set(vectors.map(lengthOf))
  assert.equal(lengths.size, 1, `the vectors have the lengths ${[...lengths].join(', ')}`)
  if (dimensions !== undefined) assert.deepEqual([...lengths], [dimensions])
}

function lengthOf(vector: Vector): number {
  if (typeof vector === 'string') return Buffer.from(vector, 'base64').length / 4
  const numbers = 'json' in vector ? (JSON.parse(vector.json) as readonly number[]) : vector
  for (const number of numbers) assert.ok(Number.isFinite(number), `a vector has ${number}`)
  return numbers.length
}

function hasResults(
  { documents, top = documents.length }: RerankRequest,
  results: readonly { readonly index: number; readonly score: number }[],
): void {
  assert.ok(
    results.length > 0 && results.length <= Math.min(top, documents.length),
    `${results.length} results for ${documents.length} documents`,
  )
  assert.equal(new Set(results.map(({ index }) => index)).size, results.length, 'a document is ranked twice')
  for (const { index, score } of results) {
    assert.ok(Number.isInteger(index) && index >= 0 && index < documents.length, `there is no document ${index}`)
    assert.ok(Number.isFinite(score), `the score of document ${index} is ${score}`)
  }
}

async function stops({ stopMs = 1_000 }: RetrievalSuiteOptions, ask: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const ended = (signal: AbortSignal): Promise<unknown> =>
    ask(signal).catch((error: unknown) =>
      assert.ok(!ProviderFailure.is(error), 'an aborted call must not count as a failure of the provider'),
    )
  await pTimeout(ended(AbortSignal.abort(new Error('gone'))), { milliseconds: stopMs, message: `it did not stop within ${stopMs} ms` })
  const leaving = new AbortController()
  const ending = ended(leaving.signal)
  leaving.abort(new Error('the caller left'))
  await pTimeout(ending, { milliseconds: stopMs, message: `it did not stop within ${stopMs} ms` })
}
