import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../foundation/json.ts'
import type { EventName } from './event-shapes.ts'
import { fail } from './shape.ts'

export type PartKind = 'output_text' | 'refusal' | 'summary_text' | 'reasoning_text'

/** Members of the events inside an item. The event's shape says which are present. */
export interface PartEvent {
  readonly item_id: string
  readonly output_index: number
  readonly content_index?: number
  readonly summary_index?: number
  readonly part?: JsonObject
  readonly delta?: string
  readonly text?: string
  readonly refusal?: string
  readonly logprobs?: readonly LogProbEvent[]
  readonly annotation?: JsonObject
  readonly annotation_index?: number
  readonly call_id?: string
  readonly name?: string
  readonly arguments?: string
}

interface LogProbEvent {
  readonly token: string
  readonly logprob: number
}

const prefixes: Readonly<Record<PartKind, string>> = {
  output_text: 'response.output_text',
  refusal: 'response.refusal',
  summary_text: 'response.reasoning_summary_text',
  reasoning_text: 'response.reasoning_text',
}

/** One part between its `added` and its `done`. */
export class PartGrammar {
  readonly kind: PartKind
  readonly #index: number
  readonly #documentedOnly: boolean
  readonly #annotations: JsonObject[] = []
  readonly #logProbs: LogProbEvent[] = []
  #text = ''
  #textDone = false

  constructor(kind: PartKind, index: number, documentedOnly: boolean) {
    this.kind = kind
    this.#index = index
    this.#documentedOnly = documentedOnly
  }

  accept(name: EventName, event: PartEvent): void {
    const prefix = prefixes[this.kind]
    this.#checkIndex(event)
    if (name !== `${prefix}.delta` && name !== `${prefix}.done` && name !== `${prefix}.annotation.added`)
      fail(`the open part is of the kind ${this.kind}`)
    if (this.#textDone) fail('the text of the part is done already')
    if (event.annotation) this.#annotate(event.annotation, event.annotation_index!)
    else if (event.delta !== undefined) this.#extend(event.delta, event.logprobs)
    else this.#finish(event)
  }

  close(event: PartEvent): void {
    this.#checkIndex(event)
    const part = event.part!
    if (part.type !== this.kind) fail(`part.type is ${part.type}, and the open part is of the kind ${this.kind}`)
    if (this.kind === 'refusal' && this.#documentedOnly) return
    if (!this.#textDone) fail(`${prefixes[this.kind]}.done is missing`)
    this.#compare('part', (part.text ?? part.refusal) as string, part.logprobs as readonly LogProbEvent[] | undefined)
    if (this.kind === 'output_text') this.#checkAnnotations(part.annotations as readonly JsonObject[])
  }

  #checkIndex({ content_index, summary_index }: PartEvent): void {
    const index = this.kind === 'summary_text' ? summary_index : content_index
    if (index !== this.#index) fail(`the index of the part is ${index}, and part ${this.#index} of the kind ${this.kind} is open`)
  }

  #annotate(annotation: JsonObject, index: number): void {
    if (index !== this.#annotations.length) fail(`annotation_index is ${index}, and the next is ${this.#annotations.length}`)
    this.#annotations.push(annotation)
  }

  #extend(delta: string, logProbs: readonly LogProbEvent[] = []): void {
    this.#text += delta
    this.#logProbs.push(...logProbs)
  }

  #finish({ text, refusal, logprobs }: PartEvent): void {
    this.#compare('the finished', text ?? refusal!, logprobs)
    this.#textDone = true
  }

  #compare(whose: string, text: string, logProbs: readonly LogProbEvent[] = []): void {
    if (text !== this.#text) fail(`${whose} text is ${JSON.stringify(text)}, and the deltas make ${JSON.stringify(this.#text)}`)
    if (!isDeepStrictEqual(logProbs.map(bare), this.#logProbs.map(bare))) fail(`${whose} logprobs differ from those of the deltas`)
  }

  #checkAnnotations(annotations: readonly JsonObject[]): void {
    if (!this.#documentedOnly && !isDeepStrictEqual(annotations, this.#annotations))
      fail('part.annotations differ from the annotations added before')
    for (const [index, { start_index: start, end_index: end }] of annotations.entries())
      if (typeof start === 'number' && typeof end === 'number' && (start > end || end > this.#text.length))
        fail(`part.annotations.${index} reaches from ${start} to ${end} in a text of ${this.#text.length}`)
  }
}

/** Events may omit a token's bytes and alternatives. Parts always have them. */
function bare({ token, logprob }: LogProbEvent): LogProbEvent {
  return { token, logprob }
}
