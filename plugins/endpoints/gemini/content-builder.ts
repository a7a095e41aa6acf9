import { isObject, type GatewayError, type GenerationRequest, type JsonObject } from '../../../core/index.ts'
import type { Commitment, FinishedAnswer, GenerationSink, ItemEvent, LogProb, OpenedItem, Outcome } from '../../../core/kit.ts'
import { CallPart } from './call-part.ts'
import type { ChunkBody } from './chunk-body.ts'
import { Citations } from './citations.ts'
import { errorBody, publicError } from './errors.ts'
import { reasons } from './finish.ts'
import { logprobsResult } from './logprobs.ts'
import { unshown, type OpenPart, type PartContext } from './open-part.ts'
import { SearchPart } from './search-part.ts'
import { TextPart } from './text-part.ts'
import { ThoughtPart } from './thought-part.ts'
import { publicUsage } from './usage.ts'
import { wholePart } from './whole-part.ts'

/** Turns core's items into the parts of a candidate. */
export class ContentBuilder implements GenerationSink {
  readonly id: string
  readonly #failed: number
  readonly #body: ChunkBody | undefined
  readonly #context: PartContext
  readonly #parts: JsonObject[] = []
  readonly #citations = new Citations()
  readonly #logprobs: LogProb[] = []
  #model: string
  #open: OpenPart = unshown
  #isOpen = false
  /** For the next item. */
  #itemExtra: JsonObject | undefined
  /** Members of the reply and of its candidate, in the words of the vendor. */
  #reply: JsonObject = nothing
  #candidate: JsonObject = nothing
  /** Those that the stream has not told yet. */
  #newReply: JsonObject = nothing
  #newCandidate: JsonObject = nothing
  #hasNews = false
  #usageExtra: JsonObject | undefined
  #reports = 0
  #finishExtra: JsonObject = nothing
  #signature: { readonly text: string; readonly hasThought: boolean } | undefined
  #response: JsonObject = nothing
  #last: JsonObject = nothing
  #head = ''
  #thoughtHead = ''
  #tail = ''

  /** `failed`: the status of a request that every endpoint failed. */
  constructor(id: string, { model }: GenerationRequest, failed: number, body: ChunkBody | undefined) {
    this.id = id
    this.#model = model
    this.#failed = failed
    this.#body = body
    const parts = this.#parts
    this.#context = {
      streaming: body !== undefined,
      citations: this.#citations,
      get parts() {
        return parts.length
      },
      send: part => this.#send([part]),
      sendText: (text, isThought) => this.#sendText(text, isThought),
      keep: part => void parts.push(part),
      sign: (text, hasThought) => this.#sign(text, hasThought),
      takeSignature: () => this.#takeSignature(),
      logprobs: tokens => void this.#logprobs.push(...tokens),
    }
  }

  get response(): JsonObject {
    return this.#response
  }

  get full(): boolean {
    return this.#body?.full ?? false
  }

  drained(): Promise<void> {
    return this.#body?.drained() ?? Promise.resolve()
  }

  begin({ endpoint }: Commitment): void {
    if (endpoint) this.#model = `${endpoint.provider}/${endpoint.model}`
    this.#body?.begin()
  }

  write(event: ItemEvent): void {
    switch (event.type) {
      case 'item-open': {
        const extra = this.#itemExtra
        this.#itemExtra = undefined
        this.#isOpen = true
        this.#open = this.#partOf(event.item, extra ?? nothing)
        return
      }
      case 'item-close':
        this.#isOpen = false
        return this.#open.close()
      case 'extra':
        return this.#extra(event.at, event.fields)
      default:
        return this.#open.write(event)
    }
  }

  close({ finish, usage, costUsd }: Outcome): FinishedAnswer {
    this.#flushSignature()
    // Of several rounds, the gateway adds up the counts.
    const counts =
      this.#usageExtra && this.#reports === 1 ? { ...this.#usageExtra, costUsd } : publicUsage(usage, costUsd, this.#usageExtra)
    const grounding = hasSources(this.#candidate) ? undefined : this.#citations.metadata
    const told = {
      finishReason: reasons[finish],
      ...this.#finishExtra,
      index: 0,
      ...(grounding && { groundingMetadata: grounding }),
      ...(this.#logprobs.length > 0 && !this.#candidate['logprobsResult'] && { logprobsResult: logprobsResult(this.#logprobs) }),
    }
    const end = { usageMetadata: counts, modelVersion: this.#model, responseId: this.id }
    // The vendor blocked the prompt: there is no candidate.
    const isBlocked = isObject(this.#reply['promptFeedback']) && this.#reply['promptFeedback']['blockReason'] !== undefined
    const isEmpty = isBlocked && this.#parts.length === 0
    const content = { ...(this.#parts.length > 0 && { parts: this.#parts }), role: 'model' }
    this.#response = { ...(!isEmpty && { candidates: [{ content, ...told, ...this.#candidate }] }), ...end, ...this.#reply }
    const ending = { content: { parts: [{ text: '' }], role: 'model' }, ...told, ...this.#newCandidate }
    this.#last = { ...(!isEmpty && { candidates: [ending] }), ...end, ...this.#reply }
    return { id: this.id, body: this.#response }
  }

  end(): void {
    this.#body?.write(JSON.stringify(this.#last))
    this.#body?.end()
  }

  fail(error: GatewayError): void {
    this.#body?.fail(JSON.stringify(errorBody(publicError(error, this.#failed))))
  }

  abandon(): void {
    this.#body?.abandon()
  }

  #partOf(item: OpenedItem, extra: JsonObject): OpenPart {
    const context = this.#context
    switch (item.kind) {
      case 'message':
        return new TextPart(context, extra)
      case 'reasoning':
        return new ThoughtPart(context)
      case 'call':
        return new CallPart(context, item, extra)
      case 'search':
        return new SearchPart(context, item)
      case 'compaction':
        return unshown
      case 'foreign':
        return item.item.type === 'vendor' ? wholePart(context, item.item['extra'] as JsonObject) : unshown
    }
  }

  #extra(at: 'answer' | 'item' | 'usage' | 'finish', fields: JsonObject): void {
    switch (at) {
      case 'answer': {
        const { candidates, ...reply } = fields
        const candidate = Array.isArray(candidates) && isObject(candidates[0]) ? candidates[0] : nothing
        this.#reply = { ...this.#reply, ...reply }
        this.#candidate = { ...this.#candidate, ...candidate }
        this.#newReply = { ...this.#newReply, ...reply }
        this.#newCandidate = { ...this.#newCandidate, ...candidate }
        this.#hasNews = true
        return
      }
      case 'item':
        if (this.#isOpen) this.#open.extra(fields)
        else this.#itemExtra = { ...this.#itemExtra, ...fields }
        return
      case 'usage':
        this.#reports += 1
        this.#usageExtra = fields
        return
      case 'finish':
        this.#finishExtra = fields
    }
  }

  /** Two states in a row: the first one stands alone. */
  #sign(text: string, hasThought: boolean): void {
    this.#flushSignature()
    this.#signature = { text, hasThought }
  }

  #takeSignature(): string | undefined {
    const signature = this.#signature?.text
    this.#signature = undefined
    return signature
  }

  #flushSignature(): void {
    if (!this.#signature) return
    const { text: thoughtSignature, hasThought } = this.#signature
    this.#signature = undefined
    const part = { text: '', ...(hasThought && { thought: true }), thoughtSignature }
    if (this.#body) this.#send([part])
    this.#context.keep(part)
  }

  #sendText(text: string, isThought: boolean): void {
    if (this.#hasNews) return this.#send([isThought ? { text, thought: true } : { text }])
    if (this.#head === '') {
      const end = JSON.stringify({ modelVersion: this.#reply['modelVersion'] ?? this.#model, responseId: this.id }).slice(1)
      this.#head = '{"candidates":[{"content":{"parts":[{"text":'
      this.#thoughtHead = '{"candidates":[{"content":{"parts":[{"thought":true,"text":'
      this.#tail = `}],"role":"model"},"index":0}],${end}`
    }
    this.#body!.write((isThought ? this.#thoughtHead : this.#head) + JSON.stringify(text) + this.#tail)
  }

  #send(parts: readonly JsonObject[]): void {
    const candidate = { content: { parts, role: 'model' }, index: 0, ...this.#newCandidate }
    const chunk = { candidates: [candidate], modelVersion: this.#model, responseId: this.id, ...this.#modelVersion, ...this.#newReply }
    this.#newReply = this.#newCandidate = nothing
    this.#hasNews = false
    this.#body!.write(JSON.stringify(chunk))
  }

  get #modelVersion(): JsonObject {
    const { modelVersion } = this.#reply
    return modelVersion === undefined ? nothing : { modelVersion }
  }
}

const nothing: JsonObject = {}

/** The vendor's own say the same, and more. */
function hasSources({ groundingMetadata, citationMetadata }: JsonObject): boolean {
  return groundingMetadata !== undefined || citationMetadata !== undefined
}
