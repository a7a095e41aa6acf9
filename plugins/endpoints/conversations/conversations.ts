import type { Exchange, JsonObject, Reply } from '../../../core/index.ts'
import type { ConversationAddress, StoredConversation } from '../../../core/stores.ts'
import { jsonReply } from '../responses/replies.ts'
import type { KeptConversations } from './kept-conversations.ts'
import { checkedId, checkLogging } from './refusals.ts'
import { changeBody, createBody } from './request-body.ts'

export async function createConversation(exchange: Exchange, kept: KeptConversations): Promise<Reply> {
  checkLogging(exchange.caller)
  const { metadata, items } = createBody(isEmpty(exchange) ? {} : await exchange.json(), kept.gateway)
  return jsonReply(shown(await kept.create(exchange.caller, metadata, items)))
}

export async function readConversation(exchange: Exchange, kept: KeptConversations): Promise<Reply> {
  return jsonReply(shown(await kept.find(addressOf(exchange))))
}

export async function changeConversation(exchange: Exchange, kept: KeptConversations): Promise<Reply> {
  const at = addressOf(exchange)
  checkLogging(exchange.caller)
  return jsonReply(shown(await kept.change(at, changeBody(await exchange.json()))))
}

export async function deleteConversation(exchange: Exchange, kept: KeptConversations): Promise<Reply> {
  const at = addressOf(exchange)
  await kept.delete(at)
  return jsonReply({ id: at.id, object: 'conversation.deleted', deleted: true })
}

/** The conversation in the path. Throws a 400 for an id that cannot exist. */
export function addressOf({ caller, params }: Exchange): ConversationAddress {
  return { owner: caller.owner, id: checkedId(params['id'] ?? '', 'id') }
}

export function shown({ id, createdAt, metadata }: StoredConversation): JsonObject {
  return { id, object: 'conversation', created_at: Math.floor(createdAt / 1000), metadata }
}

/** Every member is optional, so a body is, too. */
function isEmpty({ headers }: Exchange): boolean {
  return headers.get('content-type') === null && (headers.get('content-length') ?? '0') === '0' && headers.get('transfer-encoding') === null
}
