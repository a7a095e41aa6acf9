import type { GatewayError, GenerationRequest, JsonObject } from '../../../core/index.ts'
import type { Commitment, FinishedAnswer, GenerationSink, ItemEvent, OpenedItem, Outcome, StreamBody } from '../../../core/kit.ts'
import { CallBlock } from './call-block.ts'
import { errorBody, publicError } from './errors.ts'
import { frame, pingFrame } from './frames.ts'
import type { BlockContext, OpenBlock } from './open-block.ts'
import { SearchBlock } from './search-block.ts'
import { compactionBlock } from './signature.ts'
import { stopOf } from './stop.ts'
import { TextBlock } from './text-block.ts'
import { ThinkingBlock } from './thinking-block.ts'
import { noCounts, publicUsage, vendorsUsage } from './usage.ts'
import { unshown, WholeBlock } from './whole-block.ts'

/** The message while it grows. */
interface Message extends JsonObject {
  readonly id: string
  model: string
}

/** Members of the reply that are beside `delta` in the stream. */
const besideDelta = new Set(['context_management', 'input_transformations'])

/** Turns core's items into content blocks and events. Nothing else makes an index or ends a block. */
export class MessageBuilder implements GenerationSink {
  #message: Message
  readonly #requestId: string
  readonly #failed: number
  readonly #body: StreamBody | undefined
  readonly #context: BlockContext
  readonly #content: JsonObject[] = []
  #open: OpenBlock = unshown
  #isOpen = false
  #blocks = 0
  #begun = false
  #hasStarted = false
  #closed = false
  #refusal = ''
  #hasCalls = false
  /** For the next item. */
  #itemExtra: JsonObject | undefined
  #answerExtra: JsonObject | undefined
  #startUsage: JsonObject | undefined
  #usageExtra: JsonObject | undefined
  #reports = 0
  #finishExtra: JsonObject | undefined
  #last: JsonObject = {}

  /** `failed`: the status of a request that every endpoint failed. */
  constructor(id: string, { model }: GenerationRequest, requestId: string, failed: number, body: StreamBody | undefined) {
    this.#message = { id, type: 'message', role: 'assistant', model }
    this.#requestId = requestId
    this.#failed = failed
    this.#body = body
    this.#context = {
      streaming: body !== undefined,
      start: block => this.#start(block),
      delta: (index, delta) => this.#send('content_block_delta', { index, delta }),
      write: text => this.#body!.write(text),
      stop: (index, block) => this.#stop(index, block),
      refused: text => void (this.#refusal += text),
    }
    body?.onSilence(() => this.#beat())
  }

  get id(): string {
    return this.#message.id
  }

  get message(): JsonObject {
    return this.#message
  }

  get full(): boolean {
    return this.#body?.full ?? false
  }

  drained(): Promise<void> {
    return this.#body?.drained() ?? Promise.resolve()
  }

  begin({ endpoint }: Commitment): void {
    if (endpoint) this.#message.model = `${endpoint.provider}/${endpoint.model}`
    this.#begun = true
  }

  write(event: ItemEvent): void {
    switch (event.type) {
      case 'item-open': {
        this.#startMessage()
        const extra = this.#itemExtra
        this.#itemExtra = undefined
        this.#isOpen = true
        this.#open = this.#blockOf(event.item, extra ?? nothing)
        return
      }
      case 'item-close':
        this.#isOpen = false
        return this.#open.close()
      case 'extra':
        return this.#extra(event.at, event.fields)
      case 'choice':
        // This surface asks for one choice.
        return
      default:
        return this.#open.write(event)
    }
  }

  close({ finish, usage, costUsd }: Outcome): FinishedAnswer {
    const stop = stopOf(finish, this.#refusal, this.#hasCalls, this.#finishExtra)
    // Of several rounds, the gateway adds up the counts.
    const counts =
      this.#usageExtra && this.#reports === 1 ? vendorsUsage(this.#usageExtra, costUsd) : publicUsage(usage, costUsd, this.#usageExtra)
    this.#last = { ...stop, usage: counts }
    this.#message = { ...this.#message, ...this.#answerExtra, content: this.#content, ...stop, usage: counts }
    this.#closed = true
    return { id: this.#message.id, body: this.#message }
  }

  end(): void {
    if (!this.#body) return
    this.#startMessage()
    const { usage, ...stop } = this.#last
    const { beside, delta } = this.#sortedExtra()
    this.#send('message_delta', { delta: { ...delta, ...stop }, usage, ...beside })
    this.#body.write(frame('message_stop', nothing))
    this.#body.end()
  }

  fail(error: GatewayError): void {
    this.#closed = true
    if (!this.#body) return
    if (this.#begun) this.#startMessage()
    const body = errorBody(publicError(error, this.#failed), this.#requestId)
    this.#body.write(`event: error\ndata: ${JSON.stringify(body)}\n\n`)
    this.#body.end()
  }

  abandon(): void {
    this.#body?.abandon()
  }

  #blockOf(item: OpenedItem, extra: JsonObject): OpenBlock {
    const context = this.#context
    switch (item.kind) {
      case 'message':
        return new TextBlock(context, extra)
      case 'reasoning':
        return new ThinkingBlock(context, extra)
      case 'call':
        this.#hasCalls = true
        return new CallBlock(context, item, extra)
      case 'search':
        return new SearchBlock(context, item)
      case 'compaction':
        return new WholeBlock(context, compactionBlock(item.opaque))
      case 'foreign':
        return item.item.type === 'vendor' ? new WholeBlock(context, item.item['extra'] as JsonObject) : unshown
    }
  }

  #extra(at: 'answer' | 'item' | 'usage' | 'finish', fields: JsonObject): void {
    switch (at) {
      case 'answer': {
        const { usage, ...others } = fields
        if (usage) this.#startUsage = usage as JsonObject
        this.#answerExtra = { ...this.#answerExtra, ...others }
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

  #sortedExtra(): { readonly beside: JsonObject; readonly delta: JsonObject } {
    const extra = Object.entries(this.#answerExtra ?? nothing)
    return {
      beside: Object.fromEntries(extra.filter(([name]) => besideDelta.has(name))),
      delta: Object.fromEntries(extra.filter(([name]) => !besideDelta.has(name))),
    }
  }

  /** Waits for the first item: by then, a vendor of this dialect has told what it counted before, which SDKs read only here. */
  #startMessage(): void {
    if (this.#hasStarted) return
    this.#hasStarted = true
    const usage = { ...noCounts, ...this.#startUsage }
    const message = { ...this.#message, content: [], stop_reason: null, stop_sequence: null, usage }
    this.#body?.write(frame('message_start', { message }) + pingFrame)
  }

  #start(block: JsonObject): number {
    const index = this.#blocks++
    if (this.#body) this.#send('content_block_start', { index, content_block: block })
    return index
  }

  #stop(index: number, block: JsonObject | undefined): void {
    if (block) this.#content.push(block)
    this.#body?.write(`event: content_block_stop\ndata: {"type":"content_block_stop","index":${index}}\n\n`)
  }

  #beat(): void {
    if (this.#begun && !this.#closed && !this.#hasStarted) return this.#startMessage()
    // There is no event to send before the message starts, or while the finished one is being stored.
    this.#body!.write(this.#begun && !this.#closed ? pingFrame : ': keep-alive\n\n')
  }

  #send(type: string, fields: object): void {
    this.#body?.write(frame(type, fields))
  }
}

const nothing: JsonObject = {}
