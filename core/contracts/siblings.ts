import type { Maybe } from '../runtime/pending.ts'
import { token } from '../foundation/token.ts'

/** The other workers of this gateway on this machine. Core provides it; where one process serves alone, there are none. */
export interface Siblings {
  /** The number of this worker, from 1. Undefined where one process serves alone. */
  readonly worker: number | undefined
  /** Answers the questions that siblings ask under this name. Without an answer, or if it throws, this worker counts as silent. */
  answer(name: string, answer: () => Maybe<string>): void
  /** Asks all siblings at once, and waits at most so long. Never rejects. */
  ask(name: string, withinMs: number): Promise<SiblingAnswers>
}
export const Siblings = token<Siblings>('siblings')

/** The outcome of a question to all siblings. */
export interface SiblingAnswers {
  /** In the order of arrival. */
  readonly answers: readonly {
    /** The number of the sibling that answered. */
    readonly worker: number
    /** What its function returned, such as JSON. */
    readonly text: string
  }[]
  /** How many did not answer in time: they hang, are busy, or are about to start. */
  readonly silent: number
}
