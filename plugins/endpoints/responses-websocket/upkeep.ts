import type { ResponsesSocket, SocketOptions } from './responses-socket.ts'

const visitMs = 5_000
/** A response that says nothing for so long repeats that it is in progress, as in a stream. */
const silenceMs = 15_000
/** Proxies between close connections on which nothing moves, often after a minute. */
const pingMs = 30_000

/** Visits all connections regularly. One timer serves all of them. */
export class Upkeep {
  readonly #sockets = new Set<ResponsesSocket>()
  readonly #visitMs: number
  #visits = 0
  #timer: NodeJS.Timeout | undefined

  constructor({ idleTimeoutMs, maxLifeMs }: SocketOptions) {
    this.#visitMs = Math.min(visitMs, idleTimeoutMs / 4, maxLifeMs / 4)
  }

  add(socket: ResponsesSocket): void {
    this.#sockets.add(socket)
    this.#timer ??= setInterval(() => this.#visit(), this.#visitMs).unref()
  }

  remove(socket: ResponsesSocket): void {
    this.#sockets.delete(socket)
    if (this.#sockets.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #visit(): void {
    const pings = ++this.#visits % Math.ceil(pingMs / this.#visitMs) === 0
    for (const socket of this.#sockets) {
      socket.breakSilence(Math.ceil(silenceMs / this.#visitMs))
      if (pings) socket.ping()
      socket.checkAge()
    }
  }
}
