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
  /** A sibling, named by its process, asks a question. */
  | { readonly kind: 'asked'; readonly asker: number; readonly id: number; readonly name: string }
  /** So many siblings were asked. The others are `away`: they give no sign of life, or are about to start. */
  | { readonly kind: 'passed'; readonly id: number; readonly asked: number; readonly away: number }
  /** The answer of a sibling. Without a text, it has none. */
  | { readonly kind: 'answered'; readonly id: number; readonly worker: number; readonly text: string | undefined }
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
  /** Ask all siblings. */
  | { readonly kind: 'ask'; readonly id: number; readonly name: string }
  /** The answer to the question of a sibling, named by its process. */
  | { readonly kind: 'answer'; readonly asker: number; readonly id: number; readonly text: string | undefined }
  /** It takes no more connections, and ends when its requests have finished. */
  | { readonly kind: 'leaving'; readonly why: string }
  /** It could not start. The text has no secrets. */
  | { readonly kind: 'failed'; readonly problem: string }
