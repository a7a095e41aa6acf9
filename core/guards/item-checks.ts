import type { ItemEvent } from '../contracts/item-events.ts'
import type { AnswerGuards, GuardedAnswer } from './answer-guards.ts'
import { HeldItem } from './held-item.ts'
import { askGuard, refused, type OpenGuard } from './input-guards.ts'
import { checkedItemVerdict, checkLength } from './returned.ts'

/** Holds back every item of an answer until all guardrails that check items have seen the whole item. The model continues meanwhile. */
export class ItemChecks implements AnswerGuards {
  readonly #guards: readonly OpenGuard[]
  readonly #answer: GuardedAnswer
  /** The events of the item that is still growing. */
  #growing: ItemEvent[] = []
  /** Complete items that have not been checked. */
  readonly #waiting: (readonly ItemEvent[])[] = []
  #checking: Promise<void> | undefined
  #refusal: { readonly reason: unknown } | undefined
  #items = 0

  static over(guards: readonly OpenGuard[], answer: GuardedAnswer): ItemChecks | undefined {
    const checking = guards.filter(({ session }) => session.item)
    return checking.length === 0 ? undefined : new ItemChecks(checking, answer)
  }

  private constructor(guards: readonly OpenGuard[], answer: GuardedAnswer) {
    this.#guards = guards
    this.#answer = answer
  }

  write(event: ItemEvent): void {
    if (this.#refusal) return
    this.#growing.push(event)
    if (event.type !== 'item-close' && event.type !== 'choice') return
    this.#waiting.push(this.#growing)
    this.#growing = []
    this.#checking ??= this.#checkAll()
  }

  settled(): Promise<void> | undefined {
    return this.#checking || this.#refusal ? this.#rest() : undefined
  }

  async #rest(): Promise<void> {
    await this.#checking
    if (this.#refusal) throw this.#refusal.reason
  }

  /** Never rejects: nobody waits for it until the model is done. */
  async #checkAll(): Promise<void> {
    try {
      for (let events = this.#waiting.shift(); events; events = this.#waiting.shift()) {
        if (events.at(-1)!.type === 'choice') {
          for (const event of events) this.#answer.show(event)
          continue
        }
        const item = new HeldItem(events, this.#items++, this.#answer.isJson)
        await this.#check(item)
        for (const event of item.events()) this.#answer.show(event)
      }
    } catch (reason) {
      this.#refusal = { reason }
      this.#growing = []
      this.#answer.end(reason)
    }
    this.#checking = undefined
  }

  async #check(item: HeldItem): Promise<void> {
    const { context, maxCharacters } = this.#answer
    for (const guard of this.#guards) {
      const { session, plugin, watched } = guard
      const shown = item.shown()
      if (!shown) return
      watched?.begins('output')
      const verdict = await askGuard(guard, context, async signal => {
        const given = checkedItemVerdict(await session.item!(shown, signal), plugin, shown.texts.length)
        if ('replace' in given) checkLength(given.replace.join('').length, maxCharacters, plugin, 'item')
        return given
      })
      if (verdict) watched?.ends('replace' in verdict)
      // The guardrail failed, and its `onFailure` is `allow`.
      if (!verdict) continue
      if ('refuse' in verdict) throw refused(guard, context, verdict.refuse)
      if ('replace' in verdict) item.replace(verdict.replace)
    }
  }
}
