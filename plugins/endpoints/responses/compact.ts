import { GatewayError, invalidRequest, isObject, type Exchange, type Reply } from '../../../core/index.ts'
import { gatewayHeaders, type GatewayServices, type Warning, wording } from '../../../core/kit.ts'
import { CompactionBuilder } from './compaction-builder.ts'
import { neutralRequest, publicWarning } from './neutral-request.ts'
import { parseRequest } from './parse.ts'
import { jsonReply } from './replies.ts'
import type { OnUnsupported } from './without-effect.ts'

/** `POST /v1/responses/compact`: the body of a generation, whose answer is a compaction: docs/protocol/compaction.md. */
export async function compactResponse(exchange: Exchange, gateway: GatewayServices, unsupported: OnUnsupported): Promise<Reply> {
  const given = await exchange.json()
  const { body, warnings } = parseRequest(triggered(given), { toolTypes: gateway.toolTypes, unsupported })
  const builder = new CompactionBuilder(gateway.ids, gateway.clock)
  const { request, envelope } = neutralRequest(body)
  const result = await gateway.generate(exchange, request, builder, envelope).finished
  if (result instanceof GatewayError) throw result
  const { endpoint, attempts } = result
  const headers = gatewayHeaders({
    provider: endpoint.provider,
    attempts,
    warnings: [...result.warnings.map(publicWarning), ...warnings, ...withoutEffect(given)],
  })
  return jsonReply(builder.compaction, headers)
}

/** Members of a request that mean nothing here. */
const idle = ['stream', 'background', 'conversation', 'context_management'] as const

function withoutEffect(given: unknown): readonly Warning[] {
  const asked = isObject(given) ? idle.filter(name => given[name] !== undefined && given[name] !== null && given[name] !== false) : []
  return asked.map(param => ({ param, message: 'has no effect when a conversation is compacted' }))
}

/** The trigger takes the place of an answer. Nothing is stored, and there is nothing to stream. */
function triggered(given: unknown): unknown {
  if (!isObject(given)) return given
  const body: Record<string, unknown> = { ...given }
  for (const name of idle) delete body[name]
  const { input, previous_response_id: continues } = given
  if ((input ?? undefined) === undefined && (continues ?? undefined) === undefined)
    throw invalidRequest(
      wording`Send the conversation to compact as input, or name the stored response that ends it as previous_response_id.`,
      'input',
    )
  const trigger = { type: 'compaction_trigger' }
  if (input !== undefined && input !== null && typeof input !== 'string' && !Array.isArray(input)) return body
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? [])
  const last: unknown = items.at(-1)
  const isTriggered = isObject(last) && last['type'] === trigger.type
  return { ...body, input: isTriggered ? items : [...items, trigger], store: false }
}
