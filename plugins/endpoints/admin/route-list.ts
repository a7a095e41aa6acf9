import type { AdminExchange, AdminServices } from '../../../core/admin.ts'
import { invalidRequest, type Reply } from '../../../core/index.ts'
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
  const wanted = query.text('key')
  if (wanted === undefined && exchange.admin.org !== undefined)
    throw forbidden("This admin token is bound to one organization, so name one of the organization's keys with ?key=.")
  const key = wanted === undefined ? undefined : await keys.find(exchange, wanted)
  return json(snakeCase(await gateway.routes({ model, sort: query.text('sort'), interval: query.text('interval'), key })))
}
