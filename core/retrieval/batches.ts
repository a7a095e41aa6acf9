import type { Endpoint } from '../contracts/catalog.ts'
import type { EmbeddingInput, EmbeddingLimits, EmbeddingRequest } from '../contracts/embedding.ts'

/** Written out, a number has about 20 characters: a few replies at a time take less than 30 MB. */
const maxNumbers = 300_000
const maxEncodedNumbers = 8_000_000
/** Where nobody says how long the vectors are. */
export const assumedDimensions = 4_096

/** Splits a batch into requests that the vendor accepts and whose replies are not too large. */
export function batches(request: EmbeddingRequest, limits: EmbeddingLimits, { dimensions }: Endpoint): readonly EmbeddingRequest[] {
  const { input, format } = request
  const length = request.dimensions ?? dimensions ?? assumedDimensions
  const fitting = Math.floor((format === 'float' ? maxNumbers : maxEncodedNumbers) / length)
  const maxInputs = Math.max(1, Math.min(limits.inputs ?? Infinity, fitting))
  const maxTokens = limits.tokens ?? Infinity
  if (input.length <= maxInputs && maxTokens === Infinity) return [request]
  const parts: EmbeddingRequest[] = []
  let part: EmbeddingInput[] = []
  let tokens = 0
  for (const each of input) {
    const size = maxTokens === Infinity ? 0 : upperBound(each)
    if (part.length > 0 && (part.length >= maxInputs || tokens + size > maxTokens)) {
      parts.push({ ...request, input: Object.freeze(part) })
      part = []
      tokens = 0
    }
    part.push(each)
    tokens += size
  }
  parts.push({ ...request, input: Object.freeze(part) })
  return parts
}

/** A guess on the safe side: few texts have more than one token in two characters. */
function upperBound(input: EmbeddingInput): number {
  return typeof input === 'string' ? Math.ceil(input.length / 2) : input.length
}
