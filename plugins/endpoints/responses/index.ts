import { definePlugin, Routes, type Route } from '../../../core/index.ts'
import { createResponse, type EventSet } from './create.ts'
import {
  describeCancel,
  describeCreate,
  describeDelete,
  describeInputItems,
  describeInputTokens,
  describeRetrieve,
} from './description/descriptions.ts'
import { insteadOf } from './instead-of.ts'
import { listInputItems } from './input-items.ts'
import { countInputTokens } from './input-tokens.ts'
import { isId } from './path-id.ts'
import { cancelResponse, deleteResponse, retrieveResponse } from './stored.ts'

/**
 * `POST /v1/responses` and `POST /v1/responses/input_tokens`; for stored responses, `GET` and `DELETE /v1/responses/{id}`, `input_items`
 * and `cancel`. See docs/protocol/request.md and docs/protocol/stored-responses.md.
 */
export default definePlugin({
  name: 'responses',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      events: {
        type: 'string',
        enum: ['all', 'documented'],
        default: 'all',
        description: '"documented" leaves out the refusal and annotation events, which are not in the documented protocol.',
      },
    },
  },
  setup(gateway, { events }) {
    for (const route of routes(events)) gateway.add<Route>(Routes, { ...route, auth: 'key' })
  },
})

function routes(events: EventSet): readonly Omit<Route, 'auth'>[] {
  const path = '/v1/responses'
  const create: Route['handle'] = (exchange, services) => createResponse(exchange, services, events)
  return [
    { method: 'POST', path, handle: create, describe: describeCreate, insteadOf },
    { method: 'POST', path: `${path}/input_tokens`, handle: countInputTokens, describe: describeInputTokens },
    { method: 'GET', path: `${path}/:id`, serves: isId, handle: retrieveResponse, describe: describeRetrieve },
    { method: 'DELETE', path: `${path}/:id`, serves: isId, handle: deleteResponse, describe: describeDelete },
    { method: 'GET', path: `${path}/:id/input_items`, serves: isId, handle: listInputItems, describe: describeInputItems },
    { method: 'POST', path: `${path}/:id/cancel`, serves: isId, handle: cancelResponse, describe: describeCancel },
  ]
}
