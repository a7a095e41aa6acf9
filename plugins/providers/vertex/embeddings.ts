import { isObject, ProviderFailure, type Endpoint } from '../../../core/index.ts'
import type { EmbeddingDialect, Vector } from '../../../core/kit.ts'
import { taskTypes } from '../gemini/embeddings.ts'

/** "Text embeddings API": one text for models of the Gemini family, 250 and 20,000 tokens for the others. */
const gemini = { inputs: 1 }
const others = { inputs: 250, tokens: 20_000 }

/** The method `predict`. A text that is too long is an error, as it is at other vendors, and never cut. */
export function vertexEmbeddings(modelUrl: (endpoint: Endpoint) => string): EmbeddingDialect {
  return {
    limits: ({ upstreamModel }) => (/gemini/i.test(upstreamModel) ? gemini : others),
    prepare: ({ request: { input, dimensions, purpose }, endpoint }) => ({
      method: 'POST',
      url: `${modelUrl(endpoint)}:predict`,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        instances: input.map(content => ({ content, ...(purpose && { task_type: taskTypes[purpose] }) })),
        parameters: { autoTruncate: false, ...(dimensions !== undefined && { outputDimensionality: dimensions }) },
      }),
    }),
    reply(body) {
      const predictions = isObject(body) ? body['predictions'] : undefined
      if (!Array.isArray(predictions))
        throw new ProviderFailure({ kind: 'protocol', message: 'The provider sent a reply without predictions.' })
      const made = predictions.map(each => (isObject(each) && isObject(each['embeddings']) ? each['embeddings'] : {}))
      const counts = made.map(({ statistics }) => (isObject(statistics) ? statistics['token_count'] : undefined))
      const isCounted = counts.every(count => typeof count === 'number')
      return {
        vectors: made.map(({ values }) => values as Vector),
        usage: isCounted ? { inputTokens: counts.reduce((sum, count) => sum + count, 0) } : undefined,
      }
    },
  }
}
