import { contract } from '../foundation/token.ts'

/** The conversation, or a part of it, that a model is about to summarize. */
export interface ConversationPart {
  /** From 0. */
  readonly index: number
  /** More than one if the conversation is longer than the context window. Each part begins with the summary of those before it. */
  readonly count: number
  /** Calls of tools that nobody has answered yet. They are not in the conversation that the model reads, and stay in full. */
  readonly openCalls: readonly {
    /** The name of the tool. */
    readonly name: string
    /** As the model wrote it: JSON, or free text for a custom tool. */
    readonly input: string
  }[]
}

/**
 * Says how the gateway compacts conversations: core asks a model, and what it writes stands for the conversation from then on. Without a
 * plugin that provides it, only vendors compact. Experimental.
 */
export interface Compactor {
  /** True: the gateway summarizes even if every endpoint of the request could compact by itself. Then any model can go on from there. */
  readonly isPortable: boolean
  /** The model that summarizes, as a request names it. Where the key or its policy does not allow it, and by default, the request's own. */
  readonly model?: string | undefined
  /** The longest summary, in tokens. Hidden reasoning counts, too. */
  readonly maxSummaryTokens: number
  /** The newest messages of the user stay as they are, up to about this many tokens. */
  readonly maxKeptTokens: number
  /** The most parts in which a conversation is summarized that is longer than the context window. */
  readonly maxParts: number
  /** Asks the model, as the user's message after the conversation. */
  question(part: ConversationPart): string
}
export const Compactor = contract<Compactor>('compactor', { version: 1, stability: 'experimental' })
