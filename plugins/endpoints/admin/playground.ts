import type { AdminExchange, AdminServices, OpenTrial } from '../../../core/admin.ts'
import type { JsonObject, Reply } from '../../../core/index.ts'
import { bodyValidator } from '../../../core/kit.ts'
import { audited } from './audit.ts'
import type { Keys } from './keys.ts'
import { notFound } from './refusals.ts'
import { json } from './replies.ts'
import type { Stores } from './stores.ts'

export const playgroundSchema: JsonObject = {
  type: 'object',
  required: ['key', 'request'],
  additionalProperties: false,
  properties: {
    key: { type: 'string', minLength: 1, maxLength: 64, description: 'The id of the key.' },
    request: { type: 'object', description: 'The body for the public API, with `model`, also where the API has the model in its path.' },
  },
}
const check = bodyValidator(playgroundSchema)

/** The surfaces that can be tried. */
export function listTrials({ trials }: AdminServices): Reply {
  return json({ data: trials.map(({ texts = [], thoughts = [], ...trial }) => ({ ...trial, texts, thoughts })) })
}

/** Sends a request as a key, with all its rules. It is recorded like any other. */
export async function play(stores: Stores, keys: Keys, exchange: AdminExchange, gateway: AdminServices): Promise<Response> {
  const name = exchange.params['name'] ?? ''
  const trial = gateway.trials.find(each => each.name === name)
  if (!trial) throw notFound('surface', name)
  const body = (await exchange.json()) as { readonly key: string; readonly request: JsonObject }
  check(body)
  const key = await keys.find(exchange, body.key)
  await audited(stores, exchange, gateway, { action: `playground.${name}`, target: key.id, org: key.org })
  const { path, request } = addressed(trial, body.request)
  return await gateway.sendAs(key, path, request, exchange.signal)
}

function addressed({ path }: OpenTrial, body: JsonObject): { readonly path: string; readonly request: JsonObject } {
  if (!path.includes('{model}')) return { path, request: body }
  const { model, ...request } = body
  return { path: path.replace('{model}', () => encodeURIComponent(String(model ?? ''))), request }
}
