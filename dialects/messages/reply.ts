import { ProviderFailure, type FinishReason, type JsonObject, type ProviderCall } from '../../core/index.ts'
import { membersOf, type Emit } from '../../core/kit.ts'
import { Content, type WireBlock } from './content.ts'
import { failureInside } from './failure.ts'
import type { MessagesHost } from './messages-host.ts'
import { dialect } from './own-dialect.ts'
import { settingsFor } from './settings.ts'
import { latestUsage, usageOf, type WireUsage } from './usage.ts'

/** The vendor's `message`: complete, or as a stream starts it. */
export interface WireMessage {
  readonly type?: string
  readonly model?: string
  readonly content?: readonly WireBlock[] | null
  readonly stop_reason?: string | null
  readonly stop_sequence?: string | null
  readonly stop_details?: { readonly explanation?: string | null } | null
  readonly usage?: WireUsage | null
}

/** The start, usage and end of a reply, for streamed and whole replies alike. */
export class Reply {
  readonly content: Content
  readonly #call: ProviderCall
  readonly #host: MessagesHost
  readonly #emit: Emit
  #usage: WireUsage = {}
  #isReported = false
  #stop: Pick<WireMessage, 'stop_reason' | 'stop_sequence' | 'stop_details'> = {}
  /** Members of the reply that no event can say, for a caller of this dialect. */
  #extra: Record<string, unknown> | undefined

  constructor(call: ProviderCall, host: MessagesHost, emit: Emit) {
    const isOwn = call.request.extra?.dialect === dialect
    this.content = new Content(emit, isOwn)
    if (isOwn) this.#extra = {}
    this.#call = call
    this.#host = host
    this.#emit = emit
  }

  start(message: WireMessage): void {
    for (const warning of settingsFor(this.#call, this.#host).warnings) this.#emit({ type: 'warning', ...warning })
    if (message.model) this.#emit({ type: 'model', model: message.model })
    this.#note(message, message.usage)
    this.keep(message as JsonObject)
    // What the vendor counts before it speaks.
    if (this.#extra && isThere(message.usage)) this.#emit({ type: 'extra', at: 'answer', fields: { usage: message.usage as JsonObject } })
    const content = message.content ?? []
    this.content.whole(content)
    if (isThere(message.usage)) this.#report(content.length > 0)
  }

  progress(
    stop: Pick<WireMessage, 'stop_reason' | 'stop_sequence' | 'stop_details'> | undefined,
    usage: WireUsage | null | undefined,
  ): void {
    this.#note(stop, usage)
    // Some hosts leave the output out. That of the start would then pass for everything said since.
    if (isThere(usage?.output_tokens)) this.#report(true)
  }

  /** Emits nothing without a stop reason, because then the reply was cut short. */
  end(): void {
    const { stop_reason: reason, stop_details: details } = this.#stop
    if (!reason) return
    if (this.#isReported && !isThere(this.#usage.output_tokens)) this.#report(true)
    if (this.#extra) this.#tell(this.#extra)
    else if (reason === 'refusal' && details?.explanation) this.#emit({ type: 'refusal', text: details.explanation })
    this.#emit({ type: 'finish', reason: finishReasons[reason] ?? 'stop' })
  }

  /** Keeps members of the message, or of an event or its delta. */
  keep(members: JsonObject): void {
    if (!this.#extra) return
    for (const name in members) {
      const value = members[name]
      if (!understood.has(name) && value !== null && value !== undefined) this.#extra[name] = value
    }
  }

  /** The usage and the end in the vendor's words. */
  #tell(answer: JsonObject): void {
    const { stop_reason, stop_sequence = null, stop_details = null } = this.#stop
    if (Object.keys(answer).length > 0) this.#emit({ type: 'extra', at: 'answer', fields: answer })
    if (this.#isReported) this.#emit({ type: 'extra', at: 'usage', fields: { ...this.#usage } })
    this.#emit({ type: 'extra', at: 'finish', fields: { stop_reason, stop_sequence, stop_details } })
  }

  #note(stop: Pick<WireMessage, 'stop_reason' | 'stop_sequence' | 'stop_details'> | undefined, usage: WireUsage | null | undefined): void {
    if (stop?.stop_reason) this.#stop = stop
    this.#usage = latestUsage(this.#usage, usage)
  }

  #report(hasSaid: boolean): void {
    this.#isReported = true
    this.#emit({ type: 'usage', usage: usageOf(this.#usage, hasSaid) })
  }
}

const understood = new Set([
  'type',
  'id',
  'role',
  'model',
  'content',
  'usage',
  'stop_reason',
  'stop_sequence',
  'stop_details',
  'message',
  'delta',
  'index',
  'content_block',
])

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** "Handling stop reasons". */
const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  pause_turn: 'pause',
  compaction: 'pause',
  refusal: 'content-filter',
}

/** A reply that did not stream. */
export function replyEvents(body: unknown, emit: Emit, call: ProviderCall, host: MessagesHost): void {
  const message = membersOf(body) as WireMessage
  if (message.type === 'error') throw failureInside(body)
  if (!Array.isArray(message.content))
    throw new ProviderFailure({
      kind: 'protocol',
      message: 'The provider sent a reply that is not a message.',
      upstream: JSON.stringify(body),
    })
  const whole = new Reply(call, host, emit)
  whole.start(message)
  whole.end()
}
