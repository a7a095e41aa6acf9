import type { JsonObject } from '../../../core/index.ts'
import type { Emit } from '../../../core/kit.ts'
import { Grounding } from './grounding.ts'
import { logprobsOf } from './logprobs.ts'
import { PartialCall } from './partial-call.ts'
import { stateText } from './thought-state.ts'
import type { WireCandidate, WireFunctionCall, WirePart } from './wire-reply.ts'

/**
 * Turns a candidate's parts into events. Thoughts are summaries, because that is what the vendor returns ("Thinking", thought
 * summaries). Skips parts from tools that the vendor runs itself.
 */
export class Content {
  readonly #emit: Emit
  readonly #grounding = new Grounding()
  /** All text so far. The open message starts at `#start`. */
  #text = ''
  #start: number | undefined
  #thought = ''
  /** Signatures to emit after the open message, which may still get citations. */
  #held: string[] = []
  #calls = 0
  #open: PartialCall | undefined
  #media = false
  /** The caller speaks this dialect, and gets what only it can say. */
  readonly #isOwn: boolean

  constructor(emit: Emit, isOwn: boolean) {
    this.#emit = emit
    this.#isOwn = isOwn
  }

  add(candidate: WireCandidate): void {
    let logprobs = candidate.logprobsResult
    for (const part of candidate.content?.parts ?? []) {
      if (part.functionCall) this.#call(part.functionCall, part)
      else if (part.thought) this.#think(part)
      else if (typeof part.text === 'string') {
        this.#say(part, part.text, logprobs)
        logprobs = undefined
      } else if (this.#isOwn) this.#asSent(part)
      else if (part.inlineData) this.#media = true
    }
    if (candidate.groundingMetadata || candidate.citationMetadata) this.#grounding.add(candidate)
  }

  refuse(text: string): void {
    this.#closeMessage()
    this.#emit({ type: 'refusal', text })
  }

  end(): { readonly searches: number; readonly calls: number } {
    this.#endCall()
    this.#closeMessage()
    const search = this.#grounding.search()
    if (search) this.#emit(search)
    return { searches: this.#grounding.searches, calls: this.#calls }
  }

  /** The answer holds text or calls. */
  get hasSaid(): boolean {
    return this.#text !== '' || this.#calls > 0
  }

  /** The answer holds nothing but media, which cannot be passed on. */
  get isMediaAlone(): boolean {
    return this.#media && this.#text.trim() === '' && this.#calls === 0
  }

  /** A part that no other event can say. */
  #asSent({ thoughtSignature, ...words }: WirePart): void {
    this.#endCall()
    this.#closeMessage()
    if (thoughtSignature) this.#emit({ type: 'reasoning-state', opaque: stateText({ thoughtSignature, on: 'next' }) })
    this.#thought = ''
    this.#emit({ type: 'item', item: { type: 'vendor', extra: words as JsonObject } })
  }

  /** They are for the message that is about to open, not for the thought before it. */
  #tellOfNext(part: WirePart): void {
    if (!Object.keys(part).some(name => !textMembers.has(name))) return
    this.#emit({ type: 'item-end' })
    this.#tell(part, textMembers)
  }

  /** Members of an item that only this dialect has. */
  #tell(part: object, known: ReadonlySet<string>, call?: object): void {
    const fields: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(part)) if (!known.has(name) && value !== null) fields[name] = value
    for (const [name, value] of Object.entries(call ?? {}))
      if (!callMembers.has(name) && value !== null) fields[`functionCall.${name}`] = value
    if (Object.keys(fields).length > 0) this.#emit({ type: 'extra', at: 'item', fields })
  }

  #say(part: WirePart, text: string, logprobs: WireCandidate['logprobsResult']): void {
    const { thoughtSignature: signature } = part
    const opens = this.#start === undefined
    if (text === '') {
      if (signature) this.#held.push(signature)
      if (signature && opens) this.#closeMessage()
      return
    }
    if (signature && opens)
      this.#emit({ type: 'reasoning-state', opaque: stateText({ thoughtSignature: signature, on: 'next', length: text.length }) })
    if (opens) this.#start = this.#text.length
    if (this.#isOwn && opens) this.#tellOfNext(part)
    this.#thought = ''
    this.#text += text
    this.#emit(logprobs ? { type: 'text', text, logprobs: logprobsOf(logprobs) } : { type: 'text', text })
    if (signature && !opens) this.#held.push(signature)
  }

  #think({ text, thoughtSignature }: WirePart): void {
    this.#closeMessage()
    if (text) {
      this.#thought += text
      this.#emit({ type: 'reasoning', text, form: 'summary' })
    }
    if (!thoughtSignature) return
    this.#emit({ type: 'reasoning-state', opaque: stateText({ thoughtSignature, on: 'thought', text: this.#thought }) })
    this.#thought = ''
  }

  #call(call: WireFunctionCall, part: WirePart): void {
    const { id, name, args, partialArgs, willContinue } = call
    const { thoughtSignature: signature } = part
    if (name !== undefined) {
      this.#endCall()
      this.#closeMessage()
      if (signature) this.#emit({ type: 'reasoning-state', opaque: stateText({ thoughtSignature: signature, on: 'next' }) })
      this.#thought = ''
      this.#calls += 1
      this.#emit({ type: 'tool-call', key: this.#key, ...(id && { callId: id }), name })
      if (this.#isOwn) this.#tell(part, callPartMembers, call)
      if (!willContinue && !partialArgs) return this.#emit({ type: 'tool-input', key: this.#key, text: JSON.stringify(args ?? {}) })
      this.#open = new PartialCall()
    }
    this.#open?.add(partialArgs ?? [])
    if (!willContinue) this.#endCall()
  }

  #endCall(): void {
    if (this.#open) this.#emit({ type: 'tool-input', key: this.#key, text: this.#open.json })
    this.#open = undefined
  }

  get #key(): string {
    return `call_${this.#calls}`
  }

  #closeMessage(): void {
    if (this.#start !== undefined) for (const annotation of this.#grounding.annotations(this.#text, this.#start)) this.#emit(annotation)
    this.#start = undefined
    for (const thoughtSignature of this.#held)
      this.#emit({ type: 'reasoning-state', opaque: stateText({ thoughtSignature, on: 'itself' }) })
    this.#held = []
  }
}

const textMembers = new Set(['text', 'thought', 'thoughtSignature'])
const callPartMembers = new Set(['functionCall', 'thought', 'thoughtSignature'])
const callMembers = new Set(['id', 'name', 'args', 'partialArgs', 'willContinue'])
