import type { Clock, JsonObject } from '../../../core/index.ts'
import type {
  BackgroundAddress,
  BackgroundAftermath,
  BackgroundEnd,
  BackgroundNotice,
  BackgroundResponse,
  BackgroundState,
  BackgroundStatus,
  BackgroundStore,
  EventBatch,
  EventChunk,
  FinalStatus,
} from '../../../core/stores.ts'

interface Kept {
  readonly owner: string
  readonly response: BackgroundResponse
  readonly chunks: EventChunk[]
  body: JsonObject
  status: BackgroundStatus
  /** On `Clock.elapsed`, as all times here. */
  leaseEndsAt: number | undefined
  parts: number
  lastSequence: number
  expiresAt: number
  noticeAt: number | undefined
  tries: number
}

/** Readers get so many chunks at a time. */
const maxChunks = 8
const maxNotices = 20

/** The responses that run in the background, with their events. They end with this process. */
export class MemoryBackground implements BackgroundStore {
  readonly #clock: Clock
  readonly #kept = new Map<string, Kept>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async begin(owner: string, response: BackgroundResponse, leaseMs: number): Promise<void> {
    const address = addressOf(owner, response.id)
    if (this.#kept.has(address)) throw new Error('a background response with this id is there already')
    const { body } = response
    const leaseEndsAt = this.#in(leaseMs)
    const start = { status: 'queued', parts: 0, lastSequence: -1, expiresAt: Infinity, noticeAt: undefined, tries: 0 } as const
    this.#kept.set(address, { ...start, owner, response, body, leaseEndsAt, chunks: [] })
  }

  async get(owner: string, id: string): Promise<BackgroundState | undefined> {
    const kept = this.#find(owner, id)
    if (!kept) return undefined
    const { response, body, status, leaseEndsAt, lastSequence } = kept
    const leaseLeftMs = leaseEndsAt === undefined ? undefined : leaseEndsAt - this.#clock.elapsed()
    return { ...response, body, status, leaseLeftMs, lastSequence }
  }

  async append(owner: string, id: string, batch: EventBatch): Promise<boolean> {
    const kept = this.#find(owner, id)
    if (!kept || kept.leaseEndsAt === undefined) return false
    add(kept, batch)
    if (batch.begun) {
      kept.body = batch.begun
      if (kept.status === 'queued') kept.status = 'in_progress'
    }
    return isOpen(kept)
  }

  async complete(owner: string, id: string): Promise<boolean> {
    const kept = this.#find(owner, id)
    if (!kept || !isOpen(kept)) return false
    kept.status = 'completing'
    return true
  }

  async finish(owner: string, id: string, { status, body, batch, ...aftermath }: BackgroundEnd): Promise<boolean> {
    const kept = this.#find(owner, id)
    if (!kept || kept.leaseEndsAt === undefined) return false
    add(kept, batch)
    if (kept.status !== 'cancelled') kept.status = status
    if (body) kept.body = body
    this.#end(kept, aftermath)
    return true
  }

  async cancel(owner: string, id: string): Promise<boolean> {
    const kept = this.#find(owner, id)
    if (!kept || !isOpen(kept) || kept.status === 'completing') return false
    kept.status = 'cancelled'
    return true
  }

  async renew(responses: readonly BackgroundAddress[], leaseMs: number): Promise<readonly BackgroundAddress[]> {
    return responses.filter(({ owner, id }) => {
      const kept = this.#find(owner, id)
      if (!kept || kept.leaseEndsAt === undefined) return false
      kept.leaseEndsAt = this.#in(leaseMs)
      return isOpen(kept)
    })
  }

  async lapse(aftermath: BackgroundAftermath): Promise<number> {
    const now = this.#clock.elapsed()
    const lapsed = [...this.#kept.values()].filter(({ leaseEndsAt }) => leaseEndsAt !== undefined && leaseEndsAt < now)
    for (const kept of lapsed) {
      if (isOpen(kept)) kept.status = 'failed'
      this.#end(kept, aftermath)
    }
    return lapsed.length
  }

  async events(owner: string, id: string, from: { readonly part: number; readonly sequence: number }): Promise<readonly EventChunk[]> {
    const kept = this.#find(owner, id)
    if (!kept) return []
    const readable = kept.chunks.slice(from.part, kept.parts)
    const first = readable.findIndex(({ last }) => last > from.sequence)
    return first < 0 ? [] : readable.slice(first, first + maxChunks)
  }

  async delete(owner: string, id: string): Promise<boolean> {
    const kept = this.#find(owner, id)
    return kept !== undefined && kept.leaseEndsAt === undefined && this.#kept.delete(addressOf(owner, id))
  }

  async takeNotices(forMs: number): Promise<readonly BackgroundNotice[]> {
    const now = this.#clock.elapsed()
    const due = [...this.#kept.values()].filter(({ noticeAt }) => noticeAt !== undefined && noticeAt <= now).slice(0, maxNotices)
    return due.map(kept => {
      kept.noticeAt = now + forMs
      const { owner, response, status } = kept
      return { owner, id: response.id, status: status as FinalStatus, createdAt: response.createdAt, tries: kept.tries++ }
    })
  }

  async putOff(owner: string, id: string, dueInMs: number | undefined): Promise<void> {
    const kept = this.#find(owner, id)
    if (kept) kept.noticeAt = dueInMs === undefined ? undefined : this.#in(dueInMs)
  }

  async expire(): Promise<number> {
    const now = this.#clock.elapsed()
    const expired = [...this.#kept].filter(([, { leaseEndsAt, expiresAt }]) => leaseEndsAt === undefined && expiresAt < now)
    for (const [address] of expired) this.#kept.delete(address)
    return expired.length
  }

  #end(kept: Kept, { keepMs, noticeMs }: BackgroundAftermath): void {
    kept.leaseEndsAt = undefined
    kept.expiresAt = this.#in(keepMs)
    kept.noticeAt = noticeMs === undefined ? undefined : this.#in(noticeMs)
  }

  #in(milliseconds: number): number {
    return this.#clock.elapsed() + milliseconds
  }

  #find(owner: string, id: string): Kept | undefined {
    return this.#kept.get(addressOf(owner, id))
  }
}

/** True if the response should run on. */
function isOpen({ status, leaseEndsAt }: Kept): boolean {
  return leaseEndsAt !== undefined && status !== 'cancelled'
}

function add(kept: Kept, { chunks, parts, lastSequence }: EventBatch): void {
  for (const chunk of chunks) kept.chunks[chunk.part] ??= chunk
  kept.parts = parts
  kept.lastSequence = lastSequence
}

/** Unambiguous for any characters in an id. */
function addressOf(owner: string, id: string): string {
  return JSON.stringify([owner, id])
}
