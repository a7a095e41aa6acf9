import { GatewayError, type Exchange, type JsonObject, type Reply } from '../../../core/index.ts'
import { gatewayHeaders, type GatewayServices } from '../../../core/kit.ts'
import { ChunkBody, type StreamForm } from './chunk-body.ts'
import { ContentBuilder } from './content-builder.ts'
import { parseContent } from './parse.ts'
import { circumstancesOf, type Passing } from './passing.ts'
import { publicWarning } from './warnings.ts'

/** `streams`: undefined for a whole reply. */
export async function createContent(
  exchange: Exchange,
  gateway: GatewayServices,
  passing: Passing,
  body: JsonObject,
  model: string,
  streams: StreamForm | undefined,
): Promise<Reply> {
  const { request, warnings, recorded } = parseContent(body, circumstancesOf(exchange, gateway, passing, model, streams !== undefined))
  const stream = streams && exchange.stream()
  const builder = new ContentBuilder(gateway.ids.make('gen'), request, passing.failed, stream && new ChunkBody(stream, streams))
  const run = gateway.generate(exchange, request, builder, { recorded })
  const result = stream ? await run.committed : await run.finished
  if (result instanceof GatewayError) throw result
  const { endpoint, attempts } = result
  const headers = gatewayHeaders({
    // Without an attempt, a plugin has answered.
    provider: attempts > 0 ? endpoint?.provider : undefined,
    attempts: endpoint && attempts,
    warnings: [...result.warnings.map(publicWarning), ...warnings],
  })
  if (!stream) return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(builder.response) }
  const type =
    streams === 'events' ? { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' } : { 'content-type': 'application/json' }
  return { status: 200, headers: { ...type, ...headers }, body: stream }
}
