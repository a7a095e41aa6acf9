import { setImmediate } from 'node:timers/promises'
import type { Exchange, Reply } from '../../../core/index.ts'
import { gatewayHeaders, vectorBase64, vectorJson, type Embedded, type GatewayServices, type VectorFormat } from '../../../core/kit.ts'
import { parseEmbeddings } from './parse.ts'

/** Room for lists with as many tokens as a request may have. */
const maxValues = 310_000
const longBody = 200_000
/** Longer replies are made piece by piece, as the client reads them. */
const longCharacters = 64 * 1024

export async function createEmbeddings(exchange: Exchange, gateway: GatewayServices): Promise<Reply> {
  const json = await exchange.json({ maxValues })
  // Long lists of tokens take a few milliseconds in each of these steps.
  if (exchange.bodyBytes! > longBody) await setImmediate()
  const request = parseEmbeddings(json)
  const embedded = await gateway.embed(exchange, request, exchange.bodyBytes)
  const { provider, attempts } = embedded
  const headers = {
    'content-type': 'application/json',
    // Without an attempt, a plugin has answered.
    ...gatewayHeaders({ provider: attempts > 0 ? provider : undefined, attempts }),
  }
  const pieces = piecesOf(embedded, request.format)
  let text = ''
  for (let piece = pieces.next(); ; piece = pieces.next()) {
    if (piece.done) return { status: 200, headers, body: text }
    text += piece.value
    if (text.length >= longCharacters) break
  }
  const body = exchange.stream()
  body.writeLong(from(text, pieces))
  body.end()
  // The body has no head yet.
  const sent = setImmediate().then(() => body.drained())
  embedded.keepUntil(sent, () => body.abandon())
  return { status: 200, headers, body }
}

function* from(first: string, rest: Iterator<string, void>): Generator<string, void> {
  yield first
  for (let piece = rest.next(); !piece.done; piece = rest.next()) yield piece.value
}

/** The JSON text of the reply, one piece for each vector. */
function* piecesOf({ vectors, model, inputTokens, costUsd }: Embedded, format: VectorFormat): Generator<string, void> {
  yield '{"object":"list","data":['
  for (const [index, vector] of vectors.entries()) {
    const embedding = format === 'base64' ? JSON.stringify(vectorBase64(vector)) : vectorJson(vector)
    yield `${index > 0 ? ',' : ''}{"object":"embedding","index":${index},"embedding":${embedding}}`
  }
  const usage = { prompt_tokens: inputTokens, total_tokens: inputTokens, cost_usd: costUsd }
  yield `],"model":${JSON.stringify(model)},"usage":${JSON.stringify(usage)}}`
}
