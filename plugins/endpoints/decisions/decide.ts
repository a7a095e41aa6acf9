import { GatewayError, isObject, type Exchange, type Reply } from '../../../core/index.ts'
import { gatewayHeaders, type GatewayServices, type Warning } from '../../../core/kit.ts'
import type { Alias } from './alias.ts'
import { parseDecision } from './parse.ts'

/** `POST /v1/systemone`. */
export async function decide(exchange: Exchange, gateway: GatewayServices): Promise<Reply> {
  return await decided(exchange, gateway, await exchange.json())
}

/** `POST /v1/decisions`: the public format and, while the alias lasts, that of `/v1/systemone`. */
export async function decideEither(exchange: Exchange, gateway: GatewayServices, alias: Alias): Promise<Reply> {
  const body = await exchange.json()
  if (!alias.takes(body, gateway.clock.now())) {
    const { createDecision } = await import('./public/create.ts')
    return await createDecision(exchange, gateway, body)
  }
  try {
    const reply = await decided(exchange, gateway, body)
    return { ...reply, headers: { ...reply.headers, ...alias.headers } }
  } catch (error) {
    if (error instanceof GatewayError) alias.note(error)
    throw error
  }
}

async function decided(exchange: Exchange, gateway: GatewayServices, body: unknown): Promise<Reply> {
  const request = parseDecision(body)
  const {
    model,
    answers,
    usage,
    extra,
    attempts,
    warnings: lost = [],
    costUsd,
  } = await gateway.decide(exchange, request, exchange.bodyBytes)
  const warnings = isStreamAsked(body) ? [...lost, streamIgnored] : lost
  // Without an attempt, a plugin has answered.
  const provider = attempts > 0 ? model.slice(0, model.indexOf('/')) : undefined
  const known = { id: exchange.id, model, answers, usage }
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...gatewayHeaders({ provider, attempts, warnings, costUsd }) },
    // Extra members from the vendor must not replace members of the protocol.
    body: JSON.stringify({ ...known, ...extra, ...known }),
  }
}

const streamIgnored: Warning = { param: 'stream', message: 'ignored, the answer is one JSON object' }

function isStreamAsked(body: unknown): boolean {
  return isObject(body) && Boolean(body['stream'])
}
