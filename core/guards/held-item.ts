import type { AnswerItem, AnswerText } from '../contracts/guardrail.ts'
import type { ItemEvent, ItemOpen } from '../contracts/item-events.ts'
import { DataItem } from './data-item.ts'
import { beginsPart, isSpoken, saying, voiceOf, type Spoken, type Voice } from './spoken.ts'

/** Consecutive events of one part. */
interface HeldPart {
  readonly voice: Voice
  readonly path: string
  readonly deltas: Spoken[]
  text: string
  changed: boolean
}

/** A complete item of an answer that the client has not seen. */
export class HeldItem {
  readonly #index: number
  readonly #open: ItemOpen
  /** Parts, and events without text in their places. */
  readonly #content: (HeldPart | ItemEvent)[] = []
  readonly #data: DataItem | undefined

  constructor([open, ...events]: readonly ItemEvent[], index: number, isJson: boolean) {
    this.#index = index
    this.#open = wholeSearch(open as ItemOpen, events)
    const { item } = this.#open
    this.#data = DataItem.of(item)
    const isCustom = item.kind === 'call' && item.custom
    const counts = { content: 0, summary: 0 }
    for (const event of events) {
      if (event.type === 'search-end') continue
      if (!isSpoken(event)) {
        this.#content.push(event)
        continue
      }
      const voice = voiceOf(event, isCustom, isJson)
      const last = this.#content.at(-1)
      if (last && isPart(last) && last.voice === voice && !beginsPart(event)) {
        last.text += event.text
        last.deltas.push(event)
      } else {
        const { list, member } = voice
        const path = list ? `${list}[${counts[list]++}].${member}` : member
        this.#content.push({ voice, path, deltas: [event], text: event.text, changed: false })
      }
    }
  }

  /** The item as guardrails see it, if it has text. */
  shown(): AnswerItem | undefined {
    const { item } = this.#open
    if (item.kind === 'compaction') return undefined
    const texts: AnswerText[] = this.#parts.map(({ path, voice, text }) => ({ path, kind: voice.kind, json: voice.json, text }))
    for (const { path, text } of this.#data?.texts ?? []) texts.push({ path, kind: 'data', json: false, text })
    if (texts.length === 0) return undefined
    return { index: this.#index, kind: item.kind, name: item.kind === 'call' ? item.name : undefined, texts }
  }

  /** One text for each that was shown. */
  replace(texts: readonly string[]): void {
    const parts = this.#parts
    for (const [index, part] of parts.entries()) {
      const text = texts[index]!
      part.changed ||= text !== part.text
      part.text = text
    }
    this.#data?.replace(texts.slice(parts.length))
  }

  /** The events that the client may see. A message or reasoning with nothing left is not shown at all. */
  *events(): Generator<ItemEvent> {
    const { item } = this.#open
    const isChanged = this.#parts.some(({ changed }) => changed)
    const left = this.#content.filter(each => {
      if (isPart(each)) return !each.changed || each.text !== ''
      // Its offsets refer to the original text.
      return each.type !== 'annotation' || !isChanged
    })
    // Only the end of the item.
    if (isChanged && left.length === 1 && item.kind !== 'call') return
    yield this.#data ? { type: 'item-open', item: this.#data.item() } : this.#open
    for (const each of left) {
      if (!isPart(each)) yield each
      else if (each.changed) yield saying(each.deltas[0]!, each.text)
      else yield* each.deltas
    }
  }

  get #parts(): readonly HeldPart[] {
    return this.#content.filter(isPart)
  }
}

/** A search whose end is known is complete when it opens. */
function wholeSearch(open: ItemOpen, events: readonly ItemEvent[]): ItemOpen {
  const end = events.find(event => event.type === 'search-end')
  if (!end || open.item.kind !== 'search') return open
  const { type: _, ...found } = end
  return { ...open, item: { ...open.item, ...found } }
}

function isPart(each: HeldPart | ItemEvent): each is HeldPart {
  return 'deltas' in each
}
