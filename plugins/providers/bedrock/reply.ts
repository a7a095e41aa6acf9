import { ProviderFailure, type FinishReason, type ProviderCall } from '../../../core/index.ts'
import { membersOf, type Emit } from '../../../core/kit.ts'
import { Content } from './content.ts'
import { settingsFor, type SettingsOptions } from './settings.ts'
import { usageOf } from './usage.ts'
import type { WireMetadata, WireReply } from './wire-reply.ts'

/** The start, usage and end of a reply, for streamed and whole replies alike. */
export class Reply {
  readonly content: Content
  readonly #emit: Emit
  #stopReason: string | undefined
  #isOver = false

  constructor(call: ProviderCall, options: SettingsOptions, emit: Emit) {
    const { traits, warnings } = settingsFor(call, options)
    this.#emit = emit
    // Claude and OpenAI models show a summary of their thoughts, the others the thoughts themselves.
    this.content = new Content(emit, traits.reasoning === 'anthropic' || traits.reasoning === 'openai' ? 'summary' : 'full')
    for (const warning of warnings) emit({ type: 'warning', ...warning })
  }

  stop(reason: string | undefined): void {
    this.#stopReason = reason ?? this.#stopReason
    if (reason?.startsWith('malformed_'))
      throw new ProviderFailure({
        kind: 'protocol',
        message: `The model wrote something that the vendor could not parse (${reason}).`,
        upstream: JSON.stringify({ stopReason: reason }),
      })
  }

  metadata({ usage, trace }: WireMetadata): void {
    const model = trace?.promptRouter?.invokedModelId
    if (model) this.#emit({ type: 'model', model })
    if (usage) this.#emit({ type: 'usage', usage: usageOf(usage) })
  }

  /** Emits nothing without a stop reason, because then the reply was cut short. */
  end(): void {
    if (this.#stopReason === undefined || this.#isOver) return
    this.#isOver = true
    this.#emit({ type: 'finish', reason: finishReasons[this.#stopReason] ?? 'stop' })
  }
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  guardrail_intervened: 'content-filter',
  content_filtered: 'content-filter',
}

/** A reply that did not stream. */
export function replyEvents(body: unknown, emit: Emit, call: ProviderCall, options: SettingsOptions): void {
  const { output, stopReason, usage, trace } = membersOf(body) as WireReply
  const content = output?.message?.content
  if (!Array.isArray(content))
    throw new ProviderFailure({
      kind: 'protocol',
      message: 'The provider sent a reply that is not a message.',
      upstream: JSON.stringify(body),
    })
  const whole = new Reply(call, options, emit)
  whole.content.whole(content)
  whole.metadata({ ...(usage && { usage }), ...(trace && { trace }) })
  whole.stop(stopReason)
  whole.end()
}
