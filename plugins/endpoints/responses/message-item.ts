import type { JsonObject } from '../../../core/index.ts'
import { appended, type ItemDelta, type LogProb, type OpenedMessage } from '../../../core/kit.ts'
import { deltaHead } from './frames.ts'
import type { ItemContext, OpenItem } from './open-item.ts'

type Annotation = Extract<ItemDelta, { type: 'annotation' }>

interface OpenPart {
  readonly kind: 'text' | 'refusal'
  /** The offset of the part in the text of the whole message. */
  readonly start: number
  readonly head: string
  readonly annotations: JsonObject[]
  /** Annotations of text that has not arrived yet. */
  readonly early: Annotation[]
  readonly logprobs: JsonObject[]
  text: string
}

/** Without alternatives. */
const charactersPerLogprob = 64

/** A `message`: parts of text or refusal. */
export class MessageItem implements OpenItem {
  readonly #context: ItemContext
  readonly #id: string
  readonly #phase: { readonly phase?: string }
  readonly #wantsLogprobs: boolean
  readonly #parts: JsonObject[] = []
  #part: OpenPart | undefined
  #length = 0
  #logprobs = 0

  constructor(context: ItemContext, { id, phase }: OpenedMessage) {
    this.#context = context
    this.#id = id
    this.#phase = phase ? { phase } : {}
    const { include, top_logprobs } = context.request
    this.#wantsLogprobs = (top_logprobs ?? 0) > 0 || include?.includes('message.output_text.logprobs') === true
    context.send?.('response.output_item.added', { output_index: context.outputIndex, item: this.#item('in_progress') })
  }

  get characters(): number {
    return this.#length + this.#logprobs * charactersPerLogprob
  }

  write(event: ItemDelta): void {
    if (event.type === 'annotation') return this.#annotate(event)
    if (event.type !== 'text' && event.type !== 'refusal') return
    const part = this.#part?.kind === event.type ? this.#part : this.#openPart(event.type)
    part.text = appended(part.text, event)
    this.#length += event.text.length
    if (event.type === 'refusal') return this.#delta(part, event.text, '')
    if (!this.#wantsLogprobs || !event.logprobs) return this.#delta(part, event.text, ',"logprobs":[]')
    const logprobs = event.logprobs.map(publicLogprob)
    part.logprobs.push(...logprobs)
    this.#delta(part, event.text, `,"logprobs":${JSON.stringify(logprobs)}`, event.text !== '' || logprobs.length > 0)
  }

  /** Skips a delta that adds neither text nor log probabilities. */
  #delta(part: OpenPart, text: string, rest: string, adds = text !== ''): void {
    if (part.head && adds) this.#context.sendDelta(part.head, text, rest)
  }

  close(status: 'completed' | 'incomplete'): JsonObject {
    this.#closePart()
    const item = this.#item(status)
    this.#context.send?.('response.output_item.done', { output_index: this.#context.outputIndex, item }, this.characters)
    return item
  }

  #openPart(kind: OpenPart['kind']): OpenPart {
    this.#closePart()
    const { streaming, refusalEvents } = this.#context
    const place = streaming ? this.#place() : {}
    this.#context.send?.('response.content_part.added', {
      ...place,
      part: kind === 'text' ? { type: 'output_text', text: '', annotations: [], logprobs: [] } : { type: 'refusal', refusal: '' },
    })
    const shown = streaming && (kind === 'text' || refusalEvents)
    const head = shown
      ? deltaHead(this.#context.framing, kind === 'text' ? 'response.output_text.delta' : 'response.refusal.delta', place)
      : ''
    this.#part = { kind, start: this.#length, head, annotations: [], early: [], logprobs: [], text: '' }
    return this.#part
  }

  #closePart(): void {
    const part = this.#part
    if (!part) return
    for (const event of part.early) this.#addAnnotation(part, event)
    const place = this.#context.streaming ? this.#place() : {}
    const { send } = this.#context
    this.#logprobs += part.logprobs.length
    const characters = part.text.length + part.logprobs.length * charactersPerLogprob
    if (part.kind === 'text') send?.('response.output_text.done', { ...place, text: part.text, logprobs: part.logprobs }, characters)
    else if (this.#context.refusalEvents) send?.('response.refusal.done', { ...place, refusal: part.text }, characters)
    const done =
      part.kind === 'text'
        ? { type: 'output_text', text: part.text, annotations: part.annotations, logprobs: part.logprobs }
        : { type: 'refusal', refusal: part.text }
    send?.('response.content_part.done', { ...place, part: done }, characters)
    this.#parts.push(done)
    this.#part = undefined
  }

  /** An annotation of text that has not arrived yet waits for it. */
  #annotate(event: Annotation): void {
    const part = this.#part
    if (part?.kind !== 'text') return
    if (event.end - part.start > part.text.length) part.early.push(event)
    else this.#addAnnotation(part, event)
  }

  /** Clips the annotation to the text so far. */
  #addAnnotation(part: OpenPart, { citation, start, end }: Annotation): void {
    const within = (offset: number, limit: number): number => Math.min(Math.max(0, offset - part.start), limit)
    const last = within(end, part.text.length)
    const annotation =
      citation.type === 'file_citation' ? { ...citation } : { ...citation, start_index: within(start, last), end_index: last }
    if (this.#context.refusalEvents)
      this.#context.send?.('response.output_text.annotation.added', {
        ...this.#place(),
        annotation_index: part.annotations.length,
        annotation,
      })
    part.annotations.push(annotation)
  }

  #place(): object {
    return { item_id: this.#id, output_index: this.#context.outputIndex, content_index: this.#parts.length }
  }

  #item(status: string): JsonObject {
    return {
      type: 'message',
      id: this.#id,
      status,
      role: 'assistant',
      content: status === 'in_progress' ? [] : this.#parts,
      ...this.#phase,
    }
  }
}

function publicLogprob({ token, logprob, bytes, top_logprobs }: LogProb): JsonObject {
  return { token, logprob, bytes: bytes ?? [], top_logprobs: (top_logprobs ?? []).map(top => ({ ...top, bytes: top.bytes ?? [] })) }
}
