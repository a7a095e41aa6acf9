import type { OutputChannel, OutputFilter } from '../contracts/guardrail.ts'
import type { ItemDelta, ItemEvent, ItemOpen } from '../contracts/item-events.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { guarded, type OpenGuard } from './input-guards.ts'
import { checkedFilter, checkedText } from './returned.ts'

type Spoken = Extract<ItemDelta, { type: 'text' | 'refusal' | 'reasoning' }>

interface Filtering {
  readonly guard: OpenGuard
  readonly filter: OutputFilter
}

interface Channel {
  readonly kind: Spoken['type'] | 'summary' | 'full' | 'input'
  readonly filters: readonly Filtering[]
  /** Makes an event of this channel with filtered text. */
  readonly say: (text: string) => ItemDelta
  changed: boolean
}

/** Runs an answer through the output filters of all guardrails, part by part. */
export class OutputGuards {
  readonly #guards: readonly OpenGuard[]
  readonly #context: RunContext
  readonly #emit: (event: ItemEvent) => void
  /** The open item, until the first text passes the filters. If none does, the item is not shown. */
  #held: ItemOpen | undefined
  /** The open part. */
  #channel: Channel | undefined

  /** Undefined if no guardrail filters output, so that such answers cost nothing extra. */
  static over(guards: readonly OpenGuard[], context: RunContext, emit: (event: ItemEvent) => void): OutputGuards | undefined {
    const filtering = guards.filter(({ session }) => session.output)
    return filtering.length === 0 ? undefined : new OutputGuards(filtering, context, emit)
  }

  private constructor(guards: readonly OpenGuard[], context: RunContext, emit: (event: ItemEvent) => void) {
    this.#guards = guards
    this.#context = context
    this.#emit = emit
  }

  write(event: ItemEvent): void {
    switch (event.type) {
      case 'item-open':
        return this.#begin(event)
      case 'item-close':
        this.#closeChannel()
        if (this.#held) this.#held = undefined
        else this.#emit(event)
        return
      case 'annotation':
        // Its offsets refer to the unfiltered text.
        if (!this.#held && !this.#channel?.changed) this.#emit(event)
        return
      case 'reasoning-state':
        this.#closeChannel()
        return this.#tell(event)
      case 'tool-input':
        return this.#push(this.#channel!, event.text)
      default:
        return this.#speak(event)
    }
  }

  /** A whole text that belongs to no part. */
  filtered(text: string): string {
    const { filters } = this.#open({ kind: 'text', json: false }, 'text', say => ({ type: 'text', text: say }))
    return filters.reduce((current, filtering) => {
      const passed = this.#filtered(filtering, 'push', current, current)
      return passed + this.#filtered(filtering, 'flush', '', '')
    }, text)
  }

  #begin(event: ItemOpen): void {
    const { item } = event
    if (item.kind === 'message' || item.kind === 'reasoning') {
      this.#held = event
      return
    }
    this.#emit(event)
    if (item.kind !== 'call') return
    const { callId, custom } = item
    this.#channel = this.#open({ kind: custom ? 'custom-input' : 'arguments', json: !custom }, 'input', text => ({
      type: 'tool-input',
      key: callId,
      text,
    }))
  }

  #speak(event: Spoken): void {
    const newPart = event.type === 'reasoning' && event.newPart === true
    const kind = event.type === 'reasoning' ? event.form : event.type
    if (this.#channel?.kind !== kind || newPart) {
      this.#closeChannel()
      const { text: _, ...rest } = event
      let first = true
      this.#channel = this.#open({ kind: event.type, json: false }, kind, text => {
        const piece = {
          ...rest,
          ...(rest.type === 'text' && { logprobs: [] }),
          ...(rest.type === 'reasoning' && { newPart: newPart && first }),
          text,
        }
        first = false
        return piece as Spoken
      })
    }
    // No filter applies, so the log probabilities are still right.
    if (this.#channel.filters.length === 0) return this.#tell(event)
    this.#push(this.#channel, event.text)
  }

  #open(channel: OutputChannel, kind: Channel['kind'], say: Channel['say']): Channel {
    const filters = this.#guards.flatMap(guard => {
      const filter = guarded(guard, this.#context, () => checkedFilter(guard.session.output!(channel), guard.plugin))
      return filter ? [{ guard, filter }] : []
    })
    return { kind, filters, say, changed: false }
  }

  #push(channel: Channel, text: string): void {
    let current = text
    for (const filtering of channel.filters) {
      if (current === '') return
      current = this.#filtered(filtering, 'push', current, current)
    }
    if (current !== text) channel.changed = true
    if (current !== '') this.#tell(channel.say(current))
  }

  /** Delivers what the filters of the part held back. */
  #closeChannel(): void {
    const channel = this.#channel
    if (!channel) return
    this.#channel = undefined
    let held = ''
    for (const filtering of channel.filters) {
      const passed = held === '' ? '' : this.#filtered(filtering, 'push', held, held)
      held = passed + this.#filtered(filtering, 'flush', '', '')
    }
    if (held !== '') this.#tell(channel.say(held))
  }

  #tell(event: ItemDelta): void {
    if (this.#held) this.#emit(this.#held)
    this.#held = undefined
    this.#emit(event)
  }

  #filtered({ guard, filter }: Filtering, hook: 'push' | 'flush', text: string, otherwise: string): string {
    return guarded(guard, this.#context, () => checkedText(filter[hook](text), guard.plugin, hook)) ?? otherwise
  }
}
