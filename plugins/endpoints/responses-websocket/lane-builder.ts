import { ResponseBuilder } from '../responses/response-builder.ts'
import type { LaneThread } from './lane-thread.ts'

/** Lets the lane know if its response was stored, before the peer can continue it. */
export class LaneBuilder extends ResponseBuilder {
  readonly #thread: LaneThread

  constructor(thread: LaneThread, ...given: ConstructorParameters<typeof ResponseBuilder>) {
    super(...given)
    this.#thread = thread
  }

  override end(stored: boolean): void {
    this.#thread.stored(stored)
    super.end(stored)
  }
}
