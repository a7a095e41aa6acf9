import { contract } from '../foundation/token.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { Item } from './items.ts'

/** `completing`: the answer is whole, and is being stored. It can no longer be cancelled. */
export const openStatuses = ['queued', 'in_progress', 'completing'] as const
export const finalStatuses = ['completed', 'incomplete', 'failed', 'cancelled'] as const
/** How a background response ended. */
export type FinalStatus = (typeof finalStatuses)[number]
/** How far a background response is. */
export type BackgroundStatus = (typeof openStatuses)[number] | FinalStatus

/** A response that runs without the connection of its caller. */
export interface BackgroundResponse {
  /** Such as `resp_…`. */
  readonly id: string
  /** If the store seals content, it uses this organization's key. */
  readonly org: string
  /** The request's own items. Each has an `id`. */
  readonly input: readonly Item[]
  /** The response object. While the response runs, it has no output. */
  readonly body: JsonObject
  /** Milliseconds since the epoch, by the clock of its gateway. */
  readonly createdAt: number
}

/** A response as the store knows it. */
export interface BackgroundState extends BackgroundResponse {
  /** How far it is. */
  readonly status: BackgroundStatus
  /**
   * How much longer the lease lasts, in milliseconds. Below 0: it has ended, so the gateway that runs the response is dead. Undefined once
   * the response is over: its gateway finished it, or it has lapsed. A cancelled response may still run.
   */
  readonly leaseLeftMs: number | undefined
  /** The sequence number of the last event. -1: none. */
  readonly lastSequence: number
}

/** A piece of the event stream. */
export interface EventChunk {
  /** Counts the chunks of a response from 0. */
  readonly part: number
  /** The sequence numbers of its events. A long event is in several chunks, which have no other event. */
  readonly first: number
  /** The sequence number of its last event. */
  readonly last: number
  /** As they are sent. */
  readonly text: string
}

/** Chunks to add. */
export interface EventBatch {
  /** In the order of their events. */
  readonly chunks: readonly EventChunk[]
  /** How many chunks may be read: all up to the end of a whole event. */
  readonly parts: number
  /** The sequence number of the last event. */
  readonly lastSequence: number
  /** The response begins: its status is then `in_progress`. */
  readonly begun?: JsonObject | undefined
}

/** How the store treats a response after its end. */
export interface BackgroundAftermath {
  /** How long it is kept. */
  readonly keepMs: number
  /** How soon to tell that the response is over. Absent: nobody wants to know. */
  readonly noticeMs?: number | undefined
}

/** The end of a response. */
export interface BackgroundEnd extends BackgroundAftermath {
  /** A response that was cancelled stays so. */
  readonly status: FinalStatus
  /** The finished object. Absent if the `ResponseStore` has it. */
  readonly body?: JsonObject | undefined
  /** The last events. */
  readonly batch: EventBatch
}

/** Names one background response. */
export interface BackgroundAddress {
  /** Only its owner can read it. */
  readonly owner: string
  /** Such as `resp_…`. */
  readonly id: string
}

/** A response that is over, which someone wants to know. */
export interface BackgroundNotice extends BackgroundAddress {
  /** How it ended. */
  readonly status: FinalStatus
  /** When it was created, in milliseconds since the epoch. */
  readonly createdAt: number
  /** How often it was taken before. */
  readonly tries: number
}

/**
 * Keeps background responses: their state, which any gateway on the store can read and change, and their events, from which a stream is
 * resumed. Each response belongs to an owner: treat another owner's id as unknown. Several gateways may share a store, and their clocks may
 * differ, so the store alone measures time: all durations begin when a function is called. `backgroundStoreSuite` of `turnpike/testing` checks
 * an implementation.
 */
export interface BackgroundStore {
  /**
   * Enters a response, with the status `queued`. Throws if the owner has one with the id. The gateway that runs it is dead if it does not renew
   * the lease in time.
   */
  begin(owner: string, response: BackgroundResponse, leaseMs: number): Promise<void>
  /** The response with its state, or undefined if the owner has none with this id. */
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
  /** Makes the leases of responses that are not over last this long from now. Returns those that should run on, which excludes cancelled ones. */
  renew(responses: readonly BackgroundAddress[], leaseMs: number): Promise<readonly BackgroundAddress[]>
  /** Ends all responses whose lease has ended: they are `failed`, unless they are cancelled. Returns their number. */
  lapse(aftermath: BackgroundAftermath): Promise<number>
  /**
   * The readable chunks from `part` on that have an event after `sequence`, in their order, a few at a time. Empty if there are none, or no
   * such response.
   */
  events(owner: string, id: string, from: { readonly part: number; readonly sequence: number }): Promise<readonly EventChunk[]>
  /** Deletes a response that is over. False if there is none. */
  delete(owner: string, id: string): Promise<boolean>
  /** Takes some of the notices that are due, none of which is due again for so long, in any gateway. */
  takeNotices(forMs: number): Promise<readonly BackgroundNotice[]>
  /** Sets in how many milliseconds a notice is due again. Undefined: never. */
  putOff(owner: string, id: string, dueInMs: number | undefined): Promise<void>
  /** Deletes responses that are over, and were kept long enough. Returns their number. */
  expire(): Promise<number>
}
export const BackgroundStore = contract<BackgroundStore>('background-store', { version: 2, stability: 'experimental' })
