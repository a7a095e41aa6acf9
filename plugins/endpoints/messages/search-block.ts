import type { ItemDelta, OpenedSearch, SearchEnd } from '../../../core/kit.ts'
import type { BlockContext, OpenBlock } from './open-block.ts'

/** Before the id of a search that the vendor of this dialect has not made. The rest is the id of the item, which begins with `ws_`. */
export const searchIdPrefix = 'srvtoolu_ws_'

/** A search as a `server_tool_use`, and its `web_search_tool_result`. Those of the gateway are sent before the search runs. */
export class SearchBlock implements OpenBlock {
  readonly #context: BlockContext
  readonly #id: string
  #search: Pick<OpenedSearch, 'status' | 'action' | 'results'>

  constructor(context: BlockContext, search: OpenedSearch) {
    this.#context = context
    this.#id = `srvtoolu_${search.id}`
    this.#search = search
    const { action } = search
    if (action.type !== 'search') return
    const use = { type: 'server_tool_use', id: this.#id, name: 'web_search', input: {} }
    const input = { query: action.query }
    const index = context.start(use)
    context.delta(index, { type: 'input_json_delta', partial_json: JSON.stringify(input) })
    context.stop(index, { ...use, input })
  }

  write(event: ItemDelta): void {
    if (event.type === 'search-end') this.#search = event satisfies SearchEnd
  }

  extra(): void {}

  close(): void {
    const { status, action, results } = this.#search
    // A page that the model opened has no block here.
    if (action.type !== 'search') return
    const pages = results ?? action.sources ?? []
    const content =
      status === 'failed'
        ? { type: 'web_search_tool_result_error', error_code: 'unavailable' }
        : pages.map(page => ({
            type: 'web_search_result',
            url: page.url,
            title: 'title' in page ? page.title : page.url,
            encrypted_content: '',
            page_age: null,
          }))
    const block = { type: 'web_search_tool_result', tool_use_id: this.#id, content }
    this.#context.stop(this.#context.start(block), block)
  }
}
