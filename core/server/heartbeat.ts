import { wire } from '../framework/container.ts'
import { Roster } from '../runtime/roster.ts'
import { Settings } from '../framework/settings.ts'
import type { CoalescedBody } from './stream-body.ts'

const visitsPerBeat = 3

/** Sends comments on idle streams. One timer serves all streams, and events never reset it. */
export class Heartbeat {
  readonly #bodies = new Roster<CoalescedBody>()
  readonly #intervalMs: number
  #timer: NodeJS.Timeout | undefined

  static {
    wire(this, [Settings])
  }

  constructor({ heartbeatMs }: Settings) {
    this.#intervalMs = Math.max(1, Math.floor(heartbeatMs / visitsPerBeat))
  }

  /** The number of open streams. */
  get count(): number {
    return this.#bodies.size
  }

  add(body: CoalescedBody): void {
    this.#bodies.add(body)
    this.#timer ??= setInterval(() => this.#visit(), this.#intervalMs).unref()
  }

  remove(body: CoalescedBody): void {
    this.#bodies.remove(body)
    if (this.#bodies.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #visit(): void {
    for (const body of this.#bodies.all()) if (++body.silentVisits >= visitsPerBeat) body.beat()
  }
}
