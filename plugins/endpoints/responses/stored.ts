import { invalidRequest, type Exchange, type JsonObject, type Reply } from '../../../core/index.ts'
import type { GatewayServices } from '../../../core/kit.ts'
import type { StoredResponse } from '../../../core/stores.ts'
import { includedBy, shownItem, type Included } from './included.ts'
import { pathId } from './path-id.ts'
import { jsonReply } from './replies.ts'
import { single } from './single.ts'

// Stored responses: docs/protocol/stored-responses.md.

export async function retrieveResponse(exchange: Exchange, { responses }: GatewayServices): Promise<Reply> {
  const id = pathId(exchange)
  const { query } = exchange
  const included = includedBy(query)
  const stream = single(query, 'stream') ?? 'false'
  if (stream === 'true')
    throw invalidRequest('A stored response cannot be streamed. Request it without stream, or stream it when you create it.', 'stream')
  if (stream !== 'false') throw invalidRequest("Invalid value for 'stream': expected false.", 'stream')
  const stored = await responses.find(exchange.caller, id)
  return jsonReply({ ...stored.body, output: shownOutput(stored, included) })
}

export async function deleteResponse(exchange: Exchange, { responses }: GatewayServices): Promise<Reply> {
  const id = pathId(exchange)
  await responses.remove(exchange.caller, id)
  return jsonReply({ id, object: 'response', deleted: true })
}

/** Only background responses can be cancelled, and the gateway has none. */
export async function cancelResponse(exchange: Exchange, { responses }: GatewayServices): Promise<never> {
  await responses.find(exchange.caller, pathId(exchange))
  throw invalidRequest('Cannot cancel a synchronous response.')
}

/** The output as the client saw it, plus members that it did not include at the time. */
function shownOutput({ body, output }: StoredResponse, included: Included): readonly JsonObject[] {
  const turn = new Map<unknown, JsonObject>((output as readonly JsonObject[]).map(item => [item['id'], item]))
  // A store may keep the items of an answer only once.
  const shown = (body['output'] ?? output) as readonly JsonObject[]
  return shown.map(item => shownItem(completed(item, turn.get(item['id']) ?? {}), included))
}

function completed(item: JsonObject, stored: JsonObject): JsonObject {
  const member = item['type'] === 'reasoning' ? 'encrypted_content' : item['type'] === 'web_search_call' ? 'results' : undefined
  return member === undefined || member in item || stored[member] === undefined ? item : { ...item, [member]: stored[member] }
}
