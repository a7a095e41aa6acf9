import { intervalMsOf, invalidRequest, type AdminExchange, type AdminServices, type Reply } from '../../../core/index.ts'
import type { Keys } from './keys.ts'
import { Query } from './query.ts'
import { forbidden } from './refusals.ts'
import { json } from './replies.ts'
import { snakeCase } from './snake-case.ts'

/** `GET routes`: without a key, everything is allowed, so tokens of one organization must name one of its keys. */
export async function listRoutes(keys: Keys, exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
  const query = new Query(exchange.query, ['model', 'sort', 'interval', 'key'])
  const model = query.text('model')
  if (model === undefined) throw invalidRequest("Missing required parameter: 'model'.", 'model', 'missing_required_parameter')
  const interval = query.text('interval')
  if (interval !== undefined && intervalMsOf(interval) === undefined)
    throw invalidRequest("Invalid value for 'interval': expected a whole number and a unit, such as 15m, 1h or 2 days.", 'interval')
  const wanted = query.text('key')
  if (wanted === undefined && exchange.admin.org !== undefined)
    throw forbidden('This admin token is for one organization, so name one of its keys with ?key=.')
  const key = wanted === undefined ? undefined : await keys.find(exchange, wanted)
  return json(snakeCase(await gateway.routes({ model, sort: query.text('sort'), interval, key })))
}
