import { GatewayError, invalidRequest, type Exchange, type JsonObject, type Reply } from '../../../core/index.ts'
import { type GatewayServices, type StoredResponses, wording } from '../../../core/kit.ts'
import type { LazyBackground } from './background/setup.ts'
import { startingAfter } from './background/starting-after.ts'
import type { BackgroundState, StoredResponse } from '../../../core/stores.ts'
import { includedBy, shownItem, type Included } from './included.ts'
import { pathId } from './path-id.ts'
import { jsonReply } from './replies.ts'
import { single } from './single.ts'

// Stored responses: docs/protocol/stored-responses.md.

export async function retrieveResponse(
  exchange: Exchange,
  { responses }: GatewayServices,
  background: LazyBackground | undefined,
): Promise<Reply> {
  const id = pathId(exchange)
  const { query } = exchange
  const included = includedBy(query)
  const stream = single(query, 'stream') ?? 'false'
  if (stream !== 'true' && stream !== 'false') throw invalidRequest(wording`Invalid value for 'stream': expected true or false.`, 'stream')
  const after = startingAfter(query)
  if (stream === 'true') {
    const resumed = background && (await (await running()).resume(exchange, await background(), id, after))
    if (resumed) return resumed
    await responses.find(exchange.caller, id)
    throw invalidRequest(notResumable, 'stream')
  }
  const stored = background ? await findOr(responses, exchange, id, background) : await responses.find(exchange.caller, id)
  if ('status' in stored) return jsonReply((await running()).shown(stored))
  return jsonReply({ ...stored.body, output: shownOutput(stored, included) })
}

export async function deleteResponse(
  exchange: Exchange,
  { responses }: GatewayServices,
  background: LazyBackground | undefined,
): Promise<Reply> {
  const id = pathId(exchange)
  const remove = (): Promise<void> => responses.remove(exchange.caller, id)
  if (background) await (await running()).remove(await background(), exchange.caller.owner, id, remove)
  else await remove()
  return jsonReply({ id, object: 'response', deleted: true })
}

/** Only background responses can be cancelled. */
export async function cancelResponse(
  exchange: Exchange,
  { responses }: GatewayServices,
  background: LazyBackground | undefined,
): Promise<Reply> {
  const id = pathId(exchange)
  const cancelled = background && (await (await running()).cancel(exchange, await background(), id))
  if (cancelled) return jsonReply(cancelled)
  const stored = await responses.find(exchange.caller, id)
  const { body } = stored
  // It is over.
  if (background && body['background'] === true) return jsonReply({ ...body, output: shownOutput(stored, includedBy(exchange.query)) })
  throw invalidRequest(wording`Cannot cancel a synchronous response.`)
}

const notResumable = wording`A stored response cannot be streamed, except a background response for some hours after its end. Request it without stream.`

/** Loaded when a response is asked for that is not stored, or only background responses can have what is asked. */
function running(): Promise<typeof import('./background/requests.ts')> {
  return import('./background/requests.ts')
}

/** A stored response, or else the state of a background response, which is not stored before it is complete. */
export async function findOr(
  responses: StoredResponses,
  { caller }: Exchange,
  id: string,
  background: LazyBackground,
): Promise<StoredResponse | BackgroundState> {
  try {
    return await responses.find(caller, id)
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status !== 404) throw error
    const state = await (await background()).find(caller.owner, id)
    if (!state) throw error
    const { isStoredElsewhere } = await running()
    // It was completed just now.
    return isStoredElsewhere(state) ? await responses.find(caller, id) : state
  }
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
