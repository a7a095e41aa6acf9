import type { Exchange, Reply } from '../../../core/index.ts'
import { gatewayHeaders, type GatewayServices } from '../../../core/kit.ts'
import { parseDecision } from './parse.ts'

export async function decide(exchange: Exchange, gateway: GatewayServices): Promise<Reply> {
  const request = parseDecision(await exchange.json())
  const { model, answers, usage, extra, attempts } = await gateway.decide(exchange, request, exchange.bodyBytes)
  // Without an attempt, a plugin has answered.
  const provider = attempts > 0 ? model.slice(0, model.indexOf('/')) : undefined
  const known = { id: exchange.id, model, answers, usage }
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...gatewayHeaders({ provider, attempts }) },
    // Extra members from the vendor must not replace members of the protocol.
    body: JSON.stringify({ ...known, ...extra, ...known }),
  }
}
