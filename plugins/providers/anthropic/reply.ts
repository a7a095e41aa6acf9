import { ProviderFailure, type FinishReason, type ProviderCall } from '../../../core/index.ts'
import { membersOf, type Emit } from '../../../core/kit.ts'
import { Content, type WireBlock } from './content.ts'
import { failureInside } from './failure.ts'
import { settingsFor, type SettingsOptions } from './settings.ts'
import { latestUsage, usageOf, type WireUsage } from './usage.ts'

/** The vendor's `message`: complete, or as a stream starts it. */
export interface WireMessage {
  readonly type?: string
  readonly model?: string
  readonly content?: readonly WireBlock[] | null
  readonly stop_reason?: string | null
  readonly stop_details?: { readonly explanation?: string | null } | null
  readonly usage?: WireUsage | null
}

/** The start, usage and end of a reply, for streamed and whole replies alike. */
export class Reply {
  readonly content: Content
  readonly #call: ProviderCall
  readonly #options: SettingsOptions
  readonly #emit: Emit
  #usage: WireUsage = {}
  #isReported = false
  #stop: Pick<WireMessage, 'stop_reason' | 'stop_details'> = {}

  constructor(call: ProviderCall, options: SettingsOptions, emit: Emit) {
    this.content = new Content(emit)
    this.#call = call
    this.#options = options
    this.#emit = emit
  }

  start(message: WireMessage): void {
    for (const warning of settingsFor(this.#call, this.#options).warnings) this.#emit({ type: 'warning', ...warning })
    if (message.model) this.#emit({ type: 'model', model: message.model })
    this.#note(message, message.usage)
    const content = message.content ?? []
    this.content.whole(content)
    if (isThere(message.usage)) this.#report(content.length > 0)
  }

  progress(stop: Pick<WireMessage, 'stop_reason' | 'stop_details'> | undefined, usage: WireUsage | null | undefined): void {
    this.#note(stop, usage)
    // Some hosts leave the output out. That of the start would then pass for everything said since.
    if (isThere(usage?.output_tokens)) this.#report(true)
  }

  /** Emits nothing without a stop reason, because then the reply was cut short. */
  end(): void {
    const { stop_reason: reason, stop_details: details } = this.#stop
    if (!reason) return
    if (this.#isReported && !isThere(this.#usage.output_tokens)) this.#report(true)
    if (reason === 'refusal' && details?.explanation) this.#emit({ type: 'refusal', text: details.explanation })
    this.#emit({ type: 'finish', reason: finishReasons[reason] ?? 'stop' })
  }

  #note(stop: Pick<WireMessage, 'stop_reason' | 'stop_details'> | undefined, usage: WireUsage | null | undefined): void {
    if (stop?.stop_reason) this.#stop = stop
    this.#usage = latestUsage(this.#usage, usage)
  }

  #report(hasSaid: boolean): void {
    this.#isReported = true
    this.#emit({ type: 'usage', usage: usageOf(this.#usage, hasSaid) })
  }
}

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
export function replyEvents(body: unknown, emit: Emit, call: ProviderCall, options: SettingsOptions): void {
  const message = membersOf(body) as WireMessage
  if (message.type === 'error') throw failureInside(body)
  if (!Array.isArray(message.content))
    throw new ProviderFailure({
      kind: 'protocol',
      message: 'The provider sent a reply that is not a message.',
      upstream: JSON.stringify(body),
    })
  const whole = new Reply(call, options, emit)
  whole.start(message)
  whole.end()
}
