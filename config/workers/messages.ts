import type { AdminAddress } from '../listen-admin.ts'
import type { ServerOptions } from '../schema.ts'

/** Where the sockets listen, with the ports that they got. */
export type Place = Pick<Fixed, 'host' | 'port' | 'admin'>

/** The facts that stay the same while the parent runs. */
export interface Fixed {
  readonly host: string
  readonly port: number
  readonly workers: number
  readonly isHttps: boolean
  /** Absent if there is no admin API. */
  readonly admin?: AdminAddress | undefined
}

/** Names a socket that the parent keeps open. */
export type SocketName = number | 'admin'

/** From the parent to a worker. */
export type Order =
  /** Open the gateway. `coordinator`: the socket of the owner process, where workers count together. */
  | { readonly kind: 'open'; readonly coordinator: string | undefined }
  /** Only see if the gateway could be opened, and end. */
  | { readonly kind: 'check' }
  /** Keep this copy of a socket, which comes with the message, and do not accept from it yet. */
  | { readonly kind: 'keep'; readonly name: SocketName }
  /** Accept connections from exactly these sockets, which are at these addresses. */
  | { readonly kind: 'accept'; readonly names: readonly SocketName[]; readonly place: Place }
  /** Say that the gateway listens. */
  | { readonly kind: 'welcome' }
  /** Let open requests finish, and end. `announces`: nobody goes on, so tell load balancers first. Given again: do not wait. */
  | { readonly kind: 'leave'; readonly why: string; readonly announces: boolean }

/** From a worker to the parent. */
export type Report =
  | { readonly kind: 'loaded'; readonly needsCoordinator: boolean; readonly logLevel: ServerOptions['logLevel'] }
  | { readonly kind: 'opened'; readonly fixed: Fixed }
  /** The order to accept was carried out. */
  | { readonly kind: 'accepting' }
  /** The event loop turns. */
  | { readonly kind: 'beat' }
  /** It takes no more connections, and ends when its requests have finished. */
  | { readonly kind: 'leaving'; readonly why: string }
  /** It could not start. The text has no secrets. */
  | { readonly kind: 'failed'; readonly problem: string }
