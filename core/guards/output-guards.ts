import type { OutputFilter } from '../contracts/guardrail.ts'
import type { ItemEvent, ItemOpen } from '../contracts/item-events.ts'
import type { AnswerGuards, GuardedAnswer } from './answer-guards.ts'
import { ComparedText } from './compared-text.ts'
import { DataItem, searchEndOf, searchOf } from './data-item.ts'
import { guarded, type OpenGuard } from './input-guards.ts'
import { checkedFilter, checkedText, checkLength } from './returned.ts'
import { beginsPart, isSpoken, saying, voiceOf, withinPart, type Spoken, type Voice } from './spoken.ts'

interface Filtering {
  readonly guard: OpenGuard
  readonly filter: OutputFilter
  /** Set if observers follow the call. */
  readonly compared: ComparedText | undefined
  /** True if it failed and its `onFailure` is `allow`. The rest of the part skips it. */
  hasFailed: boolean
}

/** A part of the open item while it grows. */
interface OpenPart {
  readonly voice: Voice
  readonly filters: readonly Filtering[]
  /** Its first event. The output of the filters takes its form. */
  form: Spoken
  changed: boolean
}

/** Runs an answer through the output filters of all guardrails, part by part. */
export class OutputGuards implements AnswerGuards {
  readonly #guards: readonly OpenGuard[]
  readonly #answer: GuardedAnswer
  /** The open item, until the first text passes the filters. If none does, the item is not shown. */
  #held: ItemOpen | undefined
  #isCustom = false
  #part: OpenPart | undefined
  /** The number of characters that filters have returned. */
  #characters = 0

  static over(guards: readonly OpenGuard[], answer: GuardedAnswer): OutputGuards | undefined {
    const filtering = guards.filter(({ session }) => session.output)
    return filtering.length === 0 ? undefined : new OutputGuards(filtering, answer)
  }

  private constructor(guards: readonly OpenGuard[], answer: GuardedAnswer) {
    this.#guards = guards
    this.#answer = answer
  }

  /** Nothing is held once the last item is closed. */
  settled(): undefined {
    return undefined
  }

  write(event: ItemEvent): void {
    if (isSpoken(event)) return this.#speak(event)
    switch (event.type) {
      case 'item-open':
        return this.#begin(event)
      case 'item-close':
        this.#closePart()
        if (this.#held) this.#held = undefined
        else this.#answer.show(event)
        return
      case 'annotation':
        // Its offsets refer to the unfiltered text.
        if (!this.#held && !this.#part?.changed) this.#answer.show(event)
        return
      case 'reasoning-state':
        this.#closePart()
        return this.#tell(event)
      case 'choice':
        // No item is open between two choices.
        return this.#answer.show(event)
      case 'search-end':
        return this.#answer.show(searchEndOf(this.#filteredData(DataItem.of(searchOf(event))), event))
    }
  }

  #begin(event: ItemOpen): void {
    const { item } = event
    this.#isCustom = item.kind === 'call' && item.custom
    if (item.kind === 'message' || item.kind === 'reasoning') this.#held = event
    else this.#answer.show({ ...event, item: this.#filteredData(DataItem.of(item)) ?? item })
  }

  #speak(event: Spoken): void {
    const voice = voiceOf(event, this.#isCustom, this.#answer.isJson)
    let part = this.#part
    if (part?.voice !== voice || beginsPart(event)) {
      this.#closePart()
      this.#part = part = { voice, filters: this.#open(voice), form: event, changed: false }
    }
    // No filter applies, so the log probabilities are still right.
    if (part.filters.length === 0) return this.#tell(event)
    const text = this.#pushed(part.filters, event.text)
    if (text !== event.text) part.changed = true
    if (text !== '') this.#say(part, text)
  }

  #open({ kind, json }: Pick<Voice, 'kind' | 'json'>): readonly Filtering[] {
    return this.#guards.flatMap(guard => {
      const open = () => checkedFilter(guard.session.output!({ kind, json }), guard.plugin)
      guard.watched?.begins('output')
      const filter = guarded(guard, this.#answer.context, open)
      return filter ? [{ guard, filter, compared: guard.watched && new ComparedText(), hasFailed: false }] : []
    })
  }

  /** Delivers the text that the filters of the part held back. */
  #closePart(): void {
    const part = this.#part
    if (!part) return
    this.#part = undefined
    const held = this.#flushed(part.filters)
    if (held !== '') this.#say(part, held)
  }

  #say(part: OpenPart, text: string): void {
    this.#tell(saying(part.form, text))
    if (beginsPart(part.form)) part.form = withinPart(part.form)
  }

  #tell(event: ItemEvent): void {
    if (this.#held) this.#answer.show(this.#held)
    this.#held = undefined
    this.#answer.show(event)
  }

  #filteredData(data: DataItem | undefined): ReturnType<DataItem['item']> | undefined {
    if (!data) return undefined
    data.replace(
      data.texts.map(({ text }) => {
        const filters = this.#open({ kind: 'data', json: false })
        return this.#pushed(filters, text) + this.#flushed(filters)
      }),
    )
    return data.item()
  }

  #pushed(filters: readonly Filtering[], text: string): string {
    let current = text
    for (const filtering of filters) {
      if (current === '') break
      current = this.#filtered(filtering, 'push', current)
    }
    return current
  }

  /** Text that one filter held back passes through the next. */
  #flushed(filters: readonly Filtering[]): string {
    let held = ''
    for (const filtering of filters) {
      const passed = held === '' ? '' : this.#filtered(filtering, 'push', held)
      held = passed + this.#filtered(filtering, 'flush', '')
    }
    return held
  }

  #filtered(filtering: Filtering, hook: 'push' | 'flush', text: string): string {
    if (filtering.hasFailed) return text
    const { guard, filter } = filtering
    guard.watched?.begins('output')
    const passed = guarded(guard, this.#answer.context, () => {
      const checked = checkedText(filter[hook](text), guard.plugin, hook)
      this.#characters += checked.length
      checkLength(this.#characters, this.#answer.maxCharacters, guard.plugin, hook)
      return checked
    })
    if (passed !== undefined) {
      if (filtering.compared) tellOf(filtering, hook, text, passed)
      return passed
    }
    // The text that it held back is delivered too, if `flush` still works.
    const held = hook === 'push' ? this.#filtered(filtering, 'flush', '') : ''
    filtering.hasFailed = true
    return held + text
  }
}

function tellOf({ guard, compared }: Filtering, hook: 'push' | 'flush', text: string, passed: string): void {
  if (hook === 'push') compared!.gave(text)
  compared!.returned(passed)
  if (hook === 'flush') compared!.end()
  guard.watched!.ends(compared!.isChanged)
}
