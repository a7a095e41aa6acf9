// Links the gateways of one process, such as those of a test. Put your message bus in the place of `Hub`.

import { definePlugin } from 'turnpike'
import { SharedState, type SharedChange } from 'turnpike/stores'

export default definePlugin({
  name: 'acme-link',
  contracts: { SharedState: 1 },
  options: { type: 'object', additionalProperties: false, properties: {} },
  provides: [SharedState],
  setup(gateway) {
    gateway.provide(SharedState, hub.join())
  },
})

type Receive = (change: SharedChange) => void

export class Hub {
  readonly #members = new Map<object, Receive>()
  readonly #kept = new Map<string, { readonly change: SharedChange; readonly endsAt: number }>()

  join(): SharedState {
    const member = {}
    return {
      publish: change => {
        const name = JSON.stringify([change.map, change.key])
        // The last of its key: what a late gateway gets.
        this.#kept.delete(name)
        if (change.forMs > 0) this.#kept.set(name, { change, endsAt: performance.now() + change.forMs })
        for (const [other, receive] of this.#members) if (other !== member) receive(change)
      },
      subscribe: receive => {
        const now = performance.now()
        for (const [name, { change, endsAt }] of this.#kept)
          if (endsAt > now) receive({ ...change, forMs: endsAt - now })
          else this.#kept.delete(name)
        this.#members.set(member, receive)
      },
    }
  }
}

const hub = new Hub()
