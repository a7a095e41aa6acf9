import type { Exchange, Reply } from '../../../core/index.ts'
import type { ItemPageQuery, KeptItem } from '../../../core/stores.ts'
import { includedBy } from '../responses/included.ts'
import { pageQuery } from '../responses/page-query.ts'
import { jsonReply } from '../responses/replies.ts'
import { single } from '../responses/single.ts'
import { addressOf, shown } from './conversations.ts'
import type { KeptConversations } from './kept-conversations.ts'
import { checkLogging } from './refusals.ts'
import { addBody } from './request-body.ts'
import { shownItem } from './shown-item.ts'

export async function addItems(exchange: Exchange, kept: KeptConversations): Promise<Reply> {
  const at = addressOf(exchange)
  checkLogging(exchange.caller)
  const items = addBody(await exchange.json(), kept.gateway)
  return listReply(exchange, await kept.add(at, items), false)
}

/** The newest first by default. */
export async function listItems(exchange: Exchange, kept: KeptConversations): Promise<Reply> {
  const { items, hasMore } = await kept.page(addressOf(exchange), pageOf(exchange.query))
  return listReply(exchange, items, hasMore)
}

export async function readItem(exchange: Exchange, kept: KeptConversations): Promise<Reply> {
  const included = includedBy(exchange.query)
  return jsonReply(shownItem(await kept.item(addressOf(exchange), itemId(exchange)), included))
}

/** Answers the conversation, as the public protocol does. */
export async function deleteItem(exchange: Exchange, kept: KeptConversations): Promise<Reply> {
  return jsonReply(shown(await kept.deleteItem(addressOf(exchange), itemId(exchange))))
}

function listReply({ query }: Exchange, items: readonly KeptItem[], hasMore: boolean): Reply {
  const included = includedBy(query)
  return jsonReply({
    object: 'list',
    data: items.map(item => shownItem(item, included)),
    first_id: items.at(0)?.id ?? null,
    last_id: items.at(-1)?.id ?? null,
    has_more: hasMore,
  })
}

function pageOf(query: URLSearchParams): ItemPageQuery {
  return { ...pageQuery(query), after: single(query, 'after') ?? undefined }
}

function itemId({ params }: Exchange): string {
  return params['item'] ?? ''
}
