import type { ItemDelta, OpenedSearch, SearchEnd } from '../../../core/kit.ts'
import type { OpenPart, PartContext } from './open-part.ts'

/** A search. It is no part: the answer's `groundingMetadata` tells of it. */
export class SearchPart implements OpenPart {
  readonly #context: PartContext
  #search: Pick<OpenedSearch, 'status' | 'action' | 'results'>

  constructor(context: PartContext, search: OpenedSearch) {
    this.#context = context
    this.#search = search
  }

  write(event: ItemDelta): void {
    if (event.type === 'search-end') this.#search = event satisfies SearchEnd
  }

  extra(): void {}

  close(): void {
    const { status, action, results } = this.#search
    if (status !== 'failed') this.#context.citations.searched(action, results)
  }
}
