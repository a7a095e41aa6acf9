import type { Answer } from '../clients/vendor/answer.ts'
import type { Question } from '../clients/vendor/question.ts'

/** The thoughts of the model before its calls. */
export class Thoughts {
  /** Their states, by the ids of the calls. */
  readonly #states = new Map<string, string>()

  /** The answer with a thought before its calls, if the request takes thoughts. */
  before(answer: Answer, { thinks }: Question): Answer {
    const [first] = answer.calls ?? []
    if (!thinks || !first) return answer
    const state = `thought-before-${first.id}`
    for (const { id } of answer.calls!) this.#states.set(id, state)
    return { ...answer, thought: { text: 'One step after the other.', state } }
  }

  /** The id of a call since the user's last words whose thought is missing. */
  forgottenIn({ turns }: Question): string | undefined {
    const current = turns.slice(turns.findLastIndex(turn => turn.type === 'said' && turn.by === 'user') + 1)
    const states = new Set(turns.flatMap(turn => (turn.type === 'thought' ? [turn.state] : [])))
    for (const turn of current) {
      const state = turn.type === 'called' ? this.#states.get(turn.id) : undefined
      if (turn.type === 'called' && state !== undefined && !states.has(state)) return turn.id
    }
    return undefined
  }
}
