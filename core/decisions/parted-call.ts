import type { DecisionCall, DecisionReply, DecisionRequest } from '../contracts/decision.ts'
import type { TokenUsage } from '../contracts/events.ts'
import { askParts } from './ask-parts.ts'
import type { DecisionCandidate } from './names.ts'
import { joinedReply, type RepliedPart } from './parted-reply.ts'
import { checkedReply } from './reply.ts'
import { countedUsage } from './usage.ts'

/** The calls of a client that takes a request in parts. */
export class PartedCall {
  readonly #parts: readonly DecisionRequest['questions'][]
  readonly #done: RepliedPart[] = []

  constructor(parts: readonly DecisionRequest['questions'][]) {
    this.#parts = parts
  }

  /** The parts that were answered. */
  get done(): readonly RepliedPart[] {
    return this.#done
  }

  /** The usage of the parts that were answered, if any was. */
  get usage(): TokenUsage | undefined {
    return this.#done.length > 0 ? countedUsage(joinedReply(this.#done)) : undefined
  }

  /** One reply to all parts. `form`: of the caller's request. */
  async ask({ client }: DecisionCandidate, call: DecisionCall, form: DecisionRequest['form']): Promise<DecisionReply> {
    const { questions } = call.request
    const replies = await askParts(this.#parts, call.signal, async (part, signal) => {
      // As the client takes them.
      const own = Object.fromEntries(Object.keys(part).map(id => [id, questions[id]!]))
      const request = { ...call.request, questions: own }
      const reply = checkedReply(await client.decide({ ...call, request, signal }), request, client.provider, form)
      const replied = { request, reply }
      this.#done.push(replied)
      return replied
    })
    return joinedReply(replies)
  }
}
