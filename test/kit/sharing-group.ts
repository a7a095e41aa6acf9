import type { Clock } from '../../core/index.ts'
import type { SharedChange, SharedState } from '../../core/stores.ts'
import { systemClock } from '../../core/foundation/clock.ts'

interface Member {
  receive: ((change: SharedChange) => void) | undefined
}

/** Gateways of one process that share their state as text, like those of several processes. */
export class SharingGroup {
  /** Every change, in the form in which it travels. */
  readonly sent: string[] = []
  readonly #clock: Clock
  readonly #members: Member[] = []
  readonly #entries = new Map<string, { readonly change: SharedChange; readonly until: number }>()

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  /** Makes the service that one more gateway provides. */
  join(): SharedState {
    const self: Member = { receive: undefined }
    this.#members.push(self)
    return {
      publish: change => this.#publish(self, JSON.stringify(change)),
      subscribe: receive => {
        self.receive = receive
        const now = this.#clock.elapsed()
        for (const { change, until } of this.#entries.values()) if (now < until) receive({ ...change, forMs: until - now })
      },
    }
  }

  #publish(from: Member, text: string): void {
    this.sent.push(text)
    const change = JSON.parse(text) as SharedChange
    const name = JSON.stringify([change.map, change.key])
    if (change.forMs > 0) this.#entries.set(name, { change, until: this.#clock.elapsed() + change.forMs })
    else this.#entries.delete(name)
    for (const member of this.#members) if (member !== from) member.receive?.(JSON.parse(text) as SharedChange)
  }
}
