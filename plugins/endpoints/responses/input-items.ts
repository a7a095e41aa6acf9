import { invalidRequest, type Exchange, type JsonObject, type Reply } from '../../../core/index.ts'
import { type GatewayServices, wording, own } from '../../../core/kit.ts'
import type { LazyBackground } from './background/setup.ts'
import { includedBy, shownItem } from './included.ts'
import { pageQuery, type PageQuery } from './page-query.ts'
import { pathId } from './path-id.ts'
import { jsonReply } from './replies.ts'
import { single } from './single.ts'
import { findOr } from './stored.ts'

/** The requested part of the list. */
interface Page extends PageQuery {
  /** The id of the item right before or after the page. */
  readonly after: string | null
  readonly before: string | null
}

/** `GET /v1/responses/{id}/input_items`: the input of this request alone, newest first by default. */
export async function listInputItems(
  exchange: Exchange,
  { responses }: GatewayServices,
  background: LazyBackground | undefined,
): Promise<Reply> {
  const id = pathId(exchange)
  const { query } = exchange
  const included = includedBy(query)
  const page = pageOf(query)
  const { input } = background ? await findOr(responses, exchange, id, background) : await responses.find(exchange.caller, id)
  const { items, hasMore } = cut(input as readonly JsonObject[], page)
  return jsonReply({
    object: 'list',
    data: items.map(item => shownItem(withStatus(item), included)),
    first_id: items.at(0)?.['id'] ?? null,
    last_id: items.at(-1)?.['id'] ?? null,
    has_more: hasMore,
  })
}

function pageOf(query: URLSearchParams): Page {
  return { ...pageQuery(query), after: single(query, 'after'), before: single(query, 'before') }
}

/** With `before` alone, the page ends right there. */
function cut(input: readonly JsonObject[], { limit, order, after, before }: Page): { items: readonly JsonObject[]; hasMore: boolean } {
  const all = order === 'asc' ? input : input.toReversed()
  const from = after === null ? 0 : place(all, after, 'after') + 1
  const to = before === null ? all.length : place(all, before, 'before')
  const between = all.slice(from, Math.max(from, to))
  const backwards = before !== null && after === null
  return { items: backwards ? between.slice(-limit) : between.slice(0, limit), hasMore: between.length > limit }
}

function place(items: readonly JsonObject[], id: string, param: string): number {
  const index = items.findIndex(item => item['id'] === id)
  if (index < 0) throw invalidRequest(wording`Invalid value for '${own(param)}': this response has no input item with that id.`, param)
  return index
}

function withStatus(item: JsonObject): JsonObject {
  return item['type'] === 'message' ? { ...item, status: item['status'] ?? 'completed' } : item
}
