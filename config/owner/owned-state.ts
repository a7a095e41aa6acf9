import type { SharedChange, SharedState } from '../../core/contracts/shared-state.ts'
import type { OwnerClient } from './owner-client.ts'

/** Tells the other processes of this machine what this one learns, by way of their owner process. */
export class OwnedState implements SharedState {
  readonly #client: OwnerClient

  constructor(client: OwnerClient) {
    this.#client = client
  }

  publish(change: SharedChange): void {
    this.#client.publish(change)
  }

  subscribe(receive: (change: SharedChange) => void): void {
    this.#client.subscribe(receive)
  }
}
