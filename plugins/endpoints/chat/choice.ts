import type { FinishReason, JsonObject } from '../../../core/index.ts'
import { appended, type ItemDelta, type ItemEvent, type OpenedItem } from '../../../core/kit.ts'
import { withMembers } from './accumulated.ts'
import { annotationOf, logprobOf } from './annotations.ts'
import { Calls } from './calls.ts'
import { finishReason } from './finish.ts'
import type { AnswerForm } from './parse.ts'
import { detailOf, type Form } from './reasoning.ts'

/** Where the deltas of a choice go. */
export interface DeltaSink {
  delta(delta: JsonObject, logprobs?: JsonObject): void
  /** The delta has one member, a text, under one name or two. */
  text(name: 'content' | 'refusal' | 'reasoning', text: string): void
}

type TextDelta = Extract<ItemDelta, { type: 'text' }>

/** Between texts that belong apart. */
const gap = '\n\n'

/** The state of a vendor, until it is known what comes after it. */
interface HeldState {
  readonly state: string
  readonly form: Form
}

/** One choice of an answer while it grows. All messages of core are one here. */
export class Choice {
  readonly #form: AnswerForm
  readonly #out: DeltaSink | undefined
  readonly #calls: Calls
  #content: string | undefined
  #refusal = ''
  #reasoning = ''
  #details: JsonObject[] | undefined
  #states = 0
  #held: HeldState | undefined
  #open: OpenedItem['kind'] | undefined
  #reasoningForm: Form = 'full'
  /** Where the text of the open message starts. */
  #start = 0
  #annotations: JsonObject[] | undefined
  /** How many of them were told. */
  #cited = 0
  #logprobs: JsonObject[] | undefined
  #refusalLogprobs: JsonObject[] | undefined
  #extra: JsonObject | undefined
  /** Details of a thought that comes next: clients read a thought from either, but not from two chunks. */
  #detailsOfNext: unknown
  #ended: JsonObject = {}
  #hasBegun = false
  /** Of the first delta, and of a message without text. */
  #firstContent: '' | null = ''
  #isAfterSearch = false
  /** The vendor speaks this dialect, so its texts are as they should be. */
  #isOwn = false

  constructor(form: AnswerForm, out: DeltaSink | undefined) {
    this.#form = form
    this.#out = out
    this.#calls = new Calls(form.isOlder, out && (delta => this.#tell(delta)))
  }

  write(event: Exclude<ItemEvent, { type: 'choice' | 'extra' }>): void {
    if (event.type === 'item-open') return this.#begin(event.item)
    if (event.type !== 'item-close') return this.#grow(event)
    if (this.#open === 'message') this.#cite()
    this.#open = undefined
  }

  /** The vendor speaks this dialect. */
  beOwn(): void {
    this.#isOwn = true
  }

  /** Members of the message or, in `tool_calls`, of the open call, that only the vendor's dialect has. */
  extra(fields: JsonObject): void {
    const { reasoning_details: details, tool_calls: ofCall, ...others } = fields
    if (ofCall !== undefined) return this.#calls.extra((ofCall as readonly JsonObject[])[0]!)
    if (details !== undefined && this.#form.hidesReasoning) return
    this.#extra = this.#extra ? withMembers(this.#extra, fields) : fields
    if (details !== undefined) this.#detailsOfNext = details
    if (Object.keys(others).length > 0) this.#tell(others)
  }

  /** Members of the choice beside its finish reason, in the vendor's words. */
  ended(fields: JsonObject): void {
    this.#ended = fields
  }

  /** Called once, when nothing more comes. */
  finish(finish: FinishReason): { readonly finish_reason: string } & JsonObject {
    this.#release(undefined)
    this.#role('')
    const { finish_reason, ...beside } = this.#ended
    return { finish_reason: finishReason(finish, this.#calls.count > 0, this.#form.isOlder, finish_reason), ...beside }
  }

  get message(): JsonObject {
    const { reasoning_details: vendors, ...extra } = this.#extra ?? {}
    const details = [...((vendors as readonly JsonObject[] | undefined) ?? []), ...(this.#details ?? [])]
    return {
      role: 'assistant',
      content: this.#content ?? this.#firstContent,
      refusal: this.#refusal || null,
      ...(this.#reasoning !== '' && { reasoning_content: this.#reasoning, reasoning: this.#reasoning }),
      ...(details.length > 0 && { reasoning_details: details }),
      ...(this.#annotations && { annotations: this.#annotations }),
      ...this.#calls.members,
      ...extra,
    }
  }

  get logprobs(): JsonObject | null {
    if (!this.#logprobs && !this.#refusalLogprobs) return null
    return { content: this.#logprobs ?? null, refusal: this.#refusalLogprobs ?? null }
  }

  #begin(item: OpenedItem): void {
    this.#open = item.kind
    this.#release(item.kind === 'call' ? item.callId : undefined)
    switch (item.kind) {
      case 'message':
        this.#start = this.#content?.length ?? 0
        return
      case 'reasoning':
        if (this.#reasoning !== '' && !this.#isOwn) this.#think({ text: gap })
        return
      case 'call':
        this.#role(null)
        return this.#calls.open(item)
      case 'search':
        this.#isAfterSearch = true
    }
  }

  #grow(event: ItemDelta): void {
    switch (event.type) {
      case 'text':
        return this.#say(event)
      case 'refusal':
        this.#refusal = appended(this.#refusal, event)
        this.#role(null)
        if (event.text !== '') this.#out?.text('refusal', event.text)
        return
      case 'reasoning':
        this.#reasoningForm = event.form
        if (event.newPart && this.#reasoning !== '') this.#think({ text: gap })
        return this.#think(event)
      case 'reasoning-state':
        this.#held = { state: event.opaque, form: this.#reasoningForm }
        return
      case 'tool-input':
        return this.#calls.write(event)
      case 'annotation':
        // Clients of this API know no other citations.
        if (event.citation.type === 'url_citation') (this.#annotations ??= []).push(annotationOf(event.citation, event, this.#start))
    }
  }

  #say(event: TextDelta): void {
    const { text, logprobs } = event
    this.#role('')
    if (this.#isAfterSearch && text !== '' && !this.#isOwn) this.#separate(text)
    this.#content = appended(this.#content ?? '', event)
    if (!logprobs) {
      if (text !== '') this.#out?.text('content', text)
      return
    }
    const told = logprobs.map(logprobOf)
    ;(this.#logprobs ??= []).push(...told)
    this.#out?.delta({ content: text }, { content: told, refusal: null })
  }

  /** Keeps the text from before a search apart from the text after it. */
  #separate(next: string): void {
    this.#isAfterSearch = false
    if (!this.#content || /\s$/.test(this.#content) || /^\s/.test(next)) return
    if (this.#start === this.#content.length) this.#start += gap.length
    this.#content += gap
    this.#out?.text('content', gap)
  }

  #think(piece: { readonly text: string }): void {
    if (piece.text === '' || this.#form.hidesReasoning) return
    this.#reasoning = appended(this.#reasoning, piece)
    this.#role('')
    const { text } = piece
    if (this.#detailsOfNext === undefined) return this.#out?.text('reasoning', text)
    this.#out?.delta({ reasoning_content: text, reasoning: text, reasoning_details: this.#detailsOfNext })
    this.#detailsOfNext = undefined
  }

  /** Tells the annotations of a message when it is complete. */
  #cite(): void {
    // The vendor's own say the same, and more.
    if (this.#extra?.['annotations']) return
    const told = this.#annotations?.length ?? 0
    if (told > this.#cited) this.#tell({ annotations: this.#annotations!.slice(this.#cited) })
    this.#cited = told
  }

  #release(callId: string | undefined): void {
    const held = this.#held
    if (!held) return
    this.#held = undefined
    const detail = detailOf(held.state, held.form, this.#states++, callId)
    ;(this.#details ??= []).push(detail)
    this.#tell({ reasoning_details: [detail] })
  }

  #tell(delta: JsonObject): void {
    this.#role(null)
    if (Object.keys(delta).length > 0) this.#out?.delta(delta)
  }

  /** The first delta has the role. */
  #role(content: '' | null): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#firstContent = content
    this.#out?.delta({ role: 'assistant', content, refusal: null })
  }
}
