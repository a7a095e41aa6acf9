import { contract } from '../foundation/token.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { Item } from './items.ts'

/** `completing`: the answer is whole, and is being stored. It can no longer be cancelled. */
export const openStatuses = ['queued', 'in_progress', 'completing'] as const
export const finalStatuses = ['completed', 'incomplete', 'failed', 'cancelled'] as const
export type FinalStatus = (typeof finalStatuses)[number]
export type BackgroundStatus = (typeof openStatuses)[number] | FinalStatus

/** A response that runs without the connection of its caller. */
export interface BackgroundResponse {
  readonly id: string
  /** If the store seals content, it uses this organization's key. */
  readonly org: string
  /** The request's own items. Each has an `id`. */
  readonly input: readonly Item[]
  /** The response object. While the response runs, it has no output. */
  readonly body: JsonObject
  /** Milliseconds since the epoch, as all times here. */
  readonly createdAt: number
  /** The gateway that runs the response is dead if it has not renewed this. */
  readonly leaseEndsAt: number
}

/** A response as the store knows it. */
export interface BackgroundState extends Omit<BackgroundResponse, 'leaseEndsAt'> {
  readonly status: BackgroundStatus
  /** Undefined once the response is over: its gateway finished it, or the lease ended. A cancelled response may still run. */
  readonly leaseEndsAt: number | undefined
  /** The sequence number of the last event. -1: none. */
  readonly lastSequence: number
}

/** A piece of the event stream. */
export interface EventChunk {
  /** Counts the chunks of a response from 0. */
  readonly part: number
  /** The sequence numbers of its events. A long event is in several chunks, which have no other event. */
  readonly first: number
  readonly last: number
  /** As they are sent. */
  readonly text: string
}

/** Chunks to add. */
export interface EventBatch {
  readonly chunks: readonly EventChunk[]
  /** How many chunks may be read: all up to the end of a whole event. */
  readonly parts: number
  readonly lastSequence: number
  /** The response begins: its status is then `in_progress`. */
  readonly begun?: JsonObject | undefined
}

/** The end of a response. */
export interface BackgroundEnd {
  /** A response that was cancelled stays so. */
  readonly status: FinalStatus
  /** The finished object. Absent if the `ResponseStore` has it. */
  readonly body?: JsonObject | undefined
  readonly batch: EventBatch
  readonly expiresAt: number
  /** When to tell that the response is over. Absent: nobody wants to know. */
  readonly noticeAt?: number | undefined
}

export interface BackgroundAddress {
  readonly owner: string
  readonly id: string
}

/** A response that is over, which someone wants to know. */
export interface BackgroundNotice extends BackgroundAddress {
  readonly status: FinalStatus
  readonly createdAt: number
  /** How often it was taken before. */
  readonly tries: number
}

/**
 * Keeps background responses: their state, which any gateway on the store can read and change, and their events, from which a stream is
 * resumed. Each response belongs to an owner: treat another owner's id as unknown. The times in the arguments are the caller's: the store
 * needs no clock. `backgroundStoreSuite` of `turnpike/testing` checks an implementation.
 */
export interface BackgroundStore {
  /** Enters a response, with the status `queued`. Throws if the owner has one with the id. */
  begin(owner: string, response: BackgroundResponse): Promise<void>
  get(owner: string, id: string): Promise<BackgroundState | undefined>
  /**
   * Adds events, unless the response is over or gone. A chunk that is there already stays. False if the response should not run on: it is
   * cancelled, over or gone.
   */
  append(owner: string, id: string, batch: EventBatch): Promise<boolean>
  /** The answer is whole: changes the status to `completing`. False if the response is over, cancelled or gone. */
  complete(owner: string, id: string): Promise<boolean>
  /** False if the response is over already, or gone. */
  finish(owner: string, id: string, end: BackgroundEnd): Promise<boolean>
  /** Changes the status of a response that is `queued` or `in_progress`. False for any other. Its gateway finds out by `renew`. */
  cancel(owner: string, id: string): Promise<boolean>
  /** Prolongs the leases of responses that are not over. Returns those that should run on, which excludes cancelled ones. */
  renew(responses: readonly BackgroundAddress[], leaseEndsAt: number): Promise<readonly BackgroundAddress[]>
  /** Ends all responses whose lease ended before `now`: they are `failed`, unless they are cancelled. Returns their number. */
  lapse(now: number, end: Pick<BackgroundEnd, 'expiresAt' | 'noticeAt'>): Promise<number>
  /**
   * The readable chunks from `part` on that have an event after `sequence`, in their order, a few at a time. Empty if there are none, or no
   * such response.
   */
  events(owner: string, id: string, from: { readonly part: number; readonly sequence: number }): Promise<readonly EventChunk[]>
  /** Deletes a response that is over. False if there is none. */
  delete(owner: string, id: string): Promise<boolean>
  /** Takes some of the notices that are due, none of which is due again before `until`, in any gateway. */
  takeNotices(now: number, until: number): Promise<readonly BackgroundNotice[]>
  /** Sets when a notice is due again. Undefined: never. */
  putOff(owner: string, id: string, dueAt: number | undefined): Promise<void>
  /** Deletes responses that are over and expired before `now`. Returns their number. */
  expire(now: number): Promise<number>
}
export const BackgroundStore = contract<BackgroundStore>('background-store', { version: 1, stability: 'experimental' })
