import type { AdminExchange, AdminServices } from '../../../core/admin.ts'
import type { JsonObject } from '../../../core/index.ts'
import { bodyValidator } from '../../../core/kit.ts'
import { audited } from './audit.ts'
import type { Keys } from './keys.ts'
import type { Stores } from './stores.ts'

export const playgroundSchema: JsonObject = {
  type: 'object',
  required: ['key', 'request'],
  additionalProperties: false,
  properties: {
    key: { type: 'string', minLength: 1, maxLength: 64, description: 'The id of the key.' },
    request: { type: 'object', description: 'The body for the public API.' },
  },
}
const check = bodyValidator(playgroundSchema)

/** Sends a request as a key, with all its rules. It is recorded like any other. */
export async function play(
  stores: Stores,
  keys: Keys,
  surface: 'responses' | 'systemone' | 'decisions',
  exchange: AdminExchange,
  gateway: AdminServices,
): Promise<Response> {
  const body = (await exchange.json()) as { readonly key: string; readonly request: JsonObject }
  check(body)
  const key = await keys.find(exchange, body.key)
  await audited(stores, exchange, gateway, { action: `playground.${surface}`, target: key.id, org: key.org })
  return await gateway.sendAs(key, `/v1/${surface}`, body.request, exchange.signal)
}
