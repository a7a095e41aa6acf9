import { setImmediate } from 'node:timers/promises'
import type { Exchange, JsonObject, Reply } from '../../../core/index.ts'
import { gatewayHeaders, vectorJson, type Embedded, type GatewayServices } from '../../../core/kit.ts'
import { parseEmbedContents } from './embed-body.ts'

/** Longer replies are made piece by piece, as the client reads them. */
const longCharacters = 64 * 1024

export async function embedContents(
  exchange: Exchange,
  gateway: GatewayServices,
  body: JsonObject,
  model: string,
  isBatch: boolean,
): Promise<Reply> {
  const { request, warnings } = parseEmbedContents(body, model, isBatch)
  const embedded = await gateway.embed(exchange, request, exchange.bodyBytes)
  const { provider, attempts } = embedded
  const headers = {
    'content-type': 'application/json',
    // Without an attempt, a plugin has answered.
    ...gatewayHeaders({ provider: attempts > 0 ? provider : undefined, attempts, warnings }),
  }
  const pieces = piecesOf(embedded, isBatch)
  let text = ''
  for (let piece = pieces.next(); ; piece = pieces.next()) {
    if (piece.done) return { status: 200, headers, body: text }
    text += piece.value
    if (text.length >= longCharacters) break
  }
  const stream = exchange.stream()
  stream.writeLong(from(text, pieces))
  stream.end()
  // The body has no head yet.
  const sent = setImmediate().then(() => stream.drained())
  embedded.keepUntil(sent, () => stream.abandon())
  return { status: 200, headers, body: stream }
}

function* from(first: string, rest: Iterator<string, void>): Generator<string, void> {
  yield first
  for (let piece = rest.next(); !piece.done; piece = rest.next()) yield piece.value
}

/** The JSON text of the reply, one piece for each vector. */
function* piecesOf({ vectors, inputTokens, costUsd }: Embedded, isBatch: boolean): Generator<string, void> {
  yield isBatch ? '{"embeddings":[' : '{"embedding":'
  for (const [index, vector] of vectors.entries()) yield `${index > 0 ? ',' : ''}{"values":${vectorJson(vector)}}`
  yield `${isBatch ? ']' : ''},"usageMetadata":${JSON.stringify({ promptTokenCount: inputTokens, costUsd })}}`
}
