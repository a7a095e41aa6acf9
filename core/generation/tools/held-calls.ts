import type { ItemEvent, OpenedItem } from '../../contracts/item-events.ts'
import type { OpenTools } from './open-tools.ts'

/** A model's call of one of the gateway's functions. */
export interface HeldCall {
  readonly callId: string
  readonly name: string
  /** JSON, unless the model was cut off or made a mistake. */
  input: string
}

/** Takes the calls of the gateway's tools out of an answer. */
export class HeldCalls {
  readonly #tools: OpenTools
  #calls: HeldCall[] = []
  #open: HeldCall | undefined
  #isHiding = false
  #callsCaller = false
  /** Items that tools show are not calls of the model. */
  isShowing = false

  constructor(tools: OpenTools) {
    this.#tools = tools
  }

  /** True if the model has also called a tool that only the caller can run, since `next`. */
  get callsCaller(): boolean {
    return this.#callsCaller
  }

  /** The calls since the last `next`, in order. */
  next(): readonly HeldCall[] {
    const calls = this.#calls
    this.#calls = []
    return calls
  }

  /** Call when the results of a round are known. */
  roundOver(): void {
    this.#callsCaller = false
  }

  /** Gets every event of the answer. */
  take(event: ItemEvent): void {
    if (event.type === 'item-open') this.#begin(event.item)
    else if (event.type === 'tool-input' && this.#open) this.#open.input += event.text
    if (event.type === 'item-close') this.#open = undefined
  }

  /** True if the client must not see an event that passed the guardrails. */
  hides(event: ItemEvent): boolean {
    if (event.type === 'item-open') this.#isHiding = this.#toolOf(event.item) !== undefined
    const isHiding = this.#isHiding
    if (event.type === 'item-close') this.#isHiding = false
    return isHiding
  }

  #begin(item: OpenedItem): void {
    const tool = this.#toolOf(item)
    if (tool && item.kind === 'call') {
      this.#open = { callId: item.callId, name: item.name, input: '' }
      this.#calls.push(this.#open)
    } else if (item.kind === 'call' || (item.kind === 'foreign' && !this.isShowing)) this.#callsCaller = true
  }

  #toolOf(item: OpenedItem): ReturnType<OpenTools['find']> {
    return item.kind === 'call' && !item.custom && item.namespace === undefined ? this.#tools.find(item.name) : undefined
  }
}
