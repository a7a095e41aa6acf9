import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { Coordination } from '../../core/contracts/coordination.ts'
import type { SharedChange } from '../../core/contracts/shared-state.ts'
import { MemoryCoordination } from '../../core/coordination/memory-coordination.ts'
import type { Clock } from '../../core/foundation/clock.ts'
import { lineOf } from './lines.ts'
import type { FromOwner, ToOwner } from './messages.ts'
import { Peer, type PeerHost } from './peer.ts'
import { SharedEntries } from './shared-entries.ts'

interface Joined {
  readonly service: Coordination
  /** Undefined while the process is not connected. */
  peer: Peer | undefined
  leaving: NodeJS.Timeout | undefined
  /** Of the last change: a process sends those again of which it does not know that they arrived. */
  lastChange: number
}

/** More processes than any machine has workers. */
const maxConnections = 1_024
/** A process that lost its connection and lives is back at once. The places of one that died are free after this long. */
const absenceMs = 1_000
const maxSharedBytes = 32 * 1024 * 1024

/** Counts for the processes of one machine, and passes on what they tell each other. */
export class Owner implements PeerHost {
  readonly #name = randomUUID()
  readonly #coordination: MemoryCoordination
  readonly #shared: SharedEntries
  readonly #joined = new Map<string, Joined>()
  readonly #server: Server

  constructor(clock: Clock) {
    this.#coordination = new MemoryCoordination(clock, this.#name)
    this.#shared = new SharedEntries(clock, maxSharedBytes)
    this.#server = createServer(socket => void new Peer(socket, this))
    this.#server.maxConnections = maxConnections
  }

  async listen(path: string): Promise<void> {
    await once(this.#server.listen(path), 'listening')
  }

  /** Ends all connections. */
  close(): void {
    this.#server.close()
    for (const { peer, leaving } of this.#joined.values()) {
      clearTimeout(leaving)
      peer?.close()
    }
  }

  joined(peer: Peer): void {
    const known = this.#joined.get(peer.member)
    if (known) {
      clearTimeout(known.leaving)
      // The process gave it up, and the owner has yet to notice.
      known.peer?.close()
      known.peer = peer
    } else this.#joined.set(peer.member, { service: this.#coordination.member(peer.member), peer, leaving: undefined, lastChange: 0 })
    peer.send(['welcome', this.#name])
  }

  left(peer: Peer): void {
    const joined = this.#joined.get(peer.member)
    if (joined?.peer !== peer) return
    joined.peer = undefined
    joined.leaving = setTimeout(() => {
      this.#joined.delete(peer.member)
      this.#coordination.leave(peer.member)
    }, absenceMs)
  }

  async called(peer: Peer, [, id, call, ...given]: Extract<ToOwner, readonly ['call', ...unknown[]]>): Promise<unknown> {
    const joined = this.#joined.get(peer.member)!
    const { service } = joined
    switch (call) {
      case 'claim':
        return await service.claim(...(given as Parameters<Coordination['claim']>))
      case 'change':
        if (id <= joined.lastChange) return null
        joined.lastChange = id
        return await service.change(...(given as Parameters<Coordination['change']>))
      case 'states':
        return await service.states(...(given as Parameters<Coordination['states']>))
      case 'beat':
        return await service.beat(...(given as Parameters<Coordination['beat']>))
      case 'gauges':
        return await service.gauges()
      case 'exchange': {
        const [deltas, since] = given as Parameters<Coordination['exchange']>
        return await service.exchange(deltas, since ?? undefined)
      }
    }
  }

  published({ member: from }: Peer, change: SharedChange): void {
    this.#shared.add(from, change)
    const line = lineOf(['change', change] satisfies FromOwner)
    for (const [name, { peer }] of this.#joined) if (name !== from && peer?.isSubscribed) peer.sendLine(line)
  }

  subscribed(peer: Peer): void {
    for (const change of this.#shared.toldTo(peer.member)) peer.send(['change', change])
  }
}
