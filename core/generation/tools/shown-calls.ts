import type { SearchEvent, ToolEvent } from '../../contracts/tool.ts'

export interface CallDisplay {
  /** A search begins. */
  begin(event: SearchEvent): void
  /** The end of a call, as the client sees it. */
  show(event: ToolEvent): void
}

/** Calls run at the same time, but what they show does not mix: it is shown in their order, each as soon as its turn comes. */
export class ShownCalls {
  readonly #display: CallDisplay
  readonly #begun: (SearchEvent | undefined)[] = []
  readonly #over: (readonly ToolEvent[] | undefined)[] = []
  #turn = 0
  #isStopped = false

  constructor(display: CallDisplay) {
    this.#display = display
  }

  begin(index: number, event: SearchEvent): void {
    if (this.#isStopped) return
    this.#begun[index] = event
    if (index === this.#turn) this.#display.begin(event)
  }

  end(index: number, events: readonly ToolEvent[]): void {
    this.#over[index] = events
    for (let shown = this.#over[this.#turn]; shown && !this.#isStopped; shown = this.#over[this.#turn]) {
      this.#show(shown, this.#begun[this.#turn])
      const next = this.#begun[++this.#turn]
      if (next) this.#display.begin(next)
    }
  }

  /** The answer has failed. */
  stop(): void {
    this.#isStopped = true
  }

  #show(events: readonly ToolEvent[], begun: SearchEvent | undefined): void {
    const isEnded = !begun || events.some(event => event.type === 'search' && event.key === begun.key)
    if (!isEnded) this.#display.show({ ...begun, status: 'failed' })
    for (const event of events) this.#display.show(event)
  }
}
