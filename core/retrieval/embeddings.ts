import type { Endpoint } from '../contracts/catalog.ts'
import type { EmbeddingReply, EmbeddingRequest, Vector, VectorFormat } from '../contracts/embedding.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import { isObject } from '../foundation/json.ts'
import type { KindOfRetrieval } from './kind.ts'
import { assumedDimensions, batches } from './batches.ts'
import { bytesOf, isLarge, packedVectors } from './packed-vectors.ts'
import { joinedUsage } from './usage.ts'
import { own, wording } from '../foundation/wording.ts'

export const embeddings: KindOfRetrieval<EmbeddingRequest, EmbeddingReply> = {
  kind: 'embedding',
  verb: 'makes embeddings',
  texts: ({ input }) => input,
  withTexts: (request, texts) => ({ ...request, input: texts }),
  need({ input }) {
    const texts = input.filter(each => typeof each === 'string')
    const tokens = input.reduce((sum, each) => (typeof each === 'string' ? sum : sum + each.length), 0)
    return { texts, otherInputTokens: tokens, outputTokens: 0, leastOutputTokens: 0, searches: 0 }
  },
  isServedBy: ({ embeddings: embedder }) => embedder !== undefined,
  takesTokens: ({ embeddings: embedder }) => embedder?.takesTokens === true,
  // A batch that is too large is split.
  excess: () => undefined,
  parts(request, { embeddings: embedder }, endpoint: Endpoint) {
    const { formats = ['float'] } = embedder!
    const format = formatFor(request, formats, endpoint)
    const limits = embedder!.limits?.(endpoint) ?? {}
    return batches({ ...request, format }, limits, endpoint)
  },
  ask: ({ embeddings: embedder }, call) => embedder!.embed(call),
  checked(reply, { input }, provider) {
    const broken = (what: string): ProviderFailure =>
      new ProviderFailure({ kind: 'protocol', message: wording`The provider "${own(provider)}" ${own(what)}.` })
    if (!isObject(reply) || !Array.isArray(reply['vectors'])) throw broken('sent a reply without vectors')
    const { vectors, usage } = reply as unknown as EmbeddingReply
    if (vectors.length !== input.length) throw broken(`sent ${vectors.length} vectors for ${input.length} inputs`)
    const bad = vectors.findIndex(vector => !isVector(vector))
    if (bad >= 0) throw broken(`sent no vector for input ${bad}`)
    return { vectors, usage }
  },
  joined: replies => ({ vectors: replies.flatMap(({ vectors }) => vectors), usage: joinedUsage(replies) }),
  packed(reply, parts) {
    const inputs = parts.reduce((sum, { input }) => sum + input.length, 0)
    if (!isLarge(reply.vectors, inputs)) return undefined
    return packedVectors(reply.vectors).then(vectors => ({ reply: { ...reply, vectors }, bytes: bytesOf(vectors) }))
  },
  recorded({ input, model, dimensions }, { vectors }) {
    return {
      request: { model, input, ...(dimensions !== undefined && { dimensions }) },
      // Vectors are large, and mean nothing to a reader.
      response: { vectors: vectors.length },
    }
  },
}

/** Written out, so many numbers take 20 MB: then base64 is better, whatever the caller wants. */
const manyNumbers = 1_000_000

function formatFor({ format, input, dimensions }: EmbeddingRequest, formats: readonly VectorFormat[], endpoint: Endpoint): VectorFormat {
  const numbers = input.length * (dimensions ?? endpoint.dimensions ?? assumedDimensions)
  if (numbers > manyNumbers && formats.includes('base64')) return 'base64'
  return formats.includes(format) ? format : formats[0]!
}

/** Only the form is checked: to read the numbers of a large batch takes too long. */
function isVector(vector: Vector): boolean {
  if (typeof vector === 'string') return vector.length > 0
  if (vector instanceof Float32Array || Array.isArray(vector)) return (vector as readonly number[]).length > 0
  return isObject(vector) && typeof vector.json === 'string'
}
