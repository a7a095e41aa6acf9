import { GatewayError, type Exchange, type Reply } from '../../../core/index.ts'
import { gatewayHeaders, type GatewayServices } from '../../../core/kit.ts'
import { CompletionBuilder } from './completion-builder.ts'
import { parseRequest } from './parse.ts'
import { circumstancesOf, type Passing } from './passing.ts'
import { publicError, publicWarning } from './warnings.ts'

/** `failed`: the status of a request that every endpoint failed. */
export async function createCompletion(exchange: Exchange, gateway: GatewayServices, failed: number, passing: Passing): Promise<Reply> {
  const body = await exchange.json()
  const { request, form, places, warnings, recorded } = parseRequest(body, circumstancesOf(exchange, gateway, passing))
  const stream = request.stream ? exchange.stream() : undefined
  const id = gateway.ids.make('chatcmpl')
  const created = Math.floor(gateway.clock.now() / 1000)
  const builder = new CompletionBuilder({ id, created, model: request.model }, form, error => publicError(error, places), failed, stream)
  const run = gateway.generate(exchange, request, builder, { recorded })
  const result = stream ? await run.committed : await run.finished
  if (result instanceof GatewayError) throw publicError(result, places)
  const { endpoint, attempts } = result
  const headers = gatewayHeaders({
    // Without an attempt, a plugin has answered.
    provider: attempts > 0 ? endpoint?.provider : undefined,
    attempts: endpoint && attempts,
    warnings: [...result.warnings.map(publicWarning), ...warnings],
  })
  if (stream)
    return { status: 200, headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers }, body: stream }
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(builder.completion) }
}
