import type { GenerationEvent } from '../contracts/events.ts'
import type { OutputChannel, OutputFilter } from '../contracts/guardrail.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { failed, type OpenGuard } from './input-guards.ts'

interface Channel {
  readonly kind: 'text' | 'refusal' | 'summary' | 'full' | 'input'
  readonly filters: readonly { readonly guard: OpenGuard; readonly filter: OutputFilter }[]
  /** An event of this channel with other text. */
  readonly say: (text: string) => GenerationEvent
  changed: boolean
}

/** Runs the answer through the output filters of all guardrails, part by part. */
export class OutputGuards {
  readonly #guards: readonly OpenGuard[]
  readonly #context: RunContext
  readonly #emit: (event: GenerationEvent) => void
  #spoken: Channel | undefined
  readonly #inputs = new Map<string, Channel>()

  /** Undefined where no guardrail filters output: then an answer costs nothing extra. */
  static over(guards: readonly OpenGuard[], context: RunContext, emit: (event: GenerationEvent) => void): OutputGuards | undefined {
    const filtering = guards.filter(({ session }) => session.output)
    return filtering.length === 0 ? undefined : new OutputGuards(filtering, context, emit)
  }

  private constructor(guards: readonly OpenGuard[], context: RunContext, emit: (event: GenerationEvent) => void) {
    this.#guards = guards
    this.#context = context
    this.#emit = emit
  }

  write(event: GenerationEvent): void {
    switch (event.type) {
      case 'text':
      case 'refusal':
      case 'reasoning':
        return this.#speak(event)
      case 'annotation':
        // Its offsets are those of the unfiltered text.
        if (!this.#spoken?.changed) this.#emit(event)
        return
      case 'tool-call':
        this.#closeSpoken()
        this.#inputs.set(
          event.key,
          this.#open({ kind: event.custom ? 'custom-input' : 'arguments', json: !event.custom }, 'input', text => ({
            type: 'tool-input',
            key: event.key,
            text,
          })),
        )
        return this.#emit(event)
      case 'tool-input': {
        const channel = this.#inputs.get(event.key)
        return channel ? this.#push(channel, event.text) : this.#emit(event)
      }
      case 'item-end':
        if (this.#spoken) this.#closeSpoken()
        else this.#endInput()
        return this.#emit(event)
      case 'usage':
      case 'model':
      case 'warning':
        return this.#emit(event)
      default:
        this.#closeSpoken()
        return this.#emit(event)
    }
  }

  /** The answer is over: what was held back comes out. */
  end(): void {
    this.#closeSpoken()
    for (const channel of this.#inputs.values()) this.#flush(channel)
    this.#inputs.clear()
  }

  #speak(event: Extract<GenerationEvent, { type: 'text' | 'refusal' | 'reasoning' }>): void {
    const newPart = event.type === 'reasoning' && event.newPart === true
    const kind = event.type === 'reasoning' ? event.form : event.type
    if (this.#spoken?.kind !== kind || newPart) {
      this.#closeSpoken()
      const { text: _, ...rest } = event
      let first = true
      this.#spoken = this.#open({ kind: event.type, json: false }, kind, text => {
        const piece = {
          ...rest,
          ...(rest.type === 'text' && { logprobs: [] }),
          ...(rest.type === 'reasoning' && { newPart: newPart && first }),
          text,
        }
        first = false
        return piece as GenerationEvent
      })
    }
    // Left alone by all filters: with its log probabilities.
    if (this.#spoken.filters.length === 0) return this.#emit(event)
    this.#push(this.#spoken, event.text)
  }

  #open(channel: OutputChannel, kind: Channel['kind'], say: Channel['say']): Channel {
    const filters = this.#guards.flatMap(guard => {
      const filter = this.#run(guard, () => guard.session.output!(channel))
      return filter ? [{ guard, filter }] : []
    })
    return { kind, filters, say, changed: false }
  }

  #push(channel: Channel, text: string): void {
    let current = text
    for (const { guard, filter } of channel.filters) {
      if (current === '') return
      current = this.#filtered(guard, () => filter.push(current), current)
    }
    if (current !== text) channel.changed = true
    if (current !== '') this.#emit(channel.say(current))
  }

  #flush(channel: Channel): void {
    let held = ''
    for (const { guard, filter } of channel.filters) {
      const passed = held === '' ? '' : this.#filtered(guard, () => filter.push(held), held)
      held = passed + this.#filtered(guard, () => filter.flush(), '')
    }
    if (held !== '') this.#emit(channel.say(held))
  }

  #closeSpoken(): void {
    if (this.#spoken) this.#flush(this.#spoken)
    this.#spoken = undefined
  }

  /** The call that is open is over; of calls that interleave, the first is. */
  #endInput(): void {
    const [first] = this.#inputs
    if (!first) return
    this.#inputs.delete(first[0])
    this.#flush(first[1])
  }

  #filtered(guard: OpenGuard, run: () => ReturnType<OutputFilter['push']>, otherwise: string): string {
    const result = this.#run(guard, run) ?? otherwise
    if (typeof result === 'string') return result
    throw result.refuse
  }

  #run<T>(guard: OpenGuard, run: () => T): T | undefined {
    try {
      return run()
    } catch (error) {
      return failed(guard, this.#context, error)
    }
  }
}
