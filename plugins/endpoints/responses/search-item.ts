import type { JsonObject } from '../../../core/index.ts'
import type { ItemDelta, OpenedSearch, SearchAction, SearchEnd } from '../../../core/kit.ts'
import type { ItemContext, OpenItem } from './open-item.ts'

/** A `web_search_call`. Those of the gateway are sent before the search runs. */
export class SearchItem implements OpenItem {
  readonly #context: ItemContext
  readonly #id: string
  #search: Pick<OpenedSearch, 'status' | 'action' | 'results'>

  constructor(context: ItemContext, item: OpenedSearch) {
    this.#context = context
    this.#id = item.id
    this.#search = item
    context.send?.('response.output_item.added', { output_index: context.outputIndex, item: this.#item('in_progress') })
  }

  write(event: ItemDelta): void {
    if (event.type === 'search-end') this.#search = event satisfies SearchEnd
  }

  close(): JsonObject {
    const item = this.#item(this.#search.status)
    this.#context.send?.('response.output_item.done', { output_index: this.#context.outputIndex, item })
    return item
  }

  #item(status: OpenedSearch['status']): JsonObject {
    const { action, results } = this.#search
    const shown = results && this.#context.request.include?.includes('web_search_call.results') ? { results } : {}
    return { type: 'web_search_call', status, action: shownAction(action), ...shown, id: this.#id }
  }
}

/** In the documented protocol, a search always has its sources. */
function shownAction(action: SearchAction): SearchAction {
  return action.type === 'search' ? { ...action, sources: action.sources ?? [] } : action
}
