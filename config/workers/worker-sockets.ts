import type { Gateway } from '../../core/gateway.ts'
import { listenAdmin, type AdminListener } from '../listen-admin.ts'
import type { ServerOptions } from '../schema.ts'
import type { Serving } from '../serving.ts'
import { welcome } from '../welcome.ts'
import type { Order, SocketName } from './messages.ts'
import type { BoundSocket } from './sockets.ts'
import { WorkerListener } from './worker-listener.ts'

/** A worker's copies of its parent's sockets, and the listeners that serve them. */
export class WorkerSockets {
  readonly #copies = new Map<SocketName, BoundSocket>()
  #served: { readonly gateway: Gateway; readonly server: ServerOptions } | undefined
  #listener: WorkerListener | undefined
  #admin: AdminListener | undefined

  /** Keeps a copy of a socket. */
  keep(name: SocketName, socket: BoundSocket | undefined): void {
    if (socket) this.#copies.set(name, socket)
  }

  /** Serves this gateway from now on. */
  serve(gateway: Gateway, server: ServerOptions): void {
    this.#served = { gateway, server }
  }

  get serving(): Serving {
    const { gateway, server } = this.#served!
    return {
      gateway,
      server,
      listener: this.#listener ?? new WorkerListener(gateway, server, server.tls, this.#copies),
      admin: this.#admin,
    }
  }

  /** Accepts connections from exactly these sockets. */
  async accept({ names, place }: Extract<Order, { kind: 'accept' }>): Promise<void> {
    const { gateway, server } = this.#served!
    const listener = (this.#listener ??= new WorkerListener(gateway, place, server.tls, this.#copies))
    await listener.accept(names.filter(name => name !== 'admin'))
    if (!names.includes('admin')) return this.#handOverAdmin()
    const socket = this.#copies.get('admin')
    if (this.#admin || !socket || !place.admin) return
    this.#copies.delete('admin')
    this.#admin = await listenAdmin(gateway.admin, place.admin, server, socket)
  }

  /** It did not answer for a while, so another process has the admin listener now. */
  #handOverAdmin(): void {
    this.#admin?.handOver()
    this.#admin = undefined
  }

  async welcome(): Promise<void> {
    await welcome(this.#served!.gateway, this.#listener!, this.#admin)
  }

  /** Takes no more connections, because other processes do. */
  handOver(): void {
    this.#listener?.handOver()
  }

  /** Lets go of the sockets that it does not accept from. */
  dropCopies(): void {
    for (const socket of this.#copies.values()) socket.close()
    this.#copies.clear()
  }
}
