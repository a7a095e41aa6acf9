import type { OpenedForeign, OpenedItem, OpenedSearch, SearchEnd } from '../contracts/item-events.ts'

interface DataText {
  /** Such as `action.query`. */
  readonly path: string
  text: string
}

type Holder = Record<string, unknown>

/** Words of the protocol, ids, and bytes. */
const structural = new Set(['type', 'id', 'status', 'call_id', 'role', 'encrypted_content', 'result', 'image_url', 'file_id'])

/** Members that hold any JSON, in which names have no meaning. */
const freeForm = new Set(['arguments', 'env'])

/** The texts of an item that is neither a message, reasoning nor a call: queries and results of a search, or the work of a tool. */
export class DataItem {
  readonly #item: OpenedSearch | OpenedForeign
  readonly texts: DataText[] = []
  readonly #places: { readonly holder: Holder; readonly key: string }[] = []

  static of(item: OpenedItem): DataItem | undefined {
    return item.kind === 'search' || item.kind === 'foreign' ? new DataItem(structuredClone(item)) : undefined
  }

  private constructor(item: OpenedSearch | OpenedForeign) {
    this.#item = item
    if (item.kind === 'foreign') this.#members(item.item as Holder, '')
    else {
      this.#visit(item as unknown as Holder, 'action', 'action')
      this.#visit(item as unknown as Holder, 'results', 'results')
    }
  }

  /** One text for each of `texts`. */
  replace(texts: readonly string[]): void {
    for (const [index, text] of texts.entries()) {
      const { holder, key } = this.#places[index]!
      holder[key] = this.texts[index]!.text = text
    }
  }

  item(): OpenedSearch | OpenedForeign {
    return this.#item
  }

  #visit(holder: Holder, key: string, path: string, isFree = false): void {
    const value = holder[key]
    if (typeof value === 'string') {
      this.texts.push({ path, text: value })
      this.#places.push({ holder, key })
    } else if (Array.isArray(value))
      for (const index of value.keys()) this.#visit(value as unknown as Holder, String(index), `${path}[${index}]`, isFree)
    else if (typeof value === 'object' && value !== null) this.#members(value as Holder, `${path}.`, isFree)
  }

  #members(holder: Holder, prefix: string, isFree = false): void {
    for (const key of Object.keys(holder))
      if (isFree || !structural.has(key)) this.#visit(holder, key, prefix + key, isFree || freeForm.has(key))
  }
}

/** The end of a search as an item, whose texts can be read and replaced. */
export function searchOf({ type: _, ...found }: SearchEnd): OpenedSearch {
  return { kind: 'search', id: '', ...found }
}

/** The end of a search with the texts of this item. */
export function searchEndOf(item: OpenedItem | undefined, event: SearchEnd): SearchEnd {
  if (item?.kind !== 'search') return event
  const { action, results } = item
  return { ...event, action, ...(results && { results }) }
}
