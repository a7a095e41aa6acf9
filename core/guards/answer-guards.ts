import type { ItemEvent } from '../contracts/item-events.ts'
import type { RunContext } from '../contracts/run-context.ts'
import type { OpenGuard } from './input-guards.ts'
import { ItemChecks } from './item-checks.ts'
import { OutputGuards } from './output-guards.ts'

/** The checks of an answer between the model and the client. */
export interface AnswerGuards {
  write(event: ItemEvent): void
  /**
   * Call after the last event. Resolves once everything is delivered, and rejects if a guardrail refuses it. Undefined if nothing is held.
   */
  settled(): Promise<void> | undefined
}

export interface GuardedAnswer {
  readonly context: RunContext
  /** The answer is a JSON document. */
  readonly isJson: boolean
  /** The most characters that a guardrail may return in place of it. */
  readonly maxCharacters: number
  /** Gets what the client may see. */
  readonly show: (event: ItemEvent) => void
  /** Ends the answer, because a guardrail refused it while the model was still speaking. */
  readonly end: (reason: unknown) => void
}

/**
 * The checks, if any guardrail looks at answers; otherwise answers cost nothing extra. The last guardrail that saw the request sees the
 * answer first, so a guardrail's changes stay hidden from those after it.
 */
export function answerGuards(guards: readonly OpenGuard[], answer: GuardedAnswer): AnswerGuards | undefined {
  const inReverse = guards.toReversed()
  const filters = OutputGuards.over(inReverse, answer)
  const checks = ItemChecks.over(inReverse, { ...answer, show: filters ? event => filters.write(event) : answer.show })
  return checks ?? filters
}
