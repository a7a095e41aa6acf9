import type { GenerationEvent } from '../../contracts/events.ts'
import type { ItemEvent } from '../../contracts/item-events.ts'
import type { Item } from '../../contracts/items.ts'
import type { JsonObject } from '../../foundation/json.ts'
import { AddressFinder, type FoundAddress } from './address-finder.ts'
import { CitedPages } from './cited-pages.ts'

/**
 * Adds citations to an answer where it quotes the address of a page that a search of the gateway found. It looks at what the client sees,
 * so its offsets are right after guardrails changed the text. The text itself passes at once.
 */
export class Citations {
  readonly #pages = new CitedPages()
  readonly #count: (event: GenerationEvent) => void
  readonly #write: (event: ItemEvent) => void
  /** Of the open part. */
  #finder: AddressFinder | undefined
  /** Of the open message, so far. */
  #length = 0

  /** `count` is told about every citation before `write` gets it. */
  constructor(count: (event: GenerationEvent) => void, write: (event: ItemEvent) => void) {
    this.#count = count
    this.#write = write
  }

  /** The model also knows what was found earlier in the conversation. */
  remember(conversation: readonly Item[]): void {
    for (const item of conversation) if (item.type === 'web_search_call') this.#pages.add(item.action, (item as JsonObject)['results'])
  }

  /** Gets every event that the client sees, in order, and passes it on. */
  write(event: ItemEvent): void {
    if (event.type === 'refusal' || event.type === 'item-close') this.#endPart()
    this.#write(event)
    switch (event.type) {
      case 'item-open':
        this.#length = 0
        // A provider that searches has its own citations.
        if (event.item.kind === 'search' && !event.item.byGateway) this.#pages.clear()
        else if (event.item.kind === 'search') this.#pages.add(event.item.action, event.item.results)
        return
      case 'search-end':
        return this.#pages.add(event.action, event.results)
      case 'text':
        this.#read(event.text)
        this.#length += event.text.length
        return
      case 'refusal':
        this.#length += event.text.length
    }
  }

  #read(text: string): void {
    if (this.#pages.isEmpty) return
    this.#finder ??= new AddressFinder(this.#length, found => this.#cite(found))
    this.#finder.add(text)
  }

  #endPart(): void {
    this.#finder?.end()
    this.#finder = undefined
  }

  #cite({ text, start, linkStart }: FoundAddress): void {
    const found = this.#pages.find(text)
    if (!found) return
    const { page, length } = found
    const isLink = linkStart !== undefined && length === text.length
    const annotation = {
      type: 'annotation' as const,
      citation: { type: 'url_citation' as const, ...page },
      start: isLink ? linkStart : start,
      // A link ends with its bracket.
      end: start + length + (isLink ? 1 : 0),
    }
    this.#count(annotation)
    this.#write(annotation)
  }
}
