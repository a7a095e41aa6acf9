import { contract } from '../foundation/token.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { Thread } from './request-envelope.ts'
import type { RequestScope } from './request-scope.ts'

/** The conversations that a plugin keeps for callers, for surfaces that continue them. Surfaces do without it if no plugin provides it. */
export interface Conversations {
  /**
   * The thread of one run, which looks the conversation up when the history of the request is read. With `adds`, no other run may have it
   * until `over`, and a complete answer is added.
   */
  open(scope: RequestScope, id: string, use: { readonly adds: boolean }): ConversationThread
}

/** One run in a conversation. Pass it to `generate` in the envelope. */
export interface ConversationThread extends Thread {
  /** Call it once the run is over, however it ended. */
  over(): Maybe<void>
}
export const Conversations = contract<Conversations>('conversations', { version: 1, stability: 'experimental' })
